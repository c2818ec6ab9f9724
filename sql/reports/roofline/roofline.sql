-- A function with one shape on a device against the device's peaks (the roofline model), without warm-up, in descending order
-- of total time: how fast it computes and moves data, how fast it could, and what limits it. The peaks are those of the device
-- that `--peaks` names, or else of the device that was measured with the same driver and UUID (without a UUID: the same
-- processor, if the capture set records it, or else this machine).
--
-- @column bundle: Label of the file.
-- @column timing_source: `device` or `host`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column workgroup_count_x: Number of workgroups along x; another number is another shape, with a row of its own.
-- @column workgroup_count_y: Number of workgroups along y.
-- @column workgroup_count_z: Number of workgroups along z.
-- @column op_kind: Kind of its operation; NULL if unknown, like all columns that depend on it.
-- @column op_shape: Loops or shape of the operation.
-- @column dtype: Element types of its operands.
-- @column dispatch_count: Number of dispatches.
-- @column total_ns [ns]: Total duration.
-- @column mean_ns [ns]: Mean duration.
-- @column flops: Arithmetic operations of a dispatch.
-- @column bytes [bytes]: Bytes that a dispatch reads and writes, each tensor once; caches may serve a part of them.
-- @column flops_per_s: Achieved operations per second: `flops` / `mean_ns`.
-- @column bytes_per_s [bytes]: Achieved bytes per second: `bytes` / `mean_ns`.
-- @column intensity: Operations per byte.
-- @column device: Device in `device_peaks` whose peaks apply; NULL if none is known.
-- @column peak_flops_per_s: Its peak for the element type of the first operand.
-- @column peak_bytes_per_s [bytes]: Its peak of memory.
-- @column roof_ns [ns]: Time that a dispatch takes at least: the longer of its operations and its bytes, each at its
--   peak; if only one of both is known, its time.
-- @column fraction: Fraction of the roof that is achieved: `roof_ns` / `mean_ns`.
-- @column bound: What limits the function at best: `latency` if `roof_ns` is shorter than a dispatch that does nothing
--   (`launch_ns` in `device_peaks`, or 5 µs), else `compute` or `memory`, whichever takes longer; NULL unless both are known.
-- @print fraction intensity: 6 digits
WITH times AS (
    SELECT
        bundle, session_id, timing_source, physical_device_ordinal, key,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        count(*) AS dispatch_count, sum(duration_ns) AS total_ns, avg(CAST(duration_ns AS DOUBLE)) AS mean_ns
    FROM dispatches
    WHERE is_valid AND NOT is_warmup AND duration_ns IS NOT NULL
    GROUP BY
        bundle, session_id, timing_source, physical_device_ordinal, key,
        workgroup_count_x, workgroup_count_y, workgroup_count_z
),
operations AS (
    SELECT
        t.bundle, t.timing_source, t.key, t.workgroup_count_x, t.workgroup_count_y, t.workgroup_count_z, t.dispatch_count, t.total_ns, t.mean_ns,
        -- What identifies the device; empty if it is not recorded.
        coalesce(s.name, '') AS driver, coalesce(d.physical_device_uuid, '') AS uuid, coalesce(r.cpu, '') AS cpu,
        op_kind(t.key) AS op_kind, op_shape(t.key) AS op_shape, dtype(t.key) AS dtype,
        split_part(dtype(t.key), 'x', 1) AS element,
        CAST(flops(t.key) AS DOUBLE) AS flops, CAST(bytes(t.key) AS DOUBLE) AS bytes
    FROM times AS t
    LEFT JOIN sessions AS s ON s.bundle = t.bundle AND s.session_id = t.session_id
    LEFT JOIN (
        SELECT bundle, session_id, physical_device_ordinal, max(physical_device_uuid) AS physical_device_uuid
        FROM devices
        GROUP BY bundle, session_id, physical_device_ordinal
    ) AS d ON d.bundle = t.bundle AND d.session_id = t.session_id
        AND d.physical_device_ordinal = t.physical_device_ordinal
    LEFT JOIN (SELECT bundle, max(cpu) AS cpu FROM runs WHERE bundle IS NOT NULL GROUP BY bundle) AS r
        ON r.bundle = t.bundle
),
-- The devices whose peaks apply to each driver, device and processor.
matches AS (
    SELECT o.driver, o.uuid, o.cpu, p.device, max(p.bytes_per_s) AS bytes_per_s, max(p.launch_ns) AS launch_ns
    FROM (SELECT DISTINCT driver, uuid, cpu FROM operations) AS o
    CROSS JOIN device_peaks AS p
    WHERE CASE
        WHEN (SELECT bool_or(is_given) FROM device_peaks) THEN p.is_given
        ELSE p.driver = o.driver AND coalesce(p.physical_device_uuid, '') = o.uuid
            AND (o.uuid <> '' OR o.cpu IN ('', p.cpu))
    END
    GROUP BY o.driver, o.uuid, o.cpu, p.device
),
chosen AS (
    SELECT driver, uuid, cpu, min(device) AS device FROM matches GROUP BY driver, uuid, cpu
),
roofs AS (
    SELECT
        o.*, m.device, m.bytes_per_s AS peak_bytes_per_s, coalesce(m.launch_ns, 5000) AS launch_ns,
        p.flops_per_s AS peak_flops_per_s,
        o.bytes / m.bytes_per_s * 1e9 AS memory_ns,
        CASE WHEN o.flops = 0 AND m.device IS NOT NULL THEN 0 ELSE o.flops / p.flops_per_s * 1e9 END AS compute_ns
    FROM operations AS o
    LEFT JOIN chosen AS c ON c.driver = o.driver AND c.uuid = o.uuid AND c.cpu = o.cpu
    LEFT JOIN matches AS m ON m.driver = o.driver AND m.uuid = o.uuid AND m.cpu = o.cpu AND m.device = c.device
    LEFT JOIN (
        SELECT device, dtype, max(flops_per_s) AS flops_per_s FROM device_peaks GROUP BY device, dtype
    ) AS p ON p.device = m.device AND p.dtype = o.element
)
SELECT
    bundle, timing_source, key, workgroup_count_x, workgroup_count_y, workgroup_count_z, op_kind, op_shape, dtype,
    dispatch_count, total_ns, mean_ns,
    CAST(flops AS BIGINT UNSIGNED) AS flops, CAST(bytes AS BIGINT UNSIGNED) AS bytes,
    flops / mean_ns * 1e9 AS flops_per_s, bytes / mean_ns * 1e9 AS bytes_per_s, flops / bytes AS intensity,
    device, peak_flops_per_s, peak_bytes_per_s,
    greatest(compute_ns, memory_ns) AS roof_ns,
    greatest(compute_ns, memory_ns) / mean_ns AS fraction,
    CASE
        WHEN compute_ns IS NULL OR memory_ns IS NULL THEN NULL
        WHEN greatest(compute_ns, memory_ns) < launch_ns THEN 'latency'
        WHEN compute_ns >= memory_ns THEN 'compute'
        ELSE 'memory'
    END AS bound
FROM roofs
ORDER BY
    total_ns DESC, bundle, timing_source, key, workgroup_count_x, workgroup_count_y, workgroup_count_z
