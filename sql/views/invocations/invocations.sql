-- One invocation: a call of an exported function, on all devices and queues that it uses. Calls are found from several
-- pieces of evidence together (docs/invocations.md): the waits of queue operations, when the host made them, lifetimes of
-- allocations, executables, names of dispatches, what repeats, and what a capture set tells. `invocations_readings` has the
-- other ways to count. What loading a module executes is in no invocation.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it; NULL if several did.
-- @column timing_source: `device` or `host`: who recorded the times of the dispatches; `both` if several devices differ in it. Of a dispatch that both recorded, the better time counts (`dispatches.is_best_clock`).
-- @column physical_device_ordinal: Physical device; NULL if it uses several.
-- @column devices: The physical devices that it uses, such as `0` or `0, 1`.
-- @column invocation: Number of the invocation in its bundle, by start, from 1.
-- @column kind: Equal for invocations of the same functions, from 1.
-- @column method: What they were found by: `chain` (queue operations wait for one another within it), `begun` (the same, and it begins with the first dispatch of its function), `pauses` (the same as `chain`, and where the host waited), `first` (it begins where the first submission of all is executed again), `chains` (several chains that repeat), `names` (it begins with the first dispatch of its function), `period` (submissions repeat exactly), `loops` (they repeat, with loops of varying length), `modules` (those of each module repeat), `whole` (nothing repeats) or `given` (`--calls`).
-- @column confidence: How certain the number of invocations is, from 0 to 1: of bundles with this confidence, at least this share is right.
-- @column start_ns [ns]: Start of its first dispatch; NULL if the clock of a device has no fit.
-- @column end_ns [ns]: End of its last dispatch.
-- @column wall_ns [ns]: From start to end.
-- @column busy_ns [ns]: Time in which at least one of its dispatches ran.
-- @column idle_ns [ns]: The rest: time between its dispatches.
-- @column dispatch_count: Number of dispatches.
-- @column invalid_count: Number of dispatches without valid times: the times of an invocation are those of the others.
-- @column submission_count: Number of submissions with dispatches.
-- @column is_warmup: Whether it is slower than the invocations of its kind and on data of its sizes that follow, as at the start of a run. Found by the MSER rule (White 1997), confirmed by the median absolute deviation.
SELECT
    bundle, session_id, timing_source, physical_device_ordinal, devices, invocation, kind, method, confidence,
    start_ns, end_ns, end_ns - start_ns AS wall_ns, busy_ns, end_ns - start_ns - busy_ns AS idle_ns,
    dispatch_count, invalid_count, submission_count, is_warmup
FROM detected_invocations()
