-- Totals of the queue operations, without regard to the filter.
--
-- @column bundle: Label of the file.
-- @column events: Queue operations.
-- @column strategy_none: Those that wait for nothing.
-- @column strategy_inline: Those that wait inline.
-- @column strategy_device_barrier: Those that wait by a barrier on the device.
-- @column strategy_software_defer: Those that software holds back.
-- @column copy_bytes [bytes]: Bytes copied.
-- @column fill_bytes [bytes]: Bytes filled.
-- @column update_bytes [bytes]: Bytes updated.
-- @column read_bytes [bytes]: Bytes read.
-- @column write_bytes [bytes]: Bytes written.
-- @column dispatches: Dispatches.
-- @column executes: Executions of command buffers.
-- @column allocas: Allocations.
-- @column deallocas: Deallocations.
-- @column host_calls: Calls of host functions.
SELECT
    bundle, events, strategy_none, strategy_inline, strategy_device_barrier, strategy_software_defer,
    copy_bytes, fill_bytes, update_bytes, read_bytes, write_bytes, dispatches, executes, allocas, deallocas,
    host_calls
FROM explain_operations($filter, $id)
ORDER BY bundle
