-- What one bundle or capture set says to one question, of all or of those that are asked for: whether it can answer it,
-- what it lacks, and what would capture that.
--
-- @column bundle: Label of the file; of a capture set, of the file that answers best.
-- @column capture_set: Folder of the capture set, or the name that it was given.
-- @column question: The question, as `--for` takes it.
-- @column answerable: `yes`, `partly` or `no`.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time; nothing where something that
--   the answer needs is missing.
-- @column asks: The question in words.
-- @column has: Modes that were recorded for it, with commas.
-- @column missing: Modes that were not recorded or not in full, with commas.
-- @column why: Why, for each of them, as far as a bundle and the manifest of its set can tell.
-- @column modes: Modes to capture for it, with commas.
-- @column fill: The command that captures what is missing.
-- @column capture: The same with IREE's own tools.
-- @column answer: The command that answers, as far as it can be answered.
-- @print capture_set clock has missing why modes fill capture answer: optional
SELECT
    g.bundle, g.capture_set, g.question, g.answerable, g.clock, g.asks, g.has, g.missing, g.why, g.modes, g.fill, g.capture, g.answer
FROM gaps AS g
WHERE $filter = '*' OR strpos(concat(',', $filter, ','), concat(',', g.question, ',')) > 0
ORDER BY coalesce(g.capture_set, g.bundle), g.question_position
