//! Problems of the open files: skipped and salvaged records, and data that the producer lost.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `problems`.
pub static TABLE: Table = Table {
    name: "problems",
    row: "One problem of an open file.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("severity", Kind::Text, "`error` if data is missing from the tables, `warning` if the producer lost data, otherwise `info`."),
        derived("byte_offset", Kind::U64, "Byte offset in the (uncompressed) file; NULL if the problem concerns the entire file.").unit(Unit::Bytes),
        derived("record_index", Kind::U64, "Index of the file record; NULL if the problem concerns the entire file.").joins("records.record_index"),
        derived("kind", Kind::Text, "Identifier of the kind of problem."),
        derived("problem", Kind::Text, "Description of the problem and of how it was handled."),
    ],
};
