//! Functions (exports) of the executables.

use crate::fields::{executable, flags, hash, ordinal, text, u32, xyz};
use crate::flags as bits;
use crate::spec::{Family, Table, Tail};

/// The declaration of the table `executable_functions`.
pub static TABLE: Table = Table::family(
    "executable_functions",
    Family::fixed(&["executable-functions", "executable-exports"], 64).with(Tail::Texts(&[44])),
    "One function of an executable.",
    &[
        flags(4, bits::EXECUTABLE_FUNCTION),
        executable(8),
        ordinal("function_ordinal", 16, "Ordinal of the function within the executable."),
        u32("constant_count", 20, "Number of 32-bit constants that a dispatch passes."),
        u32("binding_count", 24, "Number of buffer bindings that a dispatch passes."),
        u32("parameter_count", 28, "Number of parameters of the function's signature."),
        xyz("workgroup_size", 32, "Static workgroup size; 0 if unknown."),
        hash("function_hash", 48, 0, "Content hash of the function, comparable across captures; NULL if absent."),
        text("name", 0, "Name of the function, given by the compiler."),
    ],
);
