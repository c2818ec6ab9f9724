-- One region of a command buffer, as the task executor scheduled it.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column block_sequence: Block execution within the replay.
-- @column region_epoch: Scheduling epoch of the region.
-- @column region_index: Index of the region within the block; negative for none.
-- @column next_region_index: Index of the next region; negative for none.
-- @column flags: Recorded flags.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column start_host_time_ns [ns]: Host time at the start.
-- @column end_host_time_ns [ns]: Host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the times are invalid or cannot be converted.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column region_dispatch_count: Number of dispatches of the region.
-- @column region_tile_count: Number of tiles of the region.
-- @column region_width_bucket: Width class of the region.
-- @column region_lookahead_width_bucket: Width class of the region and the regions after it.
-- @column next_region_tile_count: Number of tiles of the next region.
-- @column next_region_width_bucket: Width class of the next region.
-- @column next_region_lookahead_width_bucket: Width class of the next region and the regions after it.
-- @column worker_count: Number of workers of the executor.
-- @column old_wake_budget: Number of workers that could be woken before the region.
-- @column new_wake_budget: Number of workers that can be woken after the region.
-- @column wake_delta: Change of the wake budget.
-- @column useful_drain_count: Number of worker drains that ran at least one tile.
-- @column no_work_drain_count: Number of worker drains that found nothing to run.
-- @column first_useful_drain_start_host_time_ns [ns]: Host time at the start of the first useful drain.
-- @column last_useful_drain_end_host_time_ns [ns]: Host time at the end of the last useful drain.
-- @column tail_no_work: Empty drains after the last tile was claimed: their number, by the number of tiles still
--   running, and their times.
-- @column retention_keep_active_count: Number of workers kept active for the next region.
-- @column retention_publish_keep_active_count: Number of workers kept active while publishing.
-- @column retention_keep_warm_count: Number of workers kept warm.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH raw AS (
    SELECT *, start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns AS valid FROM command_region_events
)
SELECT
    bundle, record_index AS source_record_index, or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id, event_id, or_zero(submission_id) AS submission_id,
    or_zero(command_buffer_id) AS command_buffer_id, block_sequence, epoch AS region_epoch,
    command_region_index AS region_index, next_command_region_index AS next_region_index, flags,
    'iree_host_time_ns' AS host_time_domain, start_host_time_ns, end_host_time_ns,
    or_zero(CASE WHEN valid THEN end_host_time_ns - start_host_time_ns END) AS duration_ns, valid,
    dispatch_count AS region_dispatch_count, command_region_tile_count AS region_tile_count,
    command_region_width_bucket AS region_width_bucket,
    command_region_lookahead_width_bucket AS region_lookahead_width_bucket,
    next_command_region_tile_count AS next_region_tile_count,
    next_command_region_width_bucket AS next_region_width_bucket,
    next_command_region_lookahead_width_bucket AS next_region_lookahead_width_bucket, worker_count, old_wake_budget,
    new_wake_budget, wake_delta, useful_drain_count, no_work_drain_count, first_useful_drain_start_host_time_ns,
    last_useful_drain_end_host_time_ns,
    named_struct(
        'count', tail_no_work_count,
        'remaining_tiles', named_struct(
            'min', tail_no_work_remaining_tiles_min, 'max', tail_no_work_remaining_tiles_max,
            'bucket_counts', make_array(
                tail_no_work_remaining_tiles_bucket_counts_0, tail_no_work_remaining_tiles_bucket_counts_1,
                tail_no_work_remaining_tiles_bucket_counts_2, tail_no_work_remaining_tiles_bucket_counts_3_4,
                tail_no_work_remaining_tiles_bucket_counts_5_8, tail_no_work_remaining_tiles_bucket_counts_9_16,
                tail_no_work_remaining_tiles_bucket_counts_17_32, tail_no_work_remaining_tiles_bucket_counts_33_up)),
        'first_start_host_time_ns', tail_no_work_first_start_host_time_ns,
        'last_end_host_time_ns', tail_no_work_last_end_host_time_ns,
        'time_sums', named_struct(
            'start_offset_ns', tail_no_work_start_offset_sum_ns,
            'drain_duration_ns', tail_no_work_drain_duration_sum_ns)) AS tail_no_work,
    keep_active_count AS retention_keep_active_count, publish_keep_active_count AS retention_publish_keep_active_count,
    keep_warm_count AS retention_keep_warm_count, byte_offset
FROM raw
ORDER BY byte_offset
