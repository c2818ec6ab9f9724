//! Scheduling of the regions of a command buffer by the task executor.

use crate::fields::{command_buffer, device, each, flags, i32, ns, queue, stream, submission, u32, u64};
use crate::flags as bits;
use crate::spec::{Family, Table};

/// The declaration of the table `command_region_events`.
pub static TABLE: Table = Table::family(
    "command_region_events",
    Family::fixed(&["command-region-events"], 248),
    "One region (between barriers) of a command buffer, as the task executor scheduled it.",
    &[
        flags(4, bits::COMMAND_REGION_EVENT),
        u64("event_id", 8, "Unique among command region events."),
        submission(16),
        command_buffer(24),
        stream(32),
        device(40),
        queue(44),
        u32("block_sequence", 48, "Block execution within the replay."),
        u32("epoch", 52, "Scheduling epoch of the region."),
        i32("command_region_index", 56, "Index of the region within the block; negative if there is none."),
        u32("dispatch_count", 60, "Number of dispatches of the region."),
        u32("command_region_tile_count", 64, "Number of tiles of the region."),
        u32("command_region_width_bucket", 68, "Width class of the region."),
        u32("command_region_lookahead_width_bucket", 72, "Width class of the region and the regions after it."),
        u32("useful_drain_count", 76, "Number of worker drains that ran at least one tile."),
        u32("no_work_drain_count", 80, "Number of worker drains that found nothing to run."),
        u32("tail_no_work_count", 88, "Number of empty drains after the last tile was claimed."),
        u32("tail_no_work_remaining_tiles_min", 92, "Minimum number of tiles still running at such a drain."),
        u32("tail_no_work_remaining_tiles_max", 96, "Maximum number of tiles still running at such a drain."),
        each("tail_no_work_remaining_tiles_bucket_counts", 100, &["0", "1", "2", "3_4", "5_8", "9_16", "17_32", "33_up"], "Number of such drains by the number of tiles still running."),
        ns("tail_no_work_first_start_host_time_ns", 136, "Host time at the start of the first such drain."),
        ns("tail_no_work_last_end_host_time_ns", 144, "Host time at the end of the last such drain."),
        ns("tail_no_work_start_offset_sum_ns", 152, "Sum of the start times of such drains, relative to the start of the region."),
        ns("tail_no_work_drain_duration_sum_ns", 160, "Total duration of such drains."),
        ns("first_useful_drain_start_host_time_ns", 168, "Host time at the start of the first useful drain."),
        ns("last_useful_drain_end_host_time_ns", 176, "Host time at the end of the last useful drain."),
        ns("start_host_time_ns", 184, "Host time at the start of the region."),
        ns("end_host_time_ns", 192, "Host time at the end of the region."),
        i32("next_command_region_index", 200, "Index of the next region; negative if there is none."),
        u32("next_command_region_tile_count", 204, "Number of tiles of the next region."),
        u32("next_command_region_width_bucket", 208, "Width class of the next region."),
        u32("next_command_region_lookahead_width_bucket", 212, "Width class of the next region and the regions after it."),
        u32("worker_count", 216, "Number of workers of the executor."),
        i32("old_wake_budget", 220, "Number of workers that could be woken before the region."),
        i32("new_wake_budget", 224, "Number of workers that can be woken after the region."),
        i32("wake_delta", 228, "Change of the wake budget."),
        u32("keep_active_count", 232, "Number of workers kept active for the next region."),
        u32("publish_keep_active_count", 236, "Number of workers kept active while publishing."),
        u32("keep_warm_count", 240, "Number of workers kept warm."),
    ],
);
