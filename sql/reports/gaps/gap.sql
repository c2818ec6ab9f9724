-- The answer of a bundle or capture set to one of the requested questions: whether it can answer it, what is missing,
-- and the commands that capture it.
--
-- @column bundle: Label of the file, or for a capture set of the file that answers best.
-- @column capture_set: Folder of the capture set, or the name under which it was opened.
-- @column question: Name of the question, as in `--for`.
-- @column answerable: `yes`, `partly` or `no`.
-- @column clock: Clock of the answer: `device`, `host`, or `none` if it has no times; omitted if required data is
--   missing.
-- @column asks: Text of the question.
-- @column has: Recorded modes for the question, comma-separated.
-- @column missing: Modes that were not recorded or not completely, comma-separated.
-- @column why: Reasons for the missing modes, from the bundle and the manifest of its set.
-- @column has_none: True if the program runs nothing that would answer it.
-- @column modes: Modes to capture for the question, comma-separated.
-- @column fill: Command that captures what is missing.
-- @column capture: Command line of IREE's own tools for the same capture.
-- @column answer: Command that prints the answer, as far as possible.
-- @print capture_set clock has missing why modes fill capture answer: optional
-- @print has_none: hidden
SELECT
    g.bundle, g.capture_set, g.question, g.answerable, g.clock, g.asks, g.has, g.missing, g.why,
    g.has_none, g.modes,
    replace(g.fill, 'function=PATTERN', $function) AS fill,
    replace(g.capture, 'function=PATTERN', $function) AS capture, g.answer
FROM gaps AS g
WHERE $filter = '*' OR strpos($filter, concat(',', g.question, ',')) > 0
ORDER BY coalesce(g.capture_set, g.bundle), g.question_position
