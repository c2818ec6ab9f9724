//! Problems of the open files: skipped and salvaged records, and data that the producer lost.

use crate::fields::{derived};
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `problems`.
pub static TABLE: Table = Table {
    name: "problems",
    row: "One thing that is wrong with an open file.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("severity", Kind::Text, "`error` where data is missing from the tables, `warning` where the producer lost data, `info` otherwise."),
        derived("byte_offset", Kind::U64, "Where in the (uncompressed) file; NULL where it is the whole file.").unit(Unit::Bytes),
        derived("record_index", Kind::U64, "File record; NULL where it is the whole file.").joins("records.record_index"),
        derived("kind", Kind::Text, "Short name of what is wrong."),
        derived("problem", Kind::Text, "What is wrong, and what was done about it."),
    ],
};
