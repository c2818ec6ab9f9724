-- What one bundle says to one question, of all or of those that are asked for: whether it can answer it, what it lacks,
-- and what would capture that.
--
-- @column bundle: Label of the file.
-- @column question: The question, as `--for` takes it.
-- @column answerable: `yes`, `partly` or `no`.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time; nothing where something that
--   the answer needs is missing.
-- @column asks: What is asked.
-- @column has: Modes that were recorded for it, with commas.
-- @column missing: Modes that were not recorded or not in full, with commas.
-- @column why: Why, for each of them, as far as a bundle can tell.
-- @column modes: Modes to capture for it, with commas.
-- @column fill: The command that captures what is missing.
-- @column capture: The same with IREE's own tools.
-- @column answer: The command that answers, as far as it can be answered.
-- @print clock has missing why modes fill capture answer: optional
SELECT
    g.bundle, g.question, g.answerable, g.clock, g.asks, g.has, g.missing, g.why, g.modes, g.fill, g.capture, g.answer
FROM gaps AS g
JOIN declared_questions() AS q ON q.question = g.question
WHERE $filter = '*' OR strpos(concat(',', $filter, ','), concat(',', g.question, ',')) > 0
ORDER BY g.bundle, q.position
