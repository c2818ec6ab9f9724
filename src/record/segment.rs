//! A run of checked rows of one chunk.

use std::sync::Arc;

use crate::bundle::Bundle;

/// Where the rows of a segment begin within the payload.
#[derive(Debug, Clone)]
pub enum Rows {
    /// Fixed-size records back to back.
    Strided { first: usize, stride: usize, count: usize },
    /// Records of different lengths, or repeated ones.
    At(Vec<usize>),
}

impl Rows {
    /// How many rows there are.
    pub const fn len(&self) -> usize {
        match self {
            Self::Strided { count, .. } => *count,
            Self::At(starts) => starts.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `each` with the bytes of every row, from its start on.
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

    /// Appends what `read` makes of the bytes of every row, from its start on.
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

    /// The offset of every row within the payload.
    pub fn starts(&self) -> Vec<usize> {
        match self {
            Self::Strided { first, stride, count } => {
                (0..*count).map(|row| first + row * stride).collect()
            }
            Self::At(starts) => starts.clone(),
        }
    }
}

/// Rows of one chunk.
#[derive(Debug, Clone)]
pub struct Segment {
    pub bundle: Arc<Bundle>,
    /// Index of the chunk among the file's records.
    pub record: u32,
    pub rows: Rows,
}
