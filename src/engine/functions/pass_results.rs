//! What passes have computed: the rows of their relations, with the memory that they hold.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, UInt64Array};
use datafusion::arrow::compute::take_record_batch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use passes::fold::{Output, Slices, labelled};
use read::bundle::Bundle;

/// Reserves memory for what is kept, named by what it is. Dropping it gives the memory back.
pub fn reserve(pool: &Arc<dyn MemoryPool>, what: &str, bytes: usize) -> Result<MemoryReservation> {
    let reservation = MemoryConsumer::new(what).register(pool);
    reservation.try_grow(bytes)?;
    Ok(reservation)
}

/// The relations of a run for one bundle, by output, with the memory that they hold.
#[derive(Default)]
pub struct Made {
    pub outputs: Vec<Batches>,
    pub _held: Option<MemoryReservation>,
}

/// The rows of a relation, which are read in slices.
pub enum Batches {
    Whole(RecordBatch),
    Sliced { output: &'static Output, bundle: Arc<Bundle>, slices: Arc<dyn Slices> },
}

impl Batches {
    pub fn rows(&self) -> usize {
        match self {
            Self::Whole(batch) => batch.num_rows(),
            Self::Sliced { slices, .. } => slices.rows(),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(batch) => batch.get_array_memory_size(),
            Self::Sliced { slices, .. } => slices.heap_bytes(),
        }
    }

    pub fn slice(&self, start: usize, most: usize) -> Result<RecordBatch> {
        let rows = most.min(self.rows().saturating_sub(start));
        match self {
            Self::Whole(batch) if rows == batch.num_rows() => Ok(batch.clone()),
            Self::Whole(batch) => copied(batch, start..start + rows),
            Self::Sliced { output, bundle, slices } => {
                Ok(labelled(output, bundle, slices.arrays(start..start + rows))?)
            }
        }
    }
}

/// Returns a copy of some rows: a slice counts as holding the memory of the whole batch.
fn copied(batch: &RecordBatch, rows: Range<usize>) -> Result<RecordBatch> {
    let rows = UInt64Array::from_iter_values(rows.start as u64..rows.end as u64);
    Ok(take_record_batch(batch, &rows)?)
}
