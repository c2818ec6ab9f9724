-- Totals of the queue operations, without regard to the filter.
--
-- @column bundle: Label of the file.
-- @column events: Number of queue operations.
-- @column strategy_none: Number of operations without waits.
-- @column strategy_inline: Number of operations that wait inline.
-- @column strategy_device_barrier: Number of operations that wait by a device barrier.
-- @column strategy_software_defer: Number of operations deferred by software.
-- @column copy_bytes [bytes]: Bytes copied.
-- @column fill_bytes [bytes]: Bytes filled.
-- @column update_bytes [bytes]: Bytes updated.
-- @column read_bytes [bytes]: Bytes read.
-- @column write_bytes [bytes]: Bytes written.
-- @column dispatches: Number of dispatches.
-- @column executes: Number of executions of command buffers.
-- @column allocas: Allocations.
-- @column deallocas: Deallocations.
-- @column host_calls: Number of calls of host functions.
SELECT
    bundle, events, strategy_none, strategy_inline, strategy_device_barrier, strategy_software_defer,
    copy_bytes, fill_bytes, update_bytes, read_bytes, write_bytes, dispatches, executes, allocas, deallocas,
    host_calls
FROM explain_operations($filter, $id, $warmup)
ORDER BY bundle
