//! The open bundle files.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `bundles`.
pub static TABLE: Table = Table {
    name: "bundles",
    row: "One open file.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("path", Kind::Text, "Path as given."),
        derived("file_bytes", Kind::U64, "Size on disk.").unit(Unit::Bytes),
        derived("bundle_bytes", Kind::U64, "Logical length of the (uncompressed) bundle.").unit(Unit::Bytes),
        derived("compressed", Kind::Bool, "The file is gzip-compressed."),
        derived("version_major", Kind::U16, "Major version of the format."),
        derived("version_minor", Kind::U16, "Minor version of the format."),
        derived("header_bytes", Kind::U64, "Size of the file header.").unit(Unit::Bytes),
        derived("finished", Kind::Bool, "The capture finished and the file is complete."),
        derived("session_count", Kind::U64, "Sessions."),
        derived("record_count", Kind::U64, "Number of file records."),
        derived("chunk_count", Kind::U64, "Chunks."),
        derived("unknown_record_count", Kind::U64, "Number of records of unknown type."),
        derived("unknown_chunk_count", Kind::U64, "Number of chunks of unknown content type."),
        derived("truncated_chunk_count", Kind::U64, "Number of chunks that the producer marked as truncated."),
        derived("dropped_record_count", Kind::U64, "Number of typed records that the producer dropped."),
        derived("problem_count", Kind::U64, "Number of rows of `problems`."),
    ],
};
