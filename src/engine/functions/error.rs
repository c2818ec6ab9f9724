//! Errors of this program on their way through DataFusion.

use datafusion::error::DataFusionError;

/// Wraps an error for its way through DataFusion.
pub fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
