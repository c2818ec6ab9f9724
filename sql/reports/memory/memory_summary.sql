-- Numbers of memory events and of matching ones, and of their devices, pools and allocations.
--
-- @column bundle: Label of the file.
-- @column filter: Requested pattern of names.
-- @column id_filter: Requested event or allocation; negative for all.
-- @column total_events: Number of memory events.
-- @column matched_events: Number of matching events, to which all other numbers refer.
-- @column truncated_chunks: Number of truncated chunks of events.
-- @column dropped_records: Number of records dropped from these chunks.
-- @column truncated_matched_events: Number of matching events in these chunks.
-- @column devices: Number of devices with matching events.
-- @column pools: Number of pools with matching events.
-- @column allocation_lifecycles: Number of allocations with matching events.
-- @column open_allocation_lifecycles: Number of allocations that hold bytes at the end.
-- @column partial_lifecycle_closes: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
SELECT
    bundle, $filter AS filter, $id_filter AS id_filter, total_events, matched_events, truncated_chunks,
    dropped_records, truncated_matched_events, devices, pools, allocation_lifecycles,
    open_allocation_lifecycles, partial_lifecycle_closes
FROM memory_totals($filter, $id)
