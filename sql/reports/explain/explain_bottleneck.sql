-- One thing that took time, with its figures and the query that shows more of it; the largest part of the time first.
--
-- @column bundle: Label of the file.
-- @column weight: Part of the time that it is about, from 0 to 1.
-- @column finding: What was found, with its figures.
-- @column evidence: SQL that shows it in full.
-- @print weight: 3 digits
SELECT bundle, weight, finding, evidence
FROM explain_bottlenecks($filter, $id)
ORDER BY bundle, weight DESC, finding
