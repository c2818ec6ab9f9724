-- One way to divide the dispatches of a bundle into invocations: the first one is that of `invocations`, the others are
-- what the records may mean as well. A piece of evidence is a factor: 1 if it agrees with the reading, less if it must be
-- explained. `--calls=N` decides.
--
-- @column bundle: Label of the file.
-- @column reading: Rank of the reading, from 1.
-- @column method: What it goes by, see `invocations`.
-- @column invocation_count: Number of invocations.
-- @column confidence: How certain it is, from 0 to 1.
-- @column waits: Agreement with the waits of queue operations.
-- @column host: Agreement with the times at which the host made them.
-- @column lifetimes: Agreement with the lifetimes of allocations.
-- @column modules: Agreement with the executables that submissions share.
-- @column names: Agreement with the names of dispatches.
-- @column readback: Agreement with what the host can have read back.
-- @column reloads: Agreement with executables that are loaded again, as by a replay.
-- @column repetition: How much of the bundle is in invocations of kinds that repeat.
-- @column told: Agreement with what the capture set of the bundle tells; 1 without one.
SELECT
    bundle, reading, method, invocation_count, confidence, waits, host, lifetimes, modules, names, readback, reloads, repetition, told
FROM detected_readings()
