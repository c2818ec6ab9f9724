-- One thing to know before a bundle is trusted, the worst first; no row of severity error or warning where all is well.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column finding: A short name to filter by.
-- @column count: How much of it there is.
-- @column what: What is so.
-- @column evidence: The SQL that shows it.
-- @column advice: What to do about it.
-- @print evidence advice: optional
SELECT bundle, severity, finding, count, what, evidence, advice
FROM doctor
ORDER BY
    bundle,
    CASE severity WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
    CASE finding WHEN 'recorded' THEN 2 WHEN 'not_recorded' THEN 3 WHEN 'answers' THEN 4 ELSE 1 END,
    finding, what
