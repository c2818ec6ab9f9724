//! Segments: rows whose lengths have been checked.

use std::sync::Arc;

use crate::bundle::Bundle;
use crate::bundle::cursor::u64_at;

/// The offsets of rows within some bytes.
#[derive(Debug, Clone)]
pub enum RowOffsets {
    /// `count` records of `stride` bytes each, back to back from offset `first` on.
    Strided { first: usize, stride: usize, count: usize },
    /// The offset of each record, if lengths differ.
    At(Vec<usize>),
    /// Offsets of records that are repeated, and how often.
    Repeated(Vec<(usize, usize)>),
}

impl RowOffsets {
    /// Returns the record headers of chunks, each as often as told.
    pub fn headers(bundle: &Bundle, chunks: impl Iterator<Item = (u32, usize)>) -> Self {
        let start = |record: u32| {
            let entry = bundle.directory.entries.get(record as usize);
            entry.and_then(|entry| usize::try_from(entry.offset).ok()).unwrap_or(usize::MAX)
        };
        Self::Repeated(chunks.map(|(record, count)| (start(record), count)).collect())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Strided { count, .. } => *count,
            Self::At(starts) => starts.len(),
            Self::Repeated(starts) => starts.iter().map(|(_, count)| count).sum(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns rows within bytes that begin `offset` bytes earlier.
    #[must_use]
    pub(crate) fn moved_by(self, offset: u64) -> Self {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let moved = |start: usize| start.saturating_add(offset);
        match self {
            Self::Strided { first, stride, count } => {
                Self::Strided { first: moved(first), stride, count }
            }
            Self::At(starts) => Self::At(starts.into_iter().map(moved).collect()),
            Self::Repeated(starts) => Self::Repeated(
                starts.into_iter().map(|(start, count)| (moved(start), count)).collect(),
            ),
        }
    }

    /// Calls `each` with the bytes from the start of each row on. They may extend beyond the row.
    #[inline]
    pub fn for_each<'a>(&self, bytes: &'a [u8], mut each: impl FnMut(&'a [u8])) {
        let from = |start: usize| bytes.get(start..).unwrap_or_default();
        match self {
            Self::Strided { first, stride, count } => {
                from(*first).chunks_exact((*stride).max(1)).take(*count).for_each(each);
            }
            Self::At(starts) => starts.iter().for_each(|start| each(from(*start))),
            Self::Repeated(starts) => {
                for (start, count) in starts {
                    (0..*count).for_each(|_| each(from(*start)));
                }
            }
        }
    }

    /// Appends the result of `read` for each row to `values`. `read` gets the same bytes as in [`Self::for_each`].
    #[inline]
    pub(crate) fn collect_into<'a, T>(
        &self,
        bytes: &'a [u8],
        values: &mut Vec<T>,
        read: impl Fn(&'a [u8]) -> T,
    ) where
        T: Clone,
    {
        let from = |start: usize| bytes.get(start..).unwrap_or_default();
        match self {
            Self::Strided { first, stride, count } => {
                let rows = from(*first).chunks_exact((*stride).max(1)).take(*count);
                values.extend(rows.map(read));
            }
            Self::At(starts) => values.extend(starts.iter().map(|start| read(from(*start)))),
            Self::Repeated(starts) => {
                for (start, count) in starts {
                    values.extend(std::iter::repeat_n(read(from(*start)), *count));
                }
            }
        }
    }

    /// Appends the offset of each row to `all`.
    pub(crate) fn append_starts(&self, all: &mut Vec<usize>) {
        match self {
            Self::Strided { first, stride, count } => {
                all.extend((0..*count).map(|row| first + row * stride));
            }
            Self::At(starts) => all.extend(starts),
            Self::Repeated(starts) => all.extend(
                starts.iter().flat_map(|(start, count)| std::iter::repeat_n(*start, *count)),
            ),
        }
    }

    /// Returns the offset of each row.
    pub fn starts(&self) -> Vec<usize> {
        let mut all = Vec::with_capacity(self.len());
        self.append_starts(&mut all);
        all
    }
}

/// Checked rows of one chunk, or all rows of several small ones.
#[derive(Debug, Clone)]
pub struct Segment {
    pub bundle: Arc<Bundle>,
    /// The chunks, by their index among the file's records, and how many of the rows are theirs.
    pub chunks: Vec<(u32, usize)>,
    /// The rows within the whole file.
    pub rows: RowOffsets,
}

impl Segment {
    /// Replaces the rows of a segment of one chunk by some of them, each any number of times.
    pub fn repeat(&mut self, starts: Vec<usize>) {
        self.chunks.truncate(1);
        for (_, rows) in &mut self.chunks {
            *rows = starts.len();
        }
        self.rows = RowOffsets::At(starts);
    }

    /// Returns the session of the first row.
    pub fn session_id(&self) -> u64 {
        let first = self.chunks.first();
        first.map_or(0, |(record, _)| u64_at(self.bundle.record(*record), 16))
    }
}
