//! Profiling sessions.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `sessions`.
pub static TABLE: Table = Table {
    name: "sessions",
    row: "One profiling session of a file.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("session_id", Kind::U64, "Id of the session; all other ids are local to the session."),
        derived("name", Kind::Text, "Name of the session: that of the device."),
        derived("ended", Kind::Bool, "The session has an end record."),
        derived("status_code", Kind::U32, "Final status code; NULL if there is no end record."),
        derived("status", Kind::Text, "Name of `status_code`."),
        derived("chunk_count", Kind::U64, "Chunks."),
        derived("truncated_chunk_count", Kind::U64, "Number of chunks that the producer marked as truncated."),
        derived("dropped_record_count", Kind::U64, "Number of typed records that the producer dropped."),
        derived("begin_record_index", Kind::U64, "Record that began the session; NULL if there is none.").joins("records.record_index"),
        derived("end_record_index", Kind::U64, "Record that ended the session; NULL if there is none.").joins("records.record_index"),
    ],
};
