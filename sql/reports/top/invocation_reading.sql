-- The ways to count the invocations of each bundle, of which `ireescope top` says if the first is not certain.
--
-- @column bundle: Label of the file.
-- @column reading: Rank of the reading, from 1.
-- @column invocation_count: Number of invocations.
-- @column confidence: How certain it is, from 0 to 1.
SELECT bundle, reading, invocation_count, confidence
FROM invocations_readings
ORDER BY bundle, reading
