-- How many invocations `ireescope top` leaves out as warm-up.
--
-- @column invocation_count: Number of invocations.
-- @column left_out_count: Number of invocations that are left out.
SELECT
    count(*) AS invocation_count,
    count(*) FILTER (WHERE CASE
        WHEN $warmup < 0 THEN is_warmup
        WHEN $warmup = 0 THEN FALSE
        ELSE invocation <= $warmup
    END) AS left_out_count
FROM invocations
