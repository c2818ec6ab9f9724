-- One kind of thing that the decoder found to be wrong with a trace.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column info: Kind: `data_lost`, `stitch_incomplete` or `wave_incomplete`; NULL for others.
-- @column count: How often it was found.
-- @column message: What the decoder says of it, else the number of the kind.
-- @column byte_offset [bytes]: Byte offset of the trace in the file.
-- @print byte_offset: hidden
SELECT
    bundle, trace_id, info, count(*) AS count, coalesce(nullif(max(message), ''), concat('kind ', info_value)) AS message,
    byte_offset
FROM att_info
GROUP BY bundle, byte_offset, trace_id, info, info_value
ORDER BY bundle, byte_offset, info_value
