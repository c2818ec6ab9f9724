-- The answer of a bundle, or of the bundles of a capture set together, to a question: whether they can answer it, what
-- is missing, and the commands that capture it. A row describes the best way to answer that was recorded, or else the
-- best one that the driver is not known to refuse. All required modes of a way must be in the same bundle, because ids
-- are local to a bundle.
--
-- @column bundle: Label of the file, or for a capture set of the file that answers best.
-- @column capture_set: Folder of the capture set, or the name under which it was opened; NULL if the bundle was opened
--   by itself.
-- @column question: Name of the question, as in `--for`.
-- @column question_position: Position of the question.
-- @column answerable: `yes`, `partly` (required or useful data is missing) or `no`.
-- @column clock: Clock of the answer: `device`, `host`, or `none` if it has no times; NULL if required data is missing.
-- @column asks: Text of the question.
-- @column has: Recorded modes of the way, comma-separated; NULL if there are none.
-- @column missing: Modes of the way that were not recorded or not completely, comma-separated; NULL if nothing is
--   missing.
-- @column why: Reasons for the missing modes, from the bundle and the manifest of its set; NULL if nothing is missing.
-- @column has_none: True if the program runs nothing that would answer it.
-- @column modes: Modes to capture, comma-separated: all that the way requires or uses, because ids are local to a
--   capture; NULL if `fill` is NULL.
-- @column fill: Command that captures what is missing; NULL if nothing is missing or the driver cannot record it.
-- @column capture: Command line of IREE's own tools for the same capture: the command of the capture set, or TOOL ARGS…
--   as a placeholder.
-- @column answer: Command that prints the answer, as far as possible; NULL if the question cannot be answered.
SELECT
    bundle, capture_set, question, question_position,
    CASE WHEN is_enough AND why IS NULL THEN 'yes' WHEN is_begun THEN 'partly' ELSE 'no' END AS answerable,
    CASE WHEN is_enough THEN clock END AS clock,
    asks, has, missing, why, has_none, CASE WHEN fill IS NOT NULL THEN modes END AS modes, fill, capture, answer
FROM ways_to_answer()
QUALIFY row_number() OVER (
    PARTITION BY coalesce(capture_set, bundle), capture_set IS NULL, question
    ORDER BY is_enough DESC, is_unsupported, way, why IS NULL DESC, is_begun DESC, bundle
) = 1
