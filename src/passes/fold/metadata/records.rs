//! Reads the objects that events refer to: executables, functions, command buffers, queues, metrics and clocks.
//!
//! As in `iree-profile`, lookups ignore the session, and the first definition of an id counts. Definitions that
//! `iree-profile` refuses are refused here, with their offset in the file.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError, Fault};
use schemas::place::Places;

use crate::fold::clocks::{CLOCK_CORRELATIONS, Clock, DeviceClocks, Fit, Line, add_correlation};
use crate::fold::metadata::metrics::{DESCRIPTOR, Metrics};
use crate::fold::shared::{ABSENT, Block, Grouped, HeapBytes, Row, blocks};

/// An executable.
#[derive(Debug)]
pub struct Executable {
    pub executable_id: u64,
    pub byte_offset: u64,
}

/// A function of an executable.
#[derive(Debug)]
pub struct Function {
    /// Index into [`Metadata::executables`].
    pub executable: usize,
    pub executable_id: u64,
    pub ordinal: u64,
    pub name: String,
    pub byte_offset: u64,
}

/// A command buffer.
#[derive(Debug)]
pub struct CommandBuffer {
    pub id: u64,
    pub physical_device_ordinal: u64,
    pub flags: u64,
    pub command_categories: u64,
    pub byte_offset: u64,
}

/// An operation of a command buffer.
#[derive(Debug)]
pub struct Operation {
    /// Index into [`Metadata::command_buffers`].
    pub command_buffer: usize,
    pub kind: u64,
    pub command_index: u64,
    pub executable_id: u64,
    pub function_ordinal: u64,
    pub byte_offset: u64,
}

/// A queue.
#[derive(Debug)]
pub struct Queue {
    pub byte_offset: u64,
}

/// The objects that events refer to, in order of first appearance.
#[derive(Debug, Default)]
pub struct Metadata {
    pub executables: Grouped<1, Executable>,
    pub functions: Grouped<2, Function>,
    pub command_buffers: Grouped<1, CommandBuffer>,
    pub operations: Vec<Operation>,
    /// By device, ordinal and stream.
    pub queues: Grouped<3, Queue>,
    pub metrics: Metrics,
    clocks: DeviceClocks,
}

const QUEUES: usize = 0;
const EXECUTABLES: usize = 1;
const FUNCTIONS: usize = 2;
const COMMAND_BUFFERS: usize = 3;
const OPERATIONS: usize = 4;
const METRIC_SOURCES: usize = 5;
const METRICS: usize = 6;

/// The tables that are read; the constants above are indices. Nothing is kept of metric sources: they are only
/// checked, because `iree-profile` refuses a file in which they are damaged.
const TABLES: [&str; 8] = [
    QUEUE.table,
    EXECUTABLE.table,
    FUNCTION.table,
    COMMAND_BUFFER.table,
    OPERATION.table,
    "device_metric_sources",
    DESCRIPTOR.table,
    CLOCK_CORRELATIONS,
];

const QUEUE: Places<3> =
    Places::new("queues", ["physical_device_ordinal", "queue_ordinal", "stream_id"]);
const EXECUTABLE: Places<1> = Places::new("executables", ["executable_id"]);
const FUNCTION: Places<2> =
    Places::new("executable_functions", ["executable_id", "function_ordinal"]);
const COMMAND_BUFFER: Places<4> = Places::new(
    "command_buffers",
    ["command_buffer_id", "physical_device_ordinal", "flags", "command_categories"],
);
const OPERATION: Places<6> = Places::new(
    "command_operations",
    ["command_buffer_id", "type", "command_index", "executable_id", "function_ordinal", "flags"],
);

/// The block and position of an operation within its command buffer, and the blocks that it branches to.
const BLOCKS: Places<4> = Places::new(
    OPERATION.table,
    ["block_ordinal", "block_command_ordinal", "target_block_ordinal", "alternate_block_ordinal"],
);

const HAS_BLOCKS: u64 = 1 << 6;

impl HeapBytes for Metadata {}

impl Metadata {
    /// Reads the metadata of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut metadata = Self::default();
        blocks(bundle, &TABLES, |block| block.rows().try_for_each(|row| metadata.add(block, row)))?;
        Ok(metadata)
    }

    fn add(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        let byte_offset = row.byte_offset;
        match block.table {
            QUEUES => self.queues.define(row.numbers(&QUEUE), || Queue { byte_offset }),
            EXECUTABLES => {
                let [executable_id] = row.numbers(&EXECUTABLE);
                self.executables
                    .define([executable_id], || Executable { executable_id, byte_offset });
            }
            FUNCTIONS => self.add_function(block, row)?,
            COMMAND_BUFFERS => {
                let [id, physical_device_ordinal, flags, command_categories] =
                    row.numbers(&COMMAND_BUFFER);
                self.command_buffers.define([id], || CommandBuffer {
                    id,
                    physical_device_ordinal,
                    flags,
                    command_categories,
                    byte_offset,
                });
            }
            OPERATIONS => self.add_operation(block, row)?,
            METRIC_SOURCES => {}
            METRICS => self.metrics.add(row),
            _ => add_correlation(&mut self.clocks, |device| device, row),
        }
        Ok(())
    }

    fn add_function(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        let [executable_id, ordinal] = row.numbers(&FUNCTION);
        let Some(executable) = self.executables.index([executable_id]) else {
            let what = format!(
                "function {ordinal} refers to executable {executable_id}, which has no earlier record"
            );
            return Err(block.fault(row, "executable_id", what));
        };
        if !row.texts_fill(1) {
            let what = "the record is longer than its name".to_owned();
            return Err(block.fault(row, "name_length", what));
        }
        self.functions.define([executable_id, ordinal], || Function {
            executable,
            executable_id,
            ordinal,
            name: row.text(0).into_owned(),
            byte_offset: row.byte_offset,
        });
        Ok(())
    }

    fn add_operation(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        let [buffer_id, kind, command_index, executable_id, function_ordinal, flags] =
            row.numbers(&OPERATION);
        let coordinates = row.numbers(&BLOCKS);
        let has_blocks = flags & HAS_BLOCKS != 0;
        if has_blocks && coordinates[..2].contains(&ABSENT) {
            let what =
                "the operation has the flag for a position in a block, but no position".to_owned();
            return Err(block.fault(row, "block_ordinal", what));
        }
        if !has_blocks && coordinates.iter().any(|place| *place != ABSENT) {
            let what =
                "the operation has a position in a block, but not the flag for it".to_owned();
            return Err(block.fault(row, "block_ordinal", what));
        }
        let Some(command_buffer) = self.command_buffers.index([buffer_id]) else {
            let what = format!(
                "operation {command_index} refers to command buffer {buffer_id}, which has no earlier record"
            );
            return Err(block.fault(row, "command_buffer_id", what));
        };
        self.operations.push(Operation {
            command_buffer,
            kind,
            command_index,
            executable_id,
            function_ordinal,
            byte_offset: row.byte_offset,
        });
        Ok(())
    }

    /// Returns the clock of a device; `None` if it has no clock correlation.
    pub fn clock(&self, physical_device_ordinal: u64) -> Option<&Clock> {
        self.clocks.get(&physical_device_ordinal)
    }

    /// Returns the fit of a device's clock to the driver's host clock, by which reports convert device times.
    pub fn fit(&self, physical_device_ordinal: u64) -> Option<Fit> {
        self.clock(physical_device_ordinal)?.driver_fit()
    }

    /// Returns the line that maps the ticks of a device to IREE's host clock in timelines.
    pub fn host_line(&self, physical_device_ordinal: u64) -> Option<Line> {
        self.clock(physical_device_ordinal)?.host_line()
    }

    /// Returns the name of a function as reports print it. A function without a name gets its ids, prefixed with the
    /// device unless that is absent.
    pub fn key(&self, physical_device_ordinal: u64, function: &Function) -> String {
        if !function.name.is_empty() {
            return function.name.clone();
        }
        let Function { executable_id, ordinal: function_ordinal, .. } = function;
        if physical_device_ordinal == ABSENT {
            format!("executable{executable_id}#{function_ordinal}")
        } else {
            format!("device{physical_device_ordinal}/executable{executable_id}#{function_ordinal}")
        }
    }
}
