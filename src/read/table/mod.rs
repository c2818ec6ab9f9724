//! Decodes segments into Arrow arrays, a column at a time, as the declarations in `schemas` say.
//!
//! Invariant: this layer runs no queries and opens no files. If a table needs other records than its own (counter and
//! metric descriptions), it looks them up in the same bundle through [`lookup`].

mod builder;
mod decoder;
mod directory;
mod everything;
mod header_columns;
mod long;
mod lookup;
mod records;
mod runs;
mod text;

pub use decoder::Decoder;
pub use directory::directory_batch;
pub use everything::read_everything;
pub use header_columns::{chunk_columns, is_chunk_column};
pub use long::{metric_entries, sample_values};
pub use lookup::Lookups;
pub use records::{record_batches, table_of};
pub use text::hash as hash_text;
