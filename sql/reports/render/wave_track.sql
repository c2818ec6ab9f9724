-- One track of the waves of decoded traces in `render --att`: those of a shader engine, of a SIMD and of a slot, and of
-- the states and instructions in it.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track.
-- @column name: Name.
-- @column sort_order: Position among its siblings.
-- @column description: Description of the track.
-- @column unit: Unit of a counter; always NULL.
-- @column is_counter: True if the track is a counter; always false.
-- @column is_shown: True if the track is shown even without events; always false.
WITH slots AS (
    SELECT DISTINCT
        w.bundle, t.physical_device_ordinal, t.shader_engine, w.cu, w.simd, w.slot,
        concat(device_track(t.physical_device_ordinal), '/shader engine ', t.shader_engine) AS engine,
        concat('/CU ', w.cu, ' SIMD ', w.simd) AS simd_name, concat('/slot ', w.slot) AS slot_name
    FROM att_waves AS w
    JOIN executable_traces AS t ON t.bundle = w.bundle AND t.byte_offset = w.byte_offset
),
tracks AS (
    SELECT DISTINCT
        bundle, engine AS track, concat('shader engine ', shader_engine, ' (waves)') AS name,
        10000 + shader_engine AS sort_order,
        'Waves of instruction traces by compute unit (CU; workgroup processor from gfx10 on), SIMD and slot' AS description
    FROM slots
    UNION ALL
    SELECT DISTINCT
        bundle, concat(engine, simd_name), concat('CU ', cu, ' SIMD ', simd), 256 * cu + simd, NULL
    FROM slots
    UNION ALL
    SELECT bundle, concat(engine, simd_name, slot_name), concat('slot ', slot), slot, NULL FROM slots
    UNION ALL
    SELECT bundle, concat(engine, simd_name, slot_name, '/states'), 'states', 0, NULL FROM slots
    UNION ALL
    SELECT bundle, concat(engine, simd_name, slot_name, '/instructions'), 'instructions', 1, NULL FROM slots
)
SELECT
    bundle, track, name, CAST(sort_order AS BIGINT) AS sort_order, description, CAST(NULL AS VARCHAR) AS unit,
    false AS is_counter, false AS is_shown
FROM tracks
ORDER BY bundle, track
