//! Recorded command buffers.

use crate::fields::{command_buffer, device, flags, u64};
use crate::spec::{Family, Table};

/// The declaration of the table `command_buffers`.
pub static TABLE: Table = Table::family(
    "command_buffers",
    Family::fixed(&["command-buffers"], 48),
    "One command buffer.",
    &[
        flags(4, &[]),
        command_buffer(8),
        u64("mode", 16, "Bit set of the HAL's command-buffer modes."),
        u64("command_categories", 24, "Bit set of the command categories that the buffer may contain."),
        u64("queue_affinity", 32, "Bit set of the queues that the buffer may run on."),
        device(40),
    ],
);
