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
        named("type", 4, &enums::COMMAND_OPERATION_TYPE, "What the operation does."),
        flags(8, &bits::COMMAND_OPERATION),
        command_index(12),
        command_buffer(16),
        ordinal("block_ordinal", 24, "Block that holds the operation."),
        ordinal("block_command_ordinal", 28, "Position within the block."),
        executable(32),
        function(40),
        u32("binding_count", 44, "Buffer bindings of the dispatch."),
        xyz("workgroup_count", 48, "Workgroups of the dispatch."),
        xyz("workgroup_size", 60, "Size of a workgroup."),
        bytes("source_offset", 72, "Offset into the source buffer of a copy or update."),
        bytes("target_offset", 80, "Offset into the target buffer."),
        bytes("length", 88, "Bytes that the operation moves or fills."),
        ordinal("source_ordinal", 96, "Binding-table slot of the source buffer."),
        ordinal("target_ordinal", 100, "Binding-table slot of the target buffer."),
        ordinal("target_block_ordinal", 104, "Block that a branch goes to."),
        ordinal("alternate_block_ordinal", 108, "Block that a conditional branch goes to otherwise."),
    ],
);
