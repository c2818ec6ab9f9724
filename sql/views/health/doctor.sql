-- A finding about a bundle: a problem, its evidence, and the recommended action. Findings of severity `info` are not
-- problems.
--
-- @column bundle: Label of the file.
-- @column severity: `error` if the capture is incomplete, empty, contradicts itself, or is rejected by commands; `warning` if
--   part of it is missing or unusable; otherwise `info`.
-- @column finding: Identifier of the finding.
-- @column count: Number of occurrences.
-- @column what: Description of the finding.
-- @column evidence: Query that returns the evidence; NULL if there is none.
-- @column advice: Recommended action; NULL if none is needed.
SELECT bundle, severity, finding, count, what, evidence, advice
FROM capture_findings()
UNION ALL
SELECT bundle, severity, finding, count, what, evidence, advice
FROM compared_findings()
