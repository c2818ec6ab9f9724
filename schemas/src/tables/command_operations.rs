//! Operations recorded into command buffers.

use crate::fields::{bytes, command_buffer, command_index, executable, flags, function, named, ordinal, u32, xyz};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Table};

/// The declaration of the table `command_operations`.
pub static TABLE: Table = Table::family(
    "command_operations",
    Family::fixed(&["command-operations"], 120),
    "One operation recorded into a command buffer.",
    &[
        named("type", 4, &enums::COMMAND_OPERATION_TYPE, "Type of the operation."),
        flags(8, bits::COMMAND_OPERATION),
        command_index(12),
        command_buffer(16),
        ordinal("block_ordinal", 24, "Block of the operation."),
        ordinal("block_command_ordinal", 28, "Index within the block."),
        executable(32),
        function(40),
        u32("binding_count", 44, "Number of buffer bindings of the dispatch."),
        xyz("workgroup_count", 48, "Number of workgroups of the dispatch."),
        xyz("workgroup_size", 60, "Size of a workgroup."),
        bytes("source_offset", 72, "Offset into the source buffer of a copy or update."),
        bytes("target_offset", 80, "Offset into the target buffer."),
        bytes("length", 88, "Number of bytes that the operation transfers or fills."),
        ordinal("source_ordinal", 96, "Binding-table slot of the source buffer."),
        ordinal("target_ordinal", 100, "Binding-table slot of the target buffer."),
        ordinal("target_block_ordinal", 104, "Target block of a branch."),
        ordinal("alternate_block_ordinal", 108, "Target block of a conditional branch if its condition is false."),
    ],
);
