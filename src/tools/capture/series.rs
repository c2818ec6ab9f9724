//! Captures into one set, whose folder is made if there is none, and stays locked from the first to the last.

use std::fs::File;
use std::path::{Path, PathBuf};

use base::is_temporary;
use read::bundle::set::{self, Manifest, Outcome, Run};

use super::folder::{self, absolute};
use super::session::{Report, capture_into};
use crate::capture::error::CaptureError;
use crate::capture::event::Event;
use crate::capture::start::Start;
use crate::capture::stop::Stop;

/// The open folder of a set.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    manifest: Manifest,
    /// Whether this program made the folder, and has recorded nothing so far.
    is_new: bool,
    lock: Option<File>,
}

impl Series {
    /// Opens a set, or creates an empty one if the folder is empty or missing. Fails if another capture into it is running.
    pub fn open(folder: &Path) -> Result<Self, CaptureError> {
        let path = absolute(folder);
        let is_new = !path.exists();
        std::fs::create_dir_all(&path).map_err(CaptureError::file("make", &path))?;
        let lock = folder::lock(&path)?;
        if set::is_one(&path) {
            let manifest = Manifest::read(&path)?;
            return Ok(Self { path, manifest, is_new: false, lock });
        }
        let mut entries =
            std::fs::read_dir(&path).map_err(CaptureError::file("read", &path))?.flatten();
        // A capture that was killed may have left a temporary file.
        if entries.any(|entry| !is_temporary(&entry.path())) {
            return Err(CaptureError::NotASet(path));
        }
        let manifest = Manifest::default();
        folder::write(&manifest, &path)?;
        Ok(Self { path, manifest, is_new, lock })
    }

    /// Returns the absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
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
        let _held = stop.hold(self.lock.as_ref());
        let mut report = capture_into(&self.manifest, start, stop, tell)?;
        self.manifest.clone_from(&report.manifest);
        self.is_new &= !report.has_recorded();
        self.remove_new(&mut report);
        Ok(report)
    }

    /// Like [`Self::capture`], but keeps nothing of a run that a stop request has cut.
    pub fn capture_whole(
        &mut self,
        start: Start,
        stop: &Stop,
        tell: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Report, CaptureError> {
        let was_new = self.is_new;
        let mut report = self.capture(start, stop, tell)?;
        let is_cut = |run: &Run| run.outcome == Outcome::Interrupted;
        let cut: Vec<String> =
            report.runs.extract_if(.., |run| is_cut(run)).map(|run| run.name).collect();
        if cut.is_empty() || report.is_removed {
            return Ok(report);
        }
        report.known.captured.retain(|held| !cut.contains(&held.name));
        report.manifest.runs.retain(|run| !cut.contains(&run.name));
        folder::write(&report.manifest, &self.path)?;
        for run in &cut {
            folder::forget(&self.path, run);
        }
        self.manifest.clone_from(&report.manifest);
        self.is_new = was_new && !report.has_recorded();
        self.remove_new(&mut report);
        Ok(report)
    }

    /// Removes the folder if this program made it and has recorded nothing so far.
    fn remove_new(&self, report: &mut Report) {
        if self.is_new && folder::remove(&self.path, &report.manifest) {
            report.is_removed = true;
            report.failure = report.failure.take().map(|failure| failure.without(&self.path));
        }
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
