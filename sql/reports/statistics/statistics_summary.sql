-- How many rows of statistics there are.
--
-- @column bundle: Label of the file.
-- @column row_count: Rows of statistics.
-- @column dropped_record_count: Records that producers dropped, of all chunks.
SELECT bundle, row_count, dropped_record_count
FROM statistics_totals()
