-- A hint of `explain_hint`, with a query for the evidence. That there are no dispatches is not among them: the command says
-- why there are none.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column category: Subject: `format`, `session`, `dispatch`, `queue` or `memory`.
-- @column message: Description of the finding.
-- @column evidence: Query that returns the evidence.
SELECT
    bundle, severity, category, message,
    CASE category
        WHEN 'format' THEN 'SELECT * FROM problems'
        WHEN 'session' THEN 'SELECT * FROM sessions WHERE status_code <> 0'
        WHEN 'dispatch' THEN 'SELECT timing_source, is_valid, count(*) FROM dispatches GROUP BY 1, 2'
        WHEN 'queue' THEN 'SELECT type, count(*) FROM queue_events GROUP BY type'
        ELSE 'SELECT * FROM memory_events WHERE type = ''pool_wait'''
    END AS evidence
FROM explain_hints($filter, $id, $warmup)
WHERE message NOT LIKE 'no valid dispatch events were captured%'
ORDER BY bundle, position
