//! Code-object images, for disassembly and trace decoding.

use crate::fields::{bytes, executable, flags, hash, u64};
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table, Tail, Unit};

/// The declaration of the table `executable_code_objects`.
pub static TABLE: Table = Table::family(
    "executable_code_objects",
    Family::fixed(&["executable-code-objects"], 48).with(Tail::Data(24)),
    "One code-object image of an executable.",
    &[
        flags(4, bits::EXECUTABLE_CODE_OBJECT),
        executable(8),
        u64("code_object_id", 16, "Id of the code object within the executable."),
        bytes("data_length", 24, "Size of the image."),
        hash("code_object_hash", 32, 0, "Content hash of the image; NULL if absent."),
        Field::one("data", Read::Data, Kind::Binary, "The image itself.").unit(Unit::Bytes),
    ],
);
