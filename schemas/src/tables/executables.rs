//! Executables that the session loaded.

use crate::fields::{executable, flags, hash, u32};
use crate::flags as bits;
use crate::spec::{Family, Table};

/// The declaration of the table `executables`.
pub static TABLE: Table = Table::family(
    "executables",
    Family::fixed(&["executables"], 40),
    "One executable; every reload by a replay adds a row.",
    &[
        flags(4, bits::EXECUTABLE),
        executable(8),
        u32("function_count", 16, "Number of functions that the executable exports."),
        hash("code_object_hash", 24, 0, "Content hash of the code object, comparable across captures; NULL if absent."),
    ],
);
