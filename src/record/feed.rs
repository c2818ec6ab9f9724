//! Distributes the rows of a family among the threads of a scan.
//!
//! The threads share one [`Feed`]. A thread claims rows by stepping over their record lengths under a lock, which is
//! cheap, and decodes them outside of it. Chunks of any size are thus shared evenly, and each byte is visited once.

use std::sync::{Arc, Mutex, PoisonError};

use schemas::CONTENT_TYPE_PREFIX;
use schemas::spec::{Family, Tail};

use super::segment::Segment;
use super::step::Stepper;
use crate::bundle::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::bundle::{Bundle, BundleError, Entry};

/// A chunk of a family.
#[derive(Debug, Clone)]
pub struct Chunk {
    pub bundle: Arc<Bundle>,
    /// Index of the chunk among the file's records.
    pub record: u32,
}

impl Chunk {
    /// Returns the chunk's entry in the directory.
    pub fn entry(&self) -> Option<&Entry> {
        self.bundle.directory.entries.get(self.record as usize)
    }
}

/// Returns the chunks of `family`, bundle by bundle, in file order.
pub fn chunks(bundles: &[Arc<Bundle>], family: &Family) -> Vec<Chunk> {
    let of_bundle = bundles.iter().flat_map(|bundle| {
        // A family can have several content types, whose lists are concatenated.
        let mut records: Vec<u32> = records_of(bundle, family).collect();
        records.sort_unstable();
        records.into_iter().map(|record| Chunk { bundle: Arc::clone(bundle), record })
    });
    of_bundle.collect()
}

/// Whether any bundle has chunks of `family`.
pub fn has_chunks(bundles: &[Arc<Bundle>], family: &Family) -> bool {
    bundles.iter().any(|bundle| records_of(bundle, family).next().is_some())
}

/// Returns the indices of the chunks of `family`, grouped by content type.
fn records_of<'a>(bundle: &'a Bundle, family: &'a Family) -> impl Iterator<Item = u32> + use<'a> {
    let directory = &bundle.directory;
    let types = directory.content_types.iter().zip(&directory.chunks);
    let of_family = types.filter(|(content_type, _)| is_family(content_type, family));
    of_family.flat_map(|(_, records)| records.iter().copied())
}

/// Whether a content type names `family`.
pub fn is_family(content_type: &[u8], family: &Family) -> bool {
    content_type
        .strip_prefix(CONTENT_TYPE_PREFIX.as_bytes())
        .is_some_and(|suffix| family.suffixes.iter().any(|known| known.as_bytes() == suffix))
}

/// A queue of the rows of some chunks. Each row is handed out once.
#[derive(Debug)]
pub struct Feed {
    family: Family,
    chunks: Vec<Chunk>,
    rows_a_claim: usize,
    bytes_a_claim: usize,
    rows_a_step: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    chunk: usize,
    /// Offset of the next record within the payload of the chunk.
    position: usize,
    /// Number of rows that may still be handed out.
    left: usize,
}

impl Feed {
    /// Creates a feed over `chunks` that hands out at most `limit` rows.
    pub const fn new(family: Family, chunks: Vec<Chunk>, limit: usize) -> Self {
        let state = Mutex::new(State { chunk: 0, position: 0, left: limit });
        // Records with trailing data can be large. They are stepped over one at a time, so that a claim can end as soon
        // as it has enough bytes.
        let rows_a_step = match family.tail {
            Tail::Data(_) | Tail::Following(_) => 1,
            _ => BATCH_ROWS,
        };
        Self {
            family,
            chunks,
            rows_a_claim: BATCH_ROWS,
            bytes_a_claim: BATCH_BYTES,
            rows_a_step,
            state,
        }
    }

    /// Makes claims smaller than [`BATCH_ROWS`].
    #[must_use]
    pub fn in_claims_of(mut self, rows: usize) -> Self {
        self.rows_a_claim = self.rows_a_claim.min(rows);
        self
    }

    /// Adapts the feed to a long form, in which a record becomes up to `rows_each` rows, or, for `None`, one row per
    /// trailing entry. Claims hold fewer records, so that the batches stay small.
    #[must_use]
    pub fn spreading(mut self, rows_each: Option<usize>) -> Self {
        if let Tail::Entries { entry, .. } = self.family.tail {
            self.rows_a_claim = (BATCH_ROWS / rows_each.unwrap_or(1).max(1)).max(1);
            self.bytes_a_claim = BATCH_ROWS * entry;
            self.rows_a_step = 1;
        }
        self
    }

    /// Claims the rows of up to one batch. Returns no segments if all rows are handed out.
    pub fn claim(&self) -> Result<Vec<Segment>, BundleError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut segments = Vec::new();
        let mut wanted = self.rows_a_claim.min(state.left);
        let mut bytes = 0;
        while wanted > 0
            && bytes < self.bytes_a_claim
            && let Some(chunk) = self.chunks.get(state.chunk)
        {
            let (segment, more) = self.step(chunk, &mut state, wanted, &mut bytes)?;
            if let Some(segment) = segment {
                wanted -= segment.rows.len();
                state.left -= segment.rows.len();
                segments.push(segment);
            }
            if !more {
                state.chunk += 1;
                state.position = 0;
            }
        }
        Ok(segments)
    }

    /// Steps over up to `wanted` records. Returns their segment and whether the chunk has more records.
    fn step(
        &self,
        chunk: &Chunk,
        state: &mut State,
        wanted: usize,
        bytes: &mut usize,
    ) -> Result<(Option<Segment>, bool), BundleError> {
        let Some(entry) = chunk.entry() else { return Ok((None, false)) };
        let (payload, offset) = chunk.bundle.payload(entry)?;
        let mut stepper = Stepper::new(self.family, payload, offset, state.position);
        let rows = stepper
            .take(wanted.min(self.rows_a_step))
            .map_err(|fault| chunk.bundle.damaged(fault.in_record(u64::from(chunk.record))))?;
        if self.family.tail != Tail::None {
            *bytes += stepper.position() - state.position;
        }
        state.position = stepper.position();
        let segment = (!rows.is_empty()).then(|| Segment {
            bundle: Arc::clone(&chunk.bundle),
            record: chunk.record,
            rows,
        });
        Ok((segment, !stepper.is_done()))
    }
}
