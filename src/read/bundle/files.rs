//! The files that are read for one purpose, such as a command or an engine. What was read of them counts only if none
//! became shorter meanwhile.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::BundleError;
use super::map::MappedFile;

/// A list of files, which all clones share.
#[derive(Debug, Clone, Default)]
pub struct Files {
    opened: Arc<Mutex<Vec<Arc<MappedFile>>>>,
    is_stopped: Arc<AtomicBool>,
}

impl Files {
    /// Adds a file.
    pub fn add(&self, file: &Arc<MappedFile>) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(file));
    }

    /// Returns the paths of the files that were opened.
    pub fn paths(&self) -> Vec<PathBuf> {
        let files = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().map(|file| file.path.clone()).collect()
    }

    /// Lets everything end that reads the records of these files, also of those that are opened later.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Fails if reading is to stop.
    pub fn go_on(&self) -> Result<(), BundleError> {
        if self.is_stopped.load(Ordering::Relaxed) { Err(BundleError::Stopped) } else { Ok(()) }
    }

    /// Fails if a file became shorter while it was read. Looks at the sizes of those that are still open.
    pub fn whole(&self) -> Result<(), BundleError> {
        let files = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
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
