//! Encodes the rows of dispatches as render stages of a GPU.

use arrow::array::{Array, ArrayRef, AsArray, FixedSizeListArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, UInt32Type};
use prost::Message;

use super::annotations::extra;
use super::columns::{at, column};
use super::gpu_proto::GpuRenderStageEvent;
use super::gpu_proto::gpu_render_stage_event::{ComputeKernelLaunch, Dim3};
use super::wire::{self, stage};
use crate::encoder::EncodeError;

/// The columns for which render stages have fields; all others are extra data.
pub const FIELDS: [&str; 3] = [SUBMISSION, COUNT, SIZE];
const SUBMISSION: &str = "submission_id";
const COUNT: &str = "workgroup_count";
const SIZE: &str = "workgroup_size";

/// The columns of a batch that become fields of render stages.
#[derive(Debug)]
pub struct Stages {
    event: Option<UInt64Array>,
    submission: Option<UInt64Array>,
    command_buffer: Option<UInt64Array>,
    workgroup_count: Option<FixedSizeListArray>,
    workgroup_size: Option<FixedSizeListArray>,
}

impl Stages {
    /// Casts the columns of `batch`.
    pub fn new(batch: &RecordBatch) -> Result<Self, EncodeError> {
        let id = |name| column(batch, name, &DataType::UInt64);
        let sizes =
            |name| column(batch, name, &DataType::new_fixed_size_list(DataType::UInt32, 3, true));
        Ok(Self {
            event: id("event_id")?,
            submission: id(SUBMISSION)?,
            command_buffer: id("command_buffer_id")?,
            workgroup_count: sizes(COUNT)?,
            workgroup_size: sizes(SIZE)?,
        })
    }

    /// Appends the fields of a row, except for its stage and queue.
    pub fn encode(&self, row: usize, duration: u64, flows: &[u64], buffer: &mut Vec<u8>) {
        let submission = at(self.submission.as_ref(), row);
        let submission_id = submission.and_then(|id| u32::try_from(id).ok());
        let [grid_size, workgroup_size] = [&self.workgroup_count, &self.workgroup_size]
            .map(|sizes| dimensions(sizes.as_ref(), row));
        let is_sized = grid_size.is_some() || workgroup_size.is_some();
        let event = GpuRenderStageEvent {
            event_id: at(self.event.as_ref(), row),
            duration: Some(duration),
            submission_id,
            command_buffer_handle: at(self.command_buffer.as_ref(), row),
            launch: is_sized.then_some(ComputeKernelLaunch { grid_size, workgroup_size }),
            ..GpuRenderStageEvent::default()
        };
        event.encode_raw(buffer);
        if let (Some(id), None) = (submission, submission_id) {
            // The field has 32 bits.
            extra(&key(SUBMISSION), &id.to_string(), buffer);
        }
        if !flows.is_empty() {
            // The format has no arrows to render stages.
            extra(&key("flows"), &format!("{flows:?}"), buffer);
        }
    }
}

/// Encodes the name of extra data.
fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    wire::bytes(&mut key, stage::EXTRA_NAME, name.as_bytes());
    key
}

/// Returns the three sizes of a row.
fn dimensions(sizes: Option<&FixedSizeListArray>, row: usize) -> Option<Dim3> {
    let sizes: ArrayRef = sizes.filter(|sizes| sizes.is_valid(row))?.value(row);
    let mut sizes = sizes.as_primitive_opt::<UInt32Type>()?.iter();
    Some(Dim3 { x: sizes.next()?, y: sizes.next()?, z: sizes.next()? })
}
