-- How many memory events there are and match, and of how many devices, pools and allocations.
--
-- @column bundle: Label of the file.
-- @column filter: Pattern of names that was asked for.
-- @column id_filter: Event or allocation that was asked for; negative for all.
-- @column total_events: Memory events.
-- @column matched_events: Those that match, of which all other numbers tell.
-- @column truncated_chunks: Truncated chunks of events.
-- @column dropped_records: Records that were dropped from these chunks.
-- @column truncated_matched_events: Matching events of these.
-- @column devices: Devices with matching events.
-- @column pools: Pools with matching events.
-- @column allocation_lifecycles: Allocations with matching events.
-- @column open_allocation_lifecycles: Those that hold bytes at the end.
-- @column partial_lifecycle_closes: Times that more was closed than was open.
SELECT
    bundle, $filter AS filter, $id_filter AS id_filter, total_events, matched_events, truncated_chunks,
    dropped_records, truncated_matched_events, devices, pools, allocation_lifecycles,
    open_allocation_lifecycles, partial_lifecycle_closes
FROM memory_totals($filter, $id)
