-- What one bundle, or the bundles of one capture set together, say to one question: whether they can answer it, what they
-- lack, and what would capture that. The best way of answering that was recorded counts; where none was, the best that the
-- driver is not known to refuse. What a way needs is wanted of one bundle, as ids mean nothing in another.
--
-- @column bundle: Label of the file; of a capture set, of the file that answers best.
-- @column capture_set: Folder of the capture set, or the name that it was given; NULL where the bundle was opened by itself.
-- @column question: The question, as `--for` takes it.
-- @column question_position: Its place among the questions.
-- @column answerable: `yes`; `partly` where something that the answer needs or profits from is missing; or `no`.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time; NULL where something that
--   the answer needs is missing.
-- @column asks: What is asked.
-- @column has: Modes of the way that were recorded, with commas; NULL where none was.
-- @column missing: Modes of the way that were not recorded or not in full, with commas; NULL where nothing is missing.
-- @column why: Why, for each of them, as far as a bundle and the manifest of its set can tell; NULL where nothing is missing.
-- @column modes: Modes to capture, with commas: all that the way needs or profits from, as ids mean nothing in another capture;
--   NULL where `fill` is.
-- @column fill: The command that captures what is missing; NULL where nothing is, or the driver records none of it.
-- @column capture: The same with IREE's own tools: as the capture set ran them, or for TOOL ARGS… as before.
-- @column answer: The command that answers, as far as it can be answered; NULL where it cannot.
WITH
ranked AS (
    SELECT
        w.bundle, w.question, w.question_position, w.clock, w.is_enough, w.is_begun, w.has, w.missing, w.why, w.modes, w.flags,
        s.path, s.capture_set, coalesce(s.capture_set_path, s.path) AS subject_path, s.tool_command, s.output_folder,
        coalesce(s.counting_paths, s.path) AS counting_paths,
        row_number() OVER (
            PARTITION BY coalesce(s.capture_set, w.bundle), s.capture_set IS NULL, w.question
            ORDER BY w.is_enough DESC, w.is_unsupported, w.way, w.why IS NULL DESC, w.is_begun DESC, w.bundle
        ) AS preference,
        w.is_fillable AND NOT w.is_unsupported AS can_be_filled
    FROM question_ways AS w
    JOIN capture_sources() AS s ON s.bundle = w.bundle
)
SELECT
    r.bundle, r.capture_set, r.question, r.question_position,
    CASE WHEN r.is_enough AND r.why IS NULL THEN 'yes' WHEN r.is_begun THEN 'partly' ELSE 'no' END AS answerable,
    CASE WHEN r.is_enough THEN r.clock END AS clock,
    q.asks, r.has, r.missing, r.why,
    CASE WHEN r.can_be_filled THEN r.modes END AS modes,
    CASE WHEN r.can_be_filled
        THEN concat(
            'ireescope fill ', r.subject_path, ' --for ', r.question,
            CASE WHEN r.tool_command IS NULL THEN ' -- TOOL ARGS…' ELSE '' END
        ) END AS fill,
    CASE WHEN r.can_be_filled
        THEN concat(
            coalesce(r.tool_command, 'TOOL ARGS…'), ' --device_profiling_mode=', r.modes, coalesce(' ' || r.flags, ''),
            ' --device_profiling_output=', coalesce(r.output_folder, ''),
            r.question, '.ireeprof'
        ) END AS capture,
    CASE WHEN r.is_begun
        THEN concat('ireescope ', q.answer, ' ', CASE WHEN q.is_spread_over_runs THEN r.counting_paths ELSE r.path END) END AS answer
FROM ranked AS r
JOIN declared_questions() AS q ON q.question = r.question
WHERE r.preference = 1
