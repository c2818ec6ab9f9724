//! Segments: rows of one chunk whose lengths have been checked.

use std::sync::Arc;

use crate::bundle::Bundle;

/// The offsets of rows within the payload of a chunk.
#[derive(Debug, Clone)]
pub enum Rows {
    /// `count` records of `stride` bytes each, back to back from offset `first` on.
    Strided { first: usize, stride: usize, count: usize },
    /// The offset of each record, if lengths differ or records are repeated.
    At(Vec<usize>),
}

impl Rows {
    /// Returns the number of rows.
    pub const fn len(&self) -> usize {
        match self {
            Self::Strided { count, .. } => *count,
            Self::At(starts) => starts.len(),
        }
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `each` with the bytes from the start of each row on. They may extend beyond the row.
    #[inline]
    pub fn for_each<'a>(&self, payload: &'a [u8], mut each: impl FnMut(&'a [u8])) {
        match self {
            Self::Strided { first, stride, count } => {
                let rows = payload.get(*first..).unwrap_or_default();
                rows.chunks_exact((*stride).max(1)).take(*count).for_each(each);
            }
            Self::At(starts) => {
                for start in starts {
                    each(payload.get(*start..).unwrap_or_default());
                }
            }
        }
    }

    /// Appends the result of `read` for each row to `values`. `read` gets the same bytes as in [`Self::for_each`].
    #[inline]
    pub fn collect_into<'a, T>(
        &self,
        payload: &'a [u8],
        values: &mut Vec<T>,
        read: impl Fn(&'a [u8]) -> T,
    ) {
        match self {
            Self::Strided { first, stride, count } => {
                let rows = payload.get(*first..).unwrap_or_default();
                values.extend(rows.chunks_exact((*stride).max(1)).take(*count).map(read));
            }
            Self::At(starts) => {
                let rows = starts.iter().map(|start| payload.get(*start..).unwrap_or_default());
                values.extend(rows.map(read));
            }
        }
    }

    /// Returns the offset of each row within the payload.
    pub fn starts(&self) -> Vec<usize> {
        match self {
            Self::Strided { first, stride, count } => {
                (0..*count).map(|row| first + row * stride).collect()
            }
            Self::At(starts) => starts.clone(),
        }
    }
}

/// Checked rows of one chunk.
#[derive(Debug, Clone)]
pub struct Segment {
    pub bundle: Arc<Bundle>,
    /// Index of the chunk among the file's records.
    pub record: u32,
    pub rows: Rows,
}
