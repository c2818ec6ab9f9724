//! Counts chunks by family, and what the producer or the reader lost of them.

use std::collections::BTreeMap;

use read::bundle::{Bundle, BundleError, RecordType};
use read::table::table_of;

/// The chunks of one family.
#[derive(Debug, Default, Clone, Copy)]
pub struct Chunks {
    pub count: u64,
    /// Chunks that the reader leaves out of the tables.
    pub damaged: u64,
    pub truncated: u64,
    /// Records that the producer dropped. Wide, because a damaged file may claim any number.
    pub dropped: u128,
}

impl Chunks {
    /// Whether the producer lost records.
    pub const fn is_lossy(&self) -> bool {
        self.truncated > 0 || self.dropped > 0
    }

    /// Returns the number of dropped records, at most `u64::MAX`.
    pub fn dropped(&self) -> u64 {
        u64::try_from(self.dropped).unwrap_or(u64::MAX)
    }
}

/// Chunk counts by table; `None` for chunks of unknown families.
pub type ByTable = BTreeMap<Option<&'static str>, Chunks>;

/// Counts the chunks of a bundle.
pub fn chunks(bundle: &Bundle) -> Result<ByTable, BundleError> {
    let directory = &bundle.directory;
    let tables: Vec<Option<&'static str>> =
        directory.content_types.iter().map(|name| table_of(name)).collect();
    let mut found = ByTable::new();
    let mut counts = vec![0_u64; tables.len()];
    for entry in directory.entries.iter().filter(|it| it.record_type == RecordType::Chunk) {
        if let Some(count) = counts.get_mut(usize::from(entry.content_type)) {
            *count += 1;
        }
        if entry.is_lossy {
            let record = bundle.record_header(entry)?;
            let table = tables.get(usize::from(entry.content_type)).copied().flatten();
            let sum = found.entry(table).or_default();
            sum.truncated += u64::from(record.is_truncated());
            sum.dropped += u128::from(record.dropped_record_count);
        }
    }
    for ((table, count), listed) in tables.iter().zip(counts).zip(&directory.chunks) {
        if count > 0 {
            let sum = found.entry(*table).or_default();
            sum.count += count;
            // The directory lists no damaged chunks.
            sum.damaged += count.saturating_sub(listed.len() as u64);
        }
    }
    Ok(found)
}
