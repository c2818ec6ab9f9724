//! Captures into one set, whose folder stays locked from the first to the last.

use std::path::{Path, PathBuf};

use super::folder::{self, Folder, absolute};
use super::session::{Report, capture_into};
use crate::bundle::set::Manifest;
use crate::capture::error::CaptureError;
use crate::capture::event::Event;
use crate::capture::start::Start;
use crate::capture::stop::Stop;

/// The open folder of a set.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    folder: Folder,
}

impl Series {
    /// Opens a set, or creates an empty one. Fails if another capture into it is running.
    pub fn open(folder: &Path) -> Result<Self, CaptureError> {
        let path = absolute(folder);
        Ok(Self { folder: folder::open(&path)?, path })
    }

    /// Returns the absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.folder.manifest
    }

    /// Runs a capture into the set, whatever folder `start` names. If it made the folder and the set has recorded nothing
    /// so far, the folder is removed again.
    pub fn capture(
        &mut self,
        mut start: Start,
        stop: &Stop,
        tell: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Report, CaptureError> {
        start.folder.clone_from(&self.path);
        let mut report = capture_into(&mut self.folder, start, stop, tell)?;
        self.folder.is_new &= !report.has_recorded();
        if self.folder.is_new && folder::remove(&self.path, &report.manifest) {
            report.is_removed = true;
            report.failure = report.failure.map(|failure| failure.without(&self.path));
        }
        Ok(report)
    }
}

/// Runs a capture into a set, whose folder is locked meanwhile.
pub fn capture(
    start: Start,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Report, CaptureError> {
    Series::open(&start.folder)?.capture(start, stop, tell)
}
