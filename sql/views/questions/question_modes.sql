-- One mode that one way of answering a question needs or profits from, as declared; bundles have no part in it.
--
-- @column question: The question.
-- @column way: Rank of the way to answer the question; 1 is the best.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time.
-- @column mode: The mode.
-- @column is_needed: True if the way requires the mode; otherwise the mode only improves the answer.
SELECT question, way, clock, mode, is_needed
FROM declared_question_modes()
