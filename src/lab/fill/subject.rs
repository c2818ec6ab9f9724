//! The subject of a request: a capture set, or a bundle that becomes part of a new set.

use std::path::{Path, PathBuf};

use read::bundle::BundleError;
use read::bundle::set::{self, CaptureSet, Manifest, Run};
use tools::capture::has;

use super::error::FillError;
use super::notice::Notice;
use super::request::FillRequest;

/// The capture set to fill.
#[derive(Debug)]
pub struct Subject {
    /// The folder of the set, which need not exist yet.
    pub folder: PathBuf,
    /// The manifest, if the set exists.
    pub manifest: Option<Manifest>,
    /// A bundle that is not part of the set yet.
    pub given: Option<PathBuf>,
}

impl Subject {
    /// Returns the subject of a request.
    pub fn of(request: &FillRequest, tell: &mut dyn FnMut(&Notice)) -> Result<Self, FillError> {
        let path = Path::new(&request.path);
        if set::is_one(path) {
            if request.folder.is_some() {
                return Err(FillError::InPlace(request.path.clone()));
            }
            let manifest = Some(Manifest::read(path)?);
            return Ok(Self { folder: path.to_owned(), manifest, given: None });
        }
        if !path.is_file() {
            return Err(FillError::from(BundleError::Missing {
                path: request.path.clone(),
                hint: "fill requires a capture set (a folder with a manifest.json) or one bundle",
            }));
        }
        if let Some((folder, manifest)) = set_of(path).filter(|_| request.folder.is_none()) {
            tell(&Notice::InSet { bundle: request.path.clone(), set: folder.clone() });
            return Ok(Self { folder, manifest: Some(manifest), given: None });
        }
        let folder = request.folder.clone().unwrap_or_else(|| beside(path));
        let is_there = set::is_one(&folder);
        let manifest = is_there.then(|| Manifest::read(&folder)).transpose()?;
        // An earlier request for the bundle has added it to the set.
        let is_taken = manifest.as_ref().is_some_and(|manifest| has(manifest, &folder, path));
        Ok(Self { folder, manifest, given: (!is_taken).then(|| path.to_owned()) })
    }

    /// Returns the path whose gaps are determined.
    pub fn path(&self) -> String {
        self.given.as_ref().unwrap_or(&self.folder).to_string_lossy().into_owned()
    }

    /// Returns the set as its bundles see it.
    pub fn set(&self) -> CaptureSet {
        CaptureSet::of(&self.folder, None, self.runs().to_vec())
    }

    /// Returns the runs of the set.
    pub fn runs(&self) -> &[Run] {
        self.manifest.as_ref().map_or(&[], |manifest| &manifest.runs)
    }
}

/// Returns the capture set that a bundle belongs to: its folder is a set whose manifest lists the bundle.
fn set_of(path: &Path) -> Option<(PathBuf, Manifest)> {
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let manifest = set::is_one(folder).then(|| Manifest::read(folder).ok()).flatten()?;
    let name = path.file_name()?.to_str()?;
    let is_it = |run: &Run| run.bundle.as_deref() == Some(name);
    manifest.runs.iter().any(is_it).then(|| (folder.to_owned(), manifest))
}

/// Returns the default folder for a bundle: `NAME.capture` beside it.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.strip_suffix(".ireeprof").unwrap_or(name);
    path.with_file_name(format!("{stem}.capture"))
}
