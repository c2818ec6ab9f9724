//! The files that are read for one purpose, such as a command or an engine. What was read of them counts only if none
//! became shorter meanwhile.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::BundleError;
use super::map::MappedFile;

/// A list of files, which all clones share.
#[derive(Debug, Clone, Default)]
pub struct Files(Arc<Mutex<Vec<Arc<MappedFile>>>>);

impl Files {
    /// Adds a file.
    pub fn add(&self, file: &Arc<MappedFile>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(file));
    }

    /// Fails if a file became shorter while it was read. Looks at the sizes of those that are still open.
    pub fn whole(&self) -> Result<(), BundleError> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = files.iter().find(|file| file.is_shorter());
        cut.map_or(Ok(()), |file| Err(shortened(file)))
    }
}

/// Returns the error that a file became shorter.
pub fn shortened(file: &MappedFile) -> BundleError {
    let (path, was) = (file.path.clone(), file.length);
    let is = path.metadata().map_or(0, |metadata| metadata.len());
    if is < was {
        return BundleError::Shortened { path, was, is };
    }
    // The same signal also tells that the storage failed.
    let source = io::Error::other("the storage failed, or the file changed while it was read");
    BundleError::Io { action: "read", path, source }
}
