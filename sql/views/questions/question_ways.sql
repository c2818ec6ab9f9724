-- One way of answering one question with one bundle: what it has, what it lacks, and whether the rest can be captured.
--
-- @column bundle: Label of the file.
-- @column question: The question, as `--for` takes it.
-- @column question_position: Its place among the questions.
-- @column way: Rank of the way to answer the question; 1 is the best.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time.
-- @column is_enough: True if all required modes are recorded.
-- @column is_begun: True if any required mode is recorded.
-- @column is_unsupported: True if the driver cannot record a required mode.
-- @column is_fillable: True if a missing mode can be captured.
-- @column has: Modes of the way that were recorded, with commas; NULL where none was.
-- @column missing: Modes of the way that were not recorded or not in full, with commas; NULL where nothing is missing.
-- @column why: Why, for each of them; NULL where nothing is missing.
-- @column modes: Modes that the driver can record of all that the way needs or profits from, with commas.
-- @column flags: Flags that these modes need besides; NULL where they need none.
SELECT
    bundle, question, question_position, way, clock, is_enough, is_begun, is_unsupported, is_fillable, has, missing, why,
    modes, flags
FROM ways_to_answer()
