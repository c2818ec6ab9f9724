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
-- @column region_index: Region within the block; negative for none.
-- @column next_region_index: The next region; negative for none.
-- @column flags: Flags as recorded.
-- @column host_time_domain: The clock of the times: `iree_host_time_ns`.
-- @column start_host_time_ns [ns]: Host time at the start.
-- @column end_host_time_ns [ns]: Host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the times are invalid or cannot be converted.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column region_dispatch_count: Dispatches of the region.
-- @column region_tile_count: Tiles of the region.
-- @column region_width_bucket: Width class of the region.
-- @column region_lookahead_width_bucket: Width class of the region and what follows it.
-- @column next_region_tile_count: Tiles of the next region.
-- @column next_region_width_bucket: Width class of the next region.
-- @column next_region_lookahead_width_bucket: Width class of the next region and what follows it.
-- @column worker_count: Workers of the executor.
-- @column old_wake_budget: Workers that could be woken before the region.
-- @column new_wake_budget: Workers that can be woken after it.
-- @column wake_delta: Change of the wake budget.
-- @column useful_drain_count: Worker drains that ran at least a tile.
-- @column no_work_drain_count: Worker drains that found nothing to run.
-- @column first_useful_drain_start_host_time_ns [ns]: Host time at the start of the first useful drain.
-- @column last_useful_drain_end_host_time_ns [ns]: Host time at the end of the last useful drain.
-- @column tail_no_work: Drains that found nothing after the last tile was claimed: how many, by the tiles still running, and when.
-- @column retention_keep_active_count: Workers kept active for the next region.
-- @column retention_publish_keep_active_count: Workers kept active while publishing.
-- @column retention_keep_warm_count: Workers kept warm.
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
