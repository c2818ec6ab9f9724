//! What an export replaces: bundles of the same label. Another capture has a label of its own, as runs of all capture sets have
//! the same names.

use std::path::Path;

use crate::engine::dataset::Exported;
use crate::export::error::ExportError;

/// Fails if a bundle whose label was not chosen by the user is another capture than the one that has its label: it comes from
/// another file, and its bytes differ.
pub fn check_same_capture(
    folder: &Path,
    known: Option<&Exported>,
    source: &str,
    digest: impl Fn() -> String,
) -> Result<(), ExportError> {
    let other = known.filter(|known| known.source != source && known.source_sha256 != digest());
    let Some(known) = other else { return Ok(()) };
    Err(ExportError::OtherCapture {
        folder: folder.to_owned(),
        label: known.bundle.clone(),
        stored: known.source.clone(),
        new: source.to_owned(),
    })
}
