//! Loads of code objects onto physical devices.

use crate::fields::{bytes, device, executable, i64, u64};
use crate::spec::{Family, Table, Unit};

/// The declaration of the table `executable_code_object_loads`.
pub static TABLE: Table = Table::family(
    "executable_code_object_loads",
    Family::fixed(&["executable-code-object-loads"], 40),
    "One load of a code object onto a physical device.",
    &[
        device(4),
        executable(8),
        u64("code_object_id", 16, "Id of the code object within the executable.").joins("executable_code_objects.code_object_id"),
        i64("load_delta", 24, "Difference between the loaded address and the address in the image.").unit(Unit::Bytes),
        bytes("load_size", 32, "Size of the loaded range."),
    ],
);
