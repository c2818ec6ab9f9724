//! The first definition of each object that events refer to, as relations in order of appearance.

use std::collections::HashMap;

use read::bundle::{BundleError, Fault};
use schemas::enums::COMMAND_OPERATION_TYPE;

use crate::fold::metadata::records::{
    CommandBuffer, Executable, Function, Metadata, Operation, Queue,
};
use crate::fold::pass::{Call, Output, Parameter, Pass};
use crate::fold::shared::{ABSENT, Columns, Relation};

/// The pass for executables, functions, command buffers and queues.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run);

/// The pass for operations of command buffers. It is separate because it fails if an operation names an undefined
/// function.
pub(crate) static OPERATIONS: Pass =
    Pass::of(OPERATION_OUTPUTS, operations).taking(&[Parameter::Id]);

static OUTPUTS: &[Output] = &[
    Output::of("first_executables", "The first record of each executable.", || {
        executable_columns().fields()
    }),
    Output::of(
        "first_functions",
        "The first record of each function, with the name that reports print.",
        || function_columns().fields(),
    ),
    Output::of("first_command_buffers", "The first record of each command buffer.", || {
        command_buffer_columns().fields()
    }),
    Output::of("first_queues", "The first record of each queue.", || queue_columns().fields()),
];

static OPERATION_OUTPUTS: &[Output] = &[
    Output::of(
        "command_operation_keys",
        "The operations of all command buffers, or of the one with the id, with the name that reports print (the function of a dispatch, or the operation type), and a flag that is true if no later operation has the same index.",
        || operation_columns().fields(),
    ),
    Output::of(
        "command_buffer_contents",
        "Each command buffer, or the one with the id, from its first record, with the numbers of its operations and dispatches, and the name of its executions in a timeline (NULL if it is empty).",
        || content_columns().fields(),
    ),
];

#[expect(clippy::unnecessary_wraps, reason = "the signature of a pass")]
fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let metadata = call.metadata;
    let key = |function| (function, metadata.key(ABSENT, function));
    let functions: Vec<(&Function, String)> = metadata.functions.values().iter().map(key).collect();
    Ok(vec![
        executable_columns().relation(metadata.executables.values()),
        function_columns().relation(&functions),
        command_buffer_columns().relation(metadata.command_buffers.values()),
        queue_columns().relation(metadata.queues.values()),
    ])
}

fn executable_columns() -> Columns<Executable> {
    Columns::<Executable>::new()
        .position()
        .number("executable_id", |executable| executable.executable_id)
        .number("byte_offset", |executable| executable.byte_offset)
}

fn function_columns<'a>() -> Columns<(&'a Function, String)> {
    Columns::<(&Function, String)>::new()
        .position()
        .number("executable_position", |(function, _)| function.executable as u64)
        .number("executable_id", |(function, _)| function.executable_id)
        .number("function_ordinal", |(function, _)| function.ordinal)
        .text("key", |(_, key)| key)
        .number("byte_offset", |(function, _)| function.byte_offset)
}

fn command_buffer_columns() -> Columns<CommandBuffer> {
    Columns::<CommandBuffer>::new()
        .position()
        .number("command_buffer_id", |buffer| buffer.id)
        .number("byte_offset", |buffer| buffer.byte_offset)
}

fn queue_columns() -> Columns<Queue> {
    Columns::<Queue>::new().position().number("byte_offset", |queue| queue.byte_offset)
}

/// The operations that were recorded into a command buffer.
#[derive(Default)]
struct Contents {
    operations: u64,
    dispatches: u64,
    /// Name of the first dispatch.
    key: Option<String>,
}

/// An operation with the name that reports print.
struct Named {
    position: u64,
    key: String,
    /// Whether no later operation has the same index in the command buffer.
    is_last: bool,
    byte_offset: u64,
}

fn operations(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let metadata = call.metadata;
    let wanted = call.id().map(|id| metadata.command_buffers.index([id]));
    let is_wanted = |buffer: usize| wanted.is_none_or(|wanted| wanted == Some(buffer));
    let mut named: Vec<Named> = Vec::new();
    let mut last: HashMap<(usize, u64), usize> = HashMap::new();
    let mut contents: Vec<Contents> = Vec::new();
    contents.resize_with(metadata.command_buffers.len(), Contents::default);
    for (position, operation) in (0..).zip(&metadata.operations) {
        if !is_wanted(operation.command_buffer) {
            continue;
        }
        let key = key(metadata, operation).map_err(|fault| call.bundle.damaged(fault))?;
        if let Some(contents) = contents.get_mut(operation.command_buffer) {
            contents.add(operation, &key);
        }
        last.insert((operation.command_buffer, operation.command_index), named.len());
        let byte_offset = operation.byte_offset;
        named.push(Named { position, key, is_last: false, byte_offset });
    }
    for nth in last.into_values() {
        if let Some(operation) = named.get_mut(nth) {
            operation.is_last = true;
        }
    }
    let buffers = metadata.command_buffers.values().iter().zip(&contents).enumerate();
    let buffers = buffers.filter(|(position, _)| is_wanted(*position)).map(|(_, buffer)| buffer);
    let buffers: Vec<(&CommandBuffer, &Contents)> = buffers.collect();
    Ok(vec![operation_columns().relation(&named), content_columns().relation(&buffers)])
}

fn operation_columns() -> Columns<Named> {
    Columns::<Named>::new()
        .number("position", |operation| operation.position)
        .text("key", |operation| &operation.key)
        .flag("is_last", |operation| operation.is_last)
        .number("byte_offset", |operation| operation.byte_offset)
}

fn content_columns<'a>() -> Columns<(&'a CommandBuffer, &'a Contents)> {
    Columns::<(&CommandBuffer, &Contents)>::new()
        .number("command_buffer_id", |(buffer, _)| buffer.id)
        .word("flags", |(buffer, _)| u32::try_from(buffer.flags).ok())
        .number("command_categories", |(buffer, _)| buffer.command_categories)
        .optional_number("operation_count", |(_, contents)| contents.counted(contents.operations))
        .optional_number("dispatch_count", |(_, contents)| contents.counted(contents.dispatches))
        .composed("label", |(buffer, contents)| contents.label(buffer.id))
}

impl Contents {
    /// Returns `number`; `None` if there are no operations.
    fn counted(&self, number: u64) -> Option<u64> {
        (self.operations > 0).then_some(number)
    }

    /// Returns the name of an execution as in `iree-profile-render`: with the only dispatch, or else with the counts.
    /// `None` if there are no operations.
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

/// The type of dispatch operations.
const DISPATCH: u64 = 2;

fn key(metadata: &Metadata, operation: &Operation) -> Result<String, Fault> {
    let Operation { kind, executable_id, function_ordinal, byte_offset, .. } = *operation;
    if kind != DISPATCH || executable_id == 0 || function_ordinal == ABSENT {
        // `iree-profile` prints type 0 (none) as unknown.
        let named = u32::try_from(kind).ok().filter(|kind| *kind != 0);
        let name = named.map_or("unknown", |kind| COMMAND_OPERATION_TYPE.name_of(kind));
        return Ok(name.to_owned());
    }
    if metadata.executables.find([executable_id]).is_none() {
        let what = format!("executable {executable_id} has no metadata");
        return Err(Fault::new(byte_offset, "executable_id", what));
    }
    let function = metadata.functions.find([executable_id, function_ordinal]);
    let buffer = metadata.command_buffers.values().get(operation.command_buffer);
    if let (Some(function), Some(buffer)) = (function, buffer) {
        Ok(metadata.key(buffer.physical_device_ordinal, function))
    } else {
        let what =
            format!("function {function_ordinal} of executable {executable_id} has no metadata");
        Err(Fault::new(byte_offset, "function_ordinal", what))
    }
}
