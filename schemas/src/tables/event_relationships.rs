//! Relationships between events that the producer recorded.

use crate::fields::{device, named, queue, stream, u64};
use crate::enums;
use crate::spec::{Family, Table};

/// The declaration of the table `event_relationships`.
pub static TABLE: Table = Table::family(
    "event_relationships",
    Family::fixed(&["event-relationships"], 72),
    "A relationship from one event or entity to another.",
    &[
        named("type", 4, &enums::EVENT_RELATIONSHIP_TYPE, "Type of the relationship."),
        u64("relationship_id", 8, "Unique among relationships."),
        named("source_type", 16, &enums::EVENT_ENDPOINT_TYPE, "Type of the source, which determines the meaning of its ids."),
        named("target_type", 20, &enums::EVENT_ENDPOINT_TYPE, "Type of the target, which determines the meaning of its ids."),
        device(24),
        queue(28),
        stream(32),
        u64("source_id", 40, "Id of the source."),
        u64("source_secondary_id", 48, "Second id of the source, such as the command index of a command operation."),
        u64("target_id", 56, "Id of the target."),
        u64("target_secondary_id", 64, "Second id of the target."),
    ],
);
