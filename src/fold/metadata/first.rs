//! What events refer to, as relations: the first definition of each, in order of appearance.

use std::collections::HashMap;

use arrow::datatypes::DataType::{Boolean, UInt32, UInt64, Utf8View};
use schemas::enums::COMMAND_OPERATION_TYPE;

use crate::bundle::{BundleError, Fault};
use crate::fold::metadata::records::{ABSENT, Metadata, Operation};
use crate::fold::pass::{Call, Columns, Fold, Output, Parameter};
use crate::fold::shared::arrays::{
    flags, numbers, optional_numbers, optional_texts, positions, texts, words,
};

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

static OPERATION_OUTPUTS: &[Output] = &[
    Output {
        name: "command_operation_keys",
        doc: "The operations of all command buffers, or of that with the id, with the name that reports print (the function of a dispatch, or the operation's type), and whether none after it has its place in the command buffer.",
        arguments: &[Parameter::Id],
        columns: &[
            ("position", UInt64),
            ("key", Utf8View),
            ("is_last", Boolean),
            ("byte_offset", UInt64),
        ],
    },
    Output {
        name: "command_buffer_contents",
        doc: "Each command buffer, or that with the id, as its first record has it, and what was recorded into it: its operations, the dispatches among them, and what an execution of it is called in a timeline (NULL where there is nothing).",
        arguments: &[Parameter::Id],
        columns: &[
            ("command_buffer_id", UInt64),
            ("flags", UInt32),
            ("command_categories", UInt64),
            ("operation_count", UInt64),
            ("dispatch_count", UInt64),
            ("label", Utf8View),
        ],
    },
];

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
            texts(keys),
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

/// What was recorded into one command buffer.
#[derive(Default)]
struct Contents {
    operations: u64,
    dispatches: u64,
    /// The name of the first of these.
    key: Option<String>,
}

fn operations(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let metadata = call.metadata;
    let wanted = call.id().map(|id| metadata.command_buffer(id));
    let is_wanted = |buffer: usize| wanted.is_none_or(|wanted| wanted == Some(buffer));
    let (mut at, mut keys, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
    let mut last: HashMap<(usize, u64), usize> = HashMap::new();
    let mut contents: Vec<Contents> = Vec::new();
    contents.resize_with(metadata.command_buffers.len(), Contents::default);
    for (position, operation) in metadata.operations.iter().enumerate() {
        if !is_wanted(operation.command_buffer) {
            continue;
        }
        let key = key(metadata, operation).map_err(|fault| call.bundle.damaged(fault))?;
        if let Some(contents) = contents.get_mut(operation.command_buffer) {
            contents.add(operation, &key);
        }
        last.insert((operation.command_buffer, operation.command_index), keys.len());
        keys.push(key);
        at.push(position as u64);
        offsets.push(operation.byte_offset);
    }
    let mut is_last = vec![false; keys.len()];
    for nth in last.into_values() {
        if let Some(is_last) = is_last.get_mut(nth) {
            *is_last = true;
        }
    }
    let buffers = || {
        let all = metadata.command_buffers.iter().zip(&contents).enumerate();
        all.filter(|(position, _)| is_wanted(*position)).map(|(_, buffer)| buffer)
    };
    Ok(vec![
        vec![
            numbers(at.into_iter()),
            texts(keys.iter()),
            flags(is_last.into_iter()),
            numbers(offsets.into_iter()),
        ],
        vec![
            numbers(buffers().map(|(buffer, _)| buffer.id)),
            words(buffers().map(|(buffer, _)| u32::try_from(buffer.flags).ok())),
            numbers(buffers().map(|(buffer, _)| buffer.command_categories)),
            optional_numbers(buffers().map(|(_, contents)| contents.counted(contents.operations))),
            optional_numbers(buffers().map(|(_, contents)| contents.counted(contents.dispatches))),
            optional_texts(buffers().map(|(buffer, contents)| contents.label(buffer.id))),
        ],
    ])
}

impl Contents {
    /// A number of it, where there is anything.
    fn counted(&self, number: u64) -> Option<u64> {
        (self.operations > 0).then_some(number)
    }

    /// What an execution is called, as the reference has it: the only dispatch, or how much it is.
    fn label(&self, command_buffer_id: u64) -> Option<String> {
        let Self { operations, dispatches, key } = self;
        let what = match (operations, dispatches, key) {
            (0, ..) => return None,
            (_, 1, Some(key)) => format!(": {key}"),
            _ => format!(" ({operations} ops, {dispatches} dispatches)"),
        };
        Some(format!("execute cb#{command_buffer_id}{what}"))
    }

    fn add(&mut self, operation: &Operation, key: &str) {
        self.operations += 1;
        if operation.kind == DISPATCH {
            self.dispatches += 1;
            self.key.get_or_insert_with(|| key.to_owned());
        }
    }
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
