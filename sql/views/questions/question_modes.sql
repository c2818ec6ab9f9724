-- One mode that is required or useful for a way to answer a question, as declared by ireescope, independent of bundles.
--
-- @column question: Name of the question.
-- @column way: Rank of the way to answer the question; 1 is the best.
-- @column clock: Clock of the answer: `device`, `host`, or `none` if it has no times.
-- @column mode: Name of the mode.
-- @column is_needed: True if the way requires the mode; otherwise the mode only improves the answer.
SELECT question, way, clock, mode, is_needed
FROM declared_question_modes()
