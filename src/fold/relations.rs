//! What events refer to, as relations: the first definition of each, in order of appearance.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewArray, UInt64Array};
use arrow::datatypes::DataType::{UInt64, Utf8View};
use schemas::enums::COMMAND_OPERATION_TYPE;

use super::metadata::{ABSENT, Operation};
use super::{Call, Columns, Fold, Metadata, Output, Parameter};
use crate::bundle::{BundleError, Fault};

/// Executables, functions, command buffers and queues.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

/// Operations of command buffers, which are resolved only where they are asked for.
pub static OPERATIONS: Fold = Fold::of(OPERATION_OUTPUTS, operations);

static OUTPUTS: &[Output] = &[
    Output {
        name: "first_executables",
        doc: "The first record of each executable.",
        arguments: &[],
        columns: &[("position", UInt64), ("executable_id", UInt64), ("byte_offset", UInt64)],
    },
    Output {
        name: "first_functions",
        doc: "The first record of each function, with the name that reports print.",
        arguments: &[],
        columns: &[
            ("position", UInt64),
            ("executable_position", UInt64),
            ("executable_id", UInt64),
            ("function_ordinal", UInt64),
            ("key", Utf8View),
            ("byte_offset", UInt64),
        ],
    },
    Output {
        name: "first_command_buffers",
        doc: "The first record of each command buffer.",
        arguments: &[],
        columns: &[("position", UInt64), ("command_buffer_id", UInt64), ("byte_offset", UInt64)],
    },
    Output {
        name: "first_queues",
        doc: "The first record of each queue.",
        arguments: &[],
        columns: &[("position", UInt64), ("byte_offset", UInt64)],
    },
];

static OPERATION_OUTPUTS: &[Output] = &[Output {
    name: "command_operation_keys",
    doc: "The operations of all command buffers, or of that with the id, with the name that reports print: the function of a dispatch, or the operation's type.",
    arguments: &[Parameter::Id],
    columns: &[("position", UInt64), ("key", Utf8View), ("byte_offset", UInt64)],
}];

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(values.collect::<UInt64Array>())
}

fn positions(count: usize) -> ArrayRef {
    numbers(0..count as u64)
}

#[expect(clippy::unnecessary_wraps, reason = "what a fold is")]
fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let metadata = call.metadata;
    let keys = metadata.functions.iter().map(|function| metadata.key(ABSENT, function));
    Ok(vec![
        vec![
            positions(metadata.executables.len()),
            numbers(metadata.executables.iter().map(|executable| executable.executable_id)),
            numbers(metadata.executables.iter().map(|executable| executable.byte_offset)),
        ],
        vec![
            positions(metadata.functions.len()),
            numbers(metadata.functions.iter().map(|function| function.executable as u64)),
            numbers(metadata.functions.iter().map(|function| function.executable_id)),
            numbers(metadata.functions.iter().map(|function| function.ordinal)),
            Arc::new(StringViewArray::from_iter_values(keys)),
            numbers(metadata.functions.iter().map(|function| function.byte_offset)),
        ],
        vec![
            positions(metadata.command_buffers.len()),
            numbers(metadata.command_buffers.iter().map(|buffer| buffer.id)),
            numbers(metadata.command_buffers.iter().map(|buffer| buffer.byte_offset)),
        ],
        vec![
            positions(metadata.queues.len()),
            numbers(metadata.queues.iter().map(|queue| queue.byte_offset)),
        ],
    ])
}

fn operations(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let metadata = call.metadata;
    let wanted = call.id().map(|id| metadata.command_buffer(id));
    let (mut at, mut keys, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
    for (position, operation) in metadata.operations.iter().enumerate() {
        if wanted.is_some_and(|wanted| wanted != Some(operation.command_buffer)) {
            continue;
        }
        keys.push(key(metadata, operation).map_err(|fault| call.bundle.damaged(fault))?);
        at.push(position as u64);
        offsets.push(operation.byte_offset);
    }
    Ok(vec![vec![
        Arc::new(UInt64Array::from(at)),
        Arc::new(StringViewArray::from_iter_values(keys)),
        Arc::new(UInt64Array::from(offsets)),
    ]])
}

/// The type of operations that dispatch a function.
const DISPATCH: u64 = 2;

fn key(metadata: &Metadata, operation: &Operation) -> Result<String, Fault> {
    let Operation { kind, executable_id, function_ordinal, byte_offset, .. } = *operation;
    if kind != DISPATCH || executable_id == 0 || function_ordinal == ABSENT {
        // An operation of no type is one of an unknown type to the reference.
        let named = u32::try_from(kind).ok().filter(|kind| *kind != 0);
        let name = named.map_or("unknown", |kind| COMMAND_OPERATION_TYPE.name_of(kind));
        return Ok(name.to_owned());
    }
    if !metadata.has_executable(executable_id) {
        let what = format!("executable {executable_id} is not described anywhere");
        return Err(Fault::new(byte_offset, "executable_id", what));
    }
    let function = metadata.function(executable_id, function_ordinal);
    let device = metadata.command_buffers.get(operation.command_buffer);
    if let (Some(function), Some(buffer)) =
        (function.and_then(|function| metadata.functions.get(function)), device)
    {
        Ok(metadata.key(buffer.physical_device_ordinal, function))
    } else {
        let what = format!(
            "function {function_ordinal} of executable {executable_id} is not described anywhere"
        );
        Err(Fault::new(byte_offset, "function_ordinal", what))
    }
}
