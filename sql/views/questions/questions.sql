-- One question that `gaps`, `capture` and `fill` know, as declared; bundles have no part in it.
--
-- @column question: Its name, as `--for` takes it.
-- @column asks: The question in words.
-- @column answer: The command that answers it, after `ireescope` and before the bundle.
SELECT question, asks, answer
FROM declared_questions()
