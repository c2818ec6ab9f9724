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
-- @column asks: The question in words.
-- @column has: Modes of the way that were recorded, with commas; NULL where none was.
-- @column missing: Modes of the way that were not recorded or not in full, with commas; NULL where nothing is missing.
-- @column why: Why, for each of them, as far as a bundle and the manifest of its set can tell; NULL where nothing is missing.
-- @column modes: Modes to capture, with commas: all that the way needs or profits from, as ids mean nothing in another capture;
--   NULL where `fill` is.
-- @column fill: The command that captures what is missing; NULL where nothing is, or the driver records none of it.
-- @column capture: The same with IREE's own tools: as the capture set ran them, or for TOOL ARGS… as before.
-- @column answer: The command that answers, as far as it can be answered; NULL where it cannot.
WITH ranked AS (
    SELECT
        bundle, capture_set, question, question_position, clock, asks, is_enough, is_begun, has, missing, why, modes, fill,
        capture, answer,
        row_number() OVER (
            PARTITION BY coalesce(capture_set, bundle), capture_set IS NULL, question
            ORDER BY is_enough DESC, is_unsupported, way, why IS NULL DESC, is_begun DESC, bundle
        ) AS preference
    FROM ways_to_answer()
)
SELECT
    bundle, capture_set, question, question_position,
    CASE WHEN is_enough AND why IS NULL THEN 'yes' WHEN is_begun THEN 'partly' ELSE 'no' END AS answerable,
    CASE WHEN is_enough THEN clock END AS clock,
    asks, has, missing, why, CASE WHEN fill IS NOT NULL THEN modes END AS modes, fill, capture, answer
FROM ranked
WHERE preference = 1
