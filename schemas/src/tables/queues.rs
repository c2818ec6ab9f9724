//! Queues of the physical devices.

use crate::fields::{device, queue, stream};
use crate::spec::{Family, Table};

/// The declaration of the table `queues`.
pub static TABLE: Table = Table::family(
    "queues",
    Family::fixed(&["queues"], 24),
    "One queue of a physical device.",
    &[
        device(4),
        queue(8),
        stream(16),
    ],
);
