-- One thing that took time, with its figures and the query that shows more of it; the largest part of the time first.
--
-- @column bundle: Label of the file.
-- @column weight: Part of the time that it is about, from 0 to 1.
-- @column finding: What was found, with its figures.
-- @column evidence: SQL that shows it in full.
-- @print weight: 3 digits
WITH
device_groups AS (
    SELECT bundle, key, CAST(sum(total_ticks) AS DOUBLE) AS total
    FROM device_dispatch_groups($by, $filter, $id)
    GROUP BY bundle, key
),
host_groups AS (
    SELECT bundle, key, CAST(sum(total_ticks) AS DOUBLE) AS total
    FROM host_dispatch_groups($by, $filter, $id)
    GROUP BY bundle, key
),
shares AS (
    SELECT bundle, key, 'device' AS source, total / nullif(sum(total) OVER (PARTITION BY bundle), 0) AS share
    FROM device_groups
    UNION ALL
    SELECT bundle, key, 'host', total / nullif(sum(total) OVER (PARTITION BY bundle), 0)
    FROM host_groups
),
findings AS (
    SELECT
        bundle, share AS weight,
        concat(key, ' takes ', round(100 * share, 1), ' % of the time in dispatches that the ', source, ' timed') AS finding,
        concat('SELECT * FROM dispatches WHERE key = ''', replace(key, '''', ''''''), '''') AS evidence
    FROM shares
    WHERE share >= 0.2
    UNION ALL
    SELECT
        bundle, 1 - active_over_visible,
        concat(
            'device ', physical_device_ordinal, ' runs no dispatch for ', round(100 * (1 - active_over_visible), 1),
            ' % of the ', round(visible_span_ns / 1e6, 3), ' ms from its first dispatch to its last'
        ),
        concat('SELECT * FROM report.explain_queue WHERE physical_device_ordinal = ', physical_device_ordinal)
    FROM explain_devices($filter, $id)
    WHERE active_over_visible > 0 AND active_over_visible < 0.9 AND clock_fit_available
    UNION ALL
    SELECT
        bundle, least(1, CAST(total_gap_ns AS DOUBLE) / (total_gap_ns + busy_ns)),
        concat(
            'queue ', queue_ordinal, ' of device ', physical_device_ordinal, ' waits ', round(total_gap_ns / 1e6, 3),
            ' ms in ', gaps, ' gaps between submissions, the longest ', round(max_gap_ns / 1e6, 3), ' ms, beside ',
            round(busy_ns / 1e6, 3), ' ms of work'
        ),
        'SELECT * FROM queue_submissions ORDER BY wait_ns DESC'
    FROM explain_queues($filter, $id)
    WHERE gap_analysis_available AND total_gap_ns > 0
    UNION ALL
    SELECT
        bundle, CAST(strategy_software_defer AS DOUBLE) / events,
        concat(
            strategy_software_defer, ' of ', events,
            ' queue operations were held back by software, not by the device'
        ),
        'SELECT * FROM queue_events WHERE dependency_strategy = ''software_defer'''
    FROM explain_operations($filter, $id)
    WHERE strategy_software_defer > 0
    UNION ALL
    SELECT
        bundle, 0.0,
        concat('pools of device ', physical_device_ordinal, ' made work wait ', pool_waits, ' times for memory'),
        'SELECT * FROM memory_events WHERE type = ''pool_wait'''
    FROM explain_memory($filter, $id)
    WHERE pool_waits > 0
)
SELECT bundle, weight, finding, evidence
FROM findings
ORDER BY bundle, weight DESC, finding
