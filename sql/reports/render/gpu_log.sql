-- A problem of a bundle, as a GPU log of `render --gpu-packets`.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column tag: Identifier of the kind of problem.
-- @column message: Description of the problem, after its byte offset if it has one.
SELECT bundle, severity, kind AS tag, concat('at byte ' || byte_offset || ': ', problem) AS message
FROM problems
