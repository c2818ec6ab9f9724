-- A contributor to the total time, with its figures and a query for them; the largest first.
--
-- @column bundle: Label of the file.
-- @column weight: Fraction of the time, from 0 to 1; NULL for findings that are not about time.
-- @column finding: Description of the finding, with its figures.
-- @column evidence: Query that returns the figures of the finding.
-- @print weight: 3 digits
SELECT bundle, nullif(weight, 0) AS weight, finding, evidence
FROM explain_bottlenecks($filter, $id, $warmup)
ORDER BY bundle, weight DESC NULLS LAST, finding
