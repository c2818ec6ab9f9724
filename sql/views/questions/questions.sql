-- One question of `gaps`, `capture` and `fill`, as declared by ireescope, independent of bundles.
--
-- @column question: Name of the question, as in `--for`.
-- @column asks: Text of the question.
-- @column answer: Arguments of `ireescope` that print the answer, without the bundle.
SELECT question, asks, answer
FROM declared_questions()
