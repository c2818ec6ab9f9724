-- A contributor to the total time, with its figures and a query for details; the largest first.
--
-- @column bundle: Label of the file.
-- @column weight: Fraction of the total time, from 0 to 1.
-- @column finding: Description of the finding, with its figures.
-- @column evidence: Query that returns the evidence.
-- @print weight: 3 digits
SELECT bundle, weight, finding, evidence
FROM explain_bottlenecks($filter, $id)
ORDER BY bundle, weight DESC, finding
