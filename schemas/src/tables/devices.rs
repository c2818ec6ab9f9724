//! Physical devices behind the session's device.

use crate::fields::{device, flags, u32};
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table};

/// The declaration of the table `devices`.
pub static TABLE: Table = Table::family(
    "devices",
    Family::fixed(&["devices"], 32),
    "One physical device of the session.",
    &[
        flags(4, bits::DEVICE),
        device(8),
        u32("queue_count", 12, "Number of queues of the device."),
        Field::one("physical_device_uuid", Read::Record(16), Kind::Uuid { flags: 4, bit: 0 }, "The device's UUID; NULL if the driver reported none."),
    ],
);
