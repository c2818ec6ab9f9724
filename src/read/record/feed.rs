//! Distributes the rows of a family among the threads of a scan.
//!
//! The threads share one [`Feed`], from which each claims up to a batch of rows under a lock and decodes them outside of
//! it. Of large chunks, a thread claims rows by stepping over their lengths, which is cheap; small chunks are claimed
//! together, and stepped over outside of the lock. Chunks of any size are thus shared evenly, and each byte is visited
//! once.

use std::sync::{Arc, Mutex, PoisonError};

use schemas::CONTENT_TYPE_PREFIX;
use schemas::spec::{Family, Tail};

use super::segment::{RowOffsets, Segment};
use super::step::Stepper;
use crate::bundle::limits::{BATCH_BYTES, BATCH_ROWS};
use crate::bundle::{Bundle, BundleError, load_ahead};

/// Small chunks of a segment, few enough that their rows stay in the second-level cache while the columns are decoded.
const JOINED_CHUNKS: usize = 128;

/// The chunks of a family in a bundle.
#[derive(Debug, Clone)]
pub struct BundleChunks {
    pub bundle: Arc<Bundle>,
    /// Indices of the chunks among the file's records, ascending.
    pub records: Vec<u32>,
}

/// Returns the chunks of `family` by bundle.
pub fn chunks(bundles: &[Arc<Bundle>], family: &Family) -> Vec<BundleChunks> {
    let of_bundle = |bundle: &Arc<Bundle>| {
        // A family can have several content types, whose lists are concatenated.
        let mut records: Vec<u32> = records_of(bundle, family).collect();
        records.sort_unstable();
        (!records.is_empty()).then(|| BundleChunks { bundle: Arc::clone(bundle), records })
    };
    bundles.iter().filter_map(of_bundle).collect()
}

/// Returns the number of chunks of all bundles.
pub fn count_chunks(chunks: &[BundleChunks]) -> usize {
    chunks.iter().map(|chunks| chunks.records.len()).sum()
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
    chunks: Arc<[BundleChunks]>,
    rows_a_claim: usize,
    bytes_a_claim: usize,
    rows_a_step: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bundle: usize,
    /// Index of the chunk among those of the bundle.
    chunk: usize,
    /// Offset of the next record within the payload of the chunk.
    position: usize,
    /// Number of rows that may still be handed out; `None` for all.
    left: Option<usize>,
}

impl Feed {
    /// Creates a feed over `chunks` that hands out at most `limit` rows.
    pub const fn new(family: Family, chunks: Arc<[BundleChunks]>, limit: Option<usize>) -> Self {
        let state = Mutex::new(State { bundle: 0, chunk: 0, position: 0, left: limit });
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
        loop {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let small = self.small_chunks(&mut state);
            if small.is_empty() {
                return self.rows(&mut state);
            }
            drop(state);
            let parts = small.iter().flat_map(|(bundle, records)| {
                records.chunks(JOINED_CHUNKS).map(|records| self.joined(bundle, records))
            });
            let segments = parts.collect::<Result<Vec<_>, _>>()?;
            // Chunks can be empty.
            if segments.iter().any(|segment| !segment.rows.is_empty()) {
                return Ok(segments);
            }
        }
    }

    /// Claims chunks of one or several bundles that together fit into a claim, as a whole. Returns none if the next one
    /// does not fit, or must be stepped over to see how much of it is wanted.
    fn small_chunks(&self, state: &mut State) -> Vec<(&Arc<Bundle>, &[u32])> {
        let mut small = Vec::new();
        if self.family.tail != Tail::None || state.left.is_some() || state.position > 0 {
            return small;
        }
        let mut most = 0;
        while let Some(chunks) = self.chunks.get(state.bundle) {
            let fits = |record: &&u32| {
                let (_, length) = chunks.bundle.directory.payload(**record);
                most += length / self.family.layout.max(1) as u64;
                most <= self.rows_a_claim as u64
            };
            let rest = chunks.records.get(state.chunk..).unwrap_or_default();
            let taken = rest.get(..rest.iter().take_while(fits).count()).unwrap_or_default();
            if !taken.is_empty() {
                small.push((&chunks.bundle, taken));
            }
            state.skip_chunks(chunks, taken.len());
            if taken.len() < rest.len() {
                break;
            }
        }
        small
    }

    /// Steps over all rows of some chunks, which become one segment.
    fn joined(&self, bundle: &Arc<Bundle>, records: &[u32]) -> Result<Segment, BundleError> {
        let mut starts = Vec::new();
        let mut chunks = Vec::with_capacity(records.len());
        for (nth, record) in records.iter().enumerate() {
            load_ahead(bundle, records, nth, |record| record);
            let (payload, offset) = bundle.payload(*record);
            let before = starts.len();
            let mut stepper = Stepper::new(self.family, payload, offset, 0);
            while !stepper.is_done() {
                let rows = stepper
                    .take(usize::MAX)
                    .map_err(|fault| bundle.damaged(fault.in_record((*record).into())))?;
                rows.moved_by(offset).append_starts(&mut starts);
            }
            chunks.push((*record, starts.len() - before));
        }
        Ok(Segment { bundle: Arc::clone(bundle), chunks, rows: RowOffsets::At(starts) })
    }

    /// Claims rows by stepping over them.
    fn rows(&self, state: &mut State) -> Result<Vec<Segment>, BundleError> {
        let mut segments = Vec::new();
        let mut wanted = state.left.map_or(self.rows_a_claim, |left| left.min(self.rows_a_claim));
        let mut bytes = 0;
        while wanted > 0
            && bytes < self.bytes_a_claim
            && let Some(chunks) = self.chunks.get(state.bundle)
        {
            let Some(record) = chunks.records.get(state.chunk) else {
                state.skip_chunks(chunks, 0);
                continue;
            };
            let (rows, is_done) = self.step(&chunks.bundle, *record, state, wanted, &mut bytes)?;
            if !rows.is_empty() {
                wanted -= rows.len();
                state.left = state.left.map(|left| left - rows.len());
                let chunk = vec![(*record, rows.len())];
                segments.push(Segment { bundle: Arc::clone(&chunks.bundle), chunks: chunk, rows });
            }
            if is_done {
                state.skip_chunks(chunks, 1);
            }
        }
        Ok(segments)
    }

    /// Steps over up to `wanted` records of a chunk. Returns them and whether they were the last.
    fn step(
        &self,
        bundle: &Bundle,
        record: u32,
        state: &mut State,
        wanted: usize,
        bytes: &mut usize,
    ) -> Result<(RowOffsets, bool), BundleError> {
        let (payload, offset) = bundle.payload(record);
        let mut stepper = Stepper::new(self.family, payload, offset, state.position);
        let rows = stepper
            .take(wanted.min(self.rows_a_step))
            .map_err(|fault| bundle.damaged(fault.in_record(record.into())))?;
        if self.family.tail != Tail::None {
            *bytes += stepper.position() - state.position;
        }
        state.position = stepper.position();
        Ok((rows.moved_by(offset), stepper.is_done()))
    }
}

impl State {
    /// Goes on to the chunk after the next `count` ones of a bundle, or to the next bundle after its last.
    fn skip_chunks(&mut self, chunks: &BundleChunks, count: usize) {
        self.chunk += count;
        self.position = 0;
        if self.chunk >= chunks.records.len() {
            self.bundle += 1;
            self.chunk = 0;
        }
    }
}
