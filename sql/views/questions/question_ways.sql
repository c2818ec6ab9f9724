-- One way to answer a question with a bundle: the recorded modes, the missing modes, and whether these can be captured.
--
-- @column bundle: Label of the file.
-- @column question: Name of the question, as in `--for`.
-- @column question_position: Position of the question.
-- @column way: Rank of the way to answer the question; 1 is the best.
-- @column clock: Clock of the answer: `device`, `host`, or `none` if it has no times.
-- @column is_enough: True if all required modes are recorded.
-- @column is_begun: True if any required mode is recorded.
-- @column is_unsupported: True if the driver cannot record a required mode.
-- @column is_fillable: True if a missing mode can be captured.
-- @column has: Recorded modes of the way, comma-separated; NULL if there are none.
-- @column missing: Modes of the way that were not recorded or not completely, comma-separated; NULL if nothing is
--   missing.
-- @column why: Reasons for the missing modes; NULL if nothing is missing.
-- @column modes: Required or useful modes of the way that the driver can record, comma-separated.
-- @column flags: Additional flags that these modes require; NULL if there are none.
SELECT
    bundle, question, question_position, way, clock, is_enough, is_begun, is_unsupported, is_fillable, has, missing, why,
    modes, flags
FROM ways_to_answer()
