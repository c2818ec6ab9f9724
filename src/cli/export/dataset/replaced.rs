//! What an export replaces: bundles of the same label. Another capture has a label of its own, as runs of all capture sets have
//! the same names.

use std::path::Path;

use exporters::printable;

use crate::cli::error::CliError;
use crate::engine::dataset::Exported;
use crate::report::text::counted;

/// Number of labels that are listed.
const LISTED: usize = 5;

/// Fails if a bundle whose label was not chosen by the user is another capture than the one that has its label: it comes from
/// another file, and its bytes differ.
pub fn check(
    folder: &Path,
    known: Option<&Exported>,
    (source, digest): (&str, impl Fn() -> String),
) -> Result<(), CliError> {
    let other = known.filter(|known| known.source != source && known.source_sha256 != digest());
    let Some(known) = other else { return Ok(()) };
    Err(CliError::Usage(format!(
        "{} has {} from {} already, and {source} is another capture: name it with NAME=PATH, or export it to another folder",
        folder.display(),
        known.bundle,
        known.source
    )))
}

/// Says which bundles were replaced.
pub fn tell(folder: &Path, labels: &[String]) {
    if labels.is_empty() {
        return;
    }
    let listed: Vec<String> = labels.iter().take(LISTED).map(|label| printable(label)).collect();
    let more = if labels.len() > LISTED { ", …" } else { "" };
    eprintln!(
        "ireescope: replaced {} in {}: {}{more}",
        counted(labels.len() as u64, "bundle"),
        folder.display(),
        listed.join(", ")
    );
}
