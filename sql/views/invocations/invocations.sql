-- One invocation: a call of the model within a session, on one device. Invocations are what repeats in the sequence of
-- submissions with dispatches, ordered by start, for each module (executables that occur in a common submission). If the
-- queue operations were recorded, an invocation also starts with an operation that waits for no other. What precedes the
-- first repeat, such as initialization, is in no invocation. If nothing repeats, there is one invocation for the whole.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`: who recorded the times of the dispatches.
-- @column physical_device_ordinal: Physical device.
-- @column invocation: Number of the invocation in its session, device and timing source, by start, from 1.
-- @column kind: Equal for invocations of the same functions, from 1.
-- @column method: How it was found: `chain` (queue operations wait for one another within it), `period` (the sequence of submissions repeats exactly), `loops` (it repeats, with loops of varying length) or `whole` (nothing repeats).
-- @column confidence: Share of the module's dispatches, from its first invocation on, that are in invocations; 0 for `whole`.
-- @column start_ns [ns]: Start of its first dispatch; NULL if the device's clock has no fit.
-- @column end_ns [ns]: End of its last dispatch.
-- @column wall_ns [ns]: From start to end.
-- @column busy_ns [ns]: Time in which at least one of its dispatches ran.
-- @column idle_ns [ns]: The rest: time between its dispatches.
-- @column dispatch_count: Number of dispatches.
-- @column submission_count: Number of submissions with dispatches.
-- @column is_warmup: Whether it is slower than the invocations of its kind that follow, as at the start of a run. Found by the MSER rule (White 1997), confirmed by the median absolute deviation.
WITH converted AS (
    SELECT
        *,
        CASE WHEN is_on_device THEN device_clock_time_ns(bundle, physical_device_ordinal, "start")
            ELSE CAST("start" AS BIGINT) END AS start_ns,
        CASE WHEN is_on_device THEN device_clock_time_ns(bundle, physical_device_ordinal, "end")
            ELSE CAST("end" AS BIGINT) END AS end_ns,
        CASE WHEN is_on_device THEN device_clock_ticks_to_ns(bundle, physical_device_ordinal, busy)
            ELSE CAST(busy AS BIGINT) END AS busy_ns
    FROM detected_invocations()
)
SELECT
    bundle, session_id, CASE WHEN is_on_device THEN 'device' ELSE 'host' END AS timing_source,
    physical_device_ordinal, invocation, kind, method, confidence,
    start_ns, end_ns, end_ns - start_ns AS wall_ns, busy_ns, end_ns - start_ns - busy_ns AS idle_ns,
    dispatch_count, submission_count, is_warmup
FROM converted
