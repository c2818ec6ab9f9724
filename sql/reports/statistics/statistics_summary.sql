-- Number of rows of statistics.
--
-- @column bundle: Label of the file.
-- @column row_count: Number of rows of statistics.
-- @column dropped_record_count: Number of records that the producer dropped.
SELECT bundle, row_count, dropped_record_count
FROM statistics_totals()
