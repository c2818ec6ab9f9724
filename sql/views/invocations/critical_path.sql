-- One dispatch on the critical path of an invocation: the chain that ends with the last dispatch to end, in which each
-- dispatch follows the one that released it. Its durations and waits add up to the wall time from the first dispatch of
-- the path on. Records do not name semaphores, so the one that released a dispatch is inferred: of those that ended
-- before it started, the last to end on its queue, or on any other queue of the device if its submission had waits and
-- the other had ended when it became ready. Without recorded queue operations, only its own queue is considered. An invocation
-- on several devices has a path on each of them: nothing tells which device waited for which.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`, as in `invocations`.
-- @column physical_device_ordinal: Physical device.
-- @column invocation: Invocation, see `invocations`.
-- @column position: Position in the path, from 1.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column start_ns [ns]: Start; NULL if the device's clock has no fit.
-- @column end_ns [ns]: End.
-- @column duration_ns [ns]: Duration.
-- @column wait_ns [ns]: Time from the end of the dispatch before in the path to its start.
-- @column reason: What it waited for last: `submission` (the dispatch before in its submission), `queue` (the one before
--   on its queue), `wait` (the one before, on another queue), `host` (its submission by the host, after the one before had
--   ended), `first`, or `unknown` if what decides is closer than the clocks of the device and the host are known, see
--   `residual_ns` of `host_clocks`.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH converted AS (
    SELECT
        *,
        CASE WHEN is_on_device THEN device_clock_time_ns(bundle, session_id, physical_device_ordinal, "start")
            ELSE CAST("start" AS BIGINT) END AS start_ns,
        CASE WHEN is_on_device THEN device_clock_time_ns(bundle, session_id, physical_device_ordinal, "end")
            ELSE CAST("end" AS BIGINT) END AS end_ns,
        CASE WHEN is_on_device THEN device_clock_ticks_to_ns(bundle, session_id, physical_device_ordinal, wait)
            ELSE CAST(wait AS BIGINT) END AS wait_ns
    FROM critical_path_steps()
)
SELECT
    bundle, session_id, CASE WHEN is_on_device THEN 'device' ELSE 'host' END AS timing_source,
    physical_device_ordinal, invocation, step AS position,
    session_function_key(bundle, session_id, executable_id, function_ordinal) AS key,
    queue_ordinal, stream_id, submission_id, start_ns, end_ns, end_ns - start_ns AS duration_ns, wait_ns, reason,
    byte_offset
FROM converted
