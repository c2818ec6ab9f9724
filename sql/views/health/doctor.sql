-- One thing to know before a bundle is trusted: what is wrong with it, what shows it, and what to do. Findings of severity
-- `info` are no complaints.
--
-- @column bundle: Label of the file.
-- @column severity: `error` where the capture is not whole, holds nothing, or commands refuse it; `warning` where part of it
--   is missing or cannot be used; else `info`.
-- @column finding: A short name to filter by.
-- @column count: How much of it there is.
-- @column what: What is so.
-- @column evidence: The SQL that shows it; NULL where there is nothing more to see.
-- @column advice: What to do about it; NULL where there is nothing to do.
SELECT bundle, severity, finding, count, what, evidence, advice
FROM capture_findings()
