-- A finding about a bundle, the most severe first. A bundle without problems has only `info` rows.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column finding: Identifier of the finding.
-- @column count: Number of occurrences.
-- @column what: Description of the finding.
-- @column evidence: Query that returns the evidence.
-- @column advice: Recommended action.
-- @print evidence advice: optional
SELECT bundle, severity, finding, count, what, evidence, advice
FROM doctor
ORDER BY
    bundle,
    CASE severity WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
    CASE finding WHEN 'recorded' THEN 2 WHEN 'not_recorded' THEN 3 WHEN 'answers' THEN 4 ELSE 1 END,
    finding, what
