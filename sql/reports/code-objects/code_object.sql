-- One image of an executable's code for a device, and one place where it was loaded; several rows if it was loaded onto
-- several devices.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column executable_id: Executable that owns the code object.
-- @column code_object_id: Id of the code object, as in traces.
-- @column data_length [bytes]: Size of the image; NULL if the bundle lacks it.
-- @column code_object_hash: Content hash of the image.
-- @column physical_device_ordinal: Physical device onto which it was loaded; NULL if no load was recorded.
-- @column load_delta [bytes]: Loaded address minus address in the image.
-- @column load_size [bytes]: Size of the loaded range.
-- @column function_count: Number of functions of the executable.
-- @column key: Name of the first function.
-- @column byte_offset [bytes]: Byte offset of the image's record in the file.
WITH names AS (
    SELECT
        bundle, session_id, executable_id, count(*) AS function_count,
        first_value(key ORDER BY function_ordinal) AS key
    FROM functions
    WHERE matches_pattern(key, $filter)
    GROUP BY bundle, session_id, executable_id
),
placed AS (
    SELECT
        coalesce(c.bundle, l.bundle) AS bundle, coalesce(c.session_id, l.session_id) AS session_id,
        coalesce(c.executable_id, l.executable_id) AS executable_id,
        coalesce(c.code_object_id, l.code_object_id) AS code_object_id,
        c.data_length, c.code_object_hash, l.physical_device_ordinal, l.load_delta, l.load_size, c.byte_offset,
        l.byte_offset AS load_offset
    FROM executable_code_objects AS c
    FULL JOIN executable_code_object_loads AS l
        ON l.bundle = c.bundle AND l.session_id = c.session_id AND l.executable_id = c.executable_id
        AND l.code_object_id = c.code_object_id
)
SELECT
    p.bundle, p.session_id, p.executable_id, p.code_object_id, p.data_length, p.code_object_hash,
    p.physical_device_ordinal, p.load_delta, p.load_size, coalesce(n.function_count, 0) AS function_count, n.key,
    p.byte_offset
FROM placed AS p
LEFT JOIN names AS n
    ON n.bundle = p.bundle AND n.session_id = p.session_id AND n.executable_id = p.executable_id
WHERE ($id IS NULL OR p.executable_id = $id) AND ($filter = '*' OR n.key IS NOT NULL)
ORDER BY p.bundle, p.executable_id, p.code_object_id, p.byte_offset, p.load_offset
