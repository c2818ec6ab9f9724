//! Damaged Parquet files as errors: the reader of parquet 59 panics on some, where it finds lengths in a page that cannot be.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use base::said;

/// Batches that end with an error where the reader panics.
pub struct Guarded<I>(Option<I>);

/// Turns panics of a reader into errors.
pub const fn guarded<I>(batches: I) -> Guarded<I> {
    Guarded(Some(batches))
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Iterator for Guarded<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = self.0.as_mut()?;
        // The reader is not used again after a panic.
        catch_unwind(AssertUnwindSafe(|| batches.next())).unwrap_or_else(|panic| {
            self.0 = None;
            Some(Err(ArrowError::ParquetError(format!("a page is damaged: {}", said(&*panic)))))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::Schema;

    use super::*;

    #[test]
    fn a_panic_is_an_error_and_the_end() {
        let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let batches = (0..3).map(|nth| {
            assert_ne!(nth, 1, "no such length");
            Ok(empty.clone())
        });
        let read: Vec<_> = guarded(batches).collect();
        assert_eq!(read.len(), 2);
        let error = read[1].as_ref().expect_err("the panic").to_string();
        assert!(error.contains("a page is damaged") && error.contains("no such length"), "{error}");
    }
}
