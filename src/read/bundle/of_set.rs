//! Lists the bundles of a capture set, with stand-ins for those that do not exist.

use std::path::Path;
use std::sync::Arc;

use super::error::BundleError;
use super::set::{CaptureSet, Manifest, Run, SetRun};
use super::source::{BundleSource, StandIn};

/// Returns the bundles of a capture set. The label is the name of the run, prefixed by the name of the set if there is
/// one. Fails if the manifest cannot be read.
pub fn of_set(folder: &Path, name: Option<&str>) -> Result<Vec<BundleSource>, BundleError> {
    let set = Arc::new(CaptureSet::of(folder, name, Manifest::read(folder)?.runs));
    let source = |label: String, path, runs, stand_in| BundleSource {
        label,
        path,
        copy: None,
        named: name.is_some(),
        runs,
        set: Some(Arc::clone(&set)),
        stand_in,
    };
    let mut sources: Vec<BundleSource> = Vec::new();
    let mut nothing = Vec::new();
    for run in &set.runs {
        let label = name.map_or_else(|| run.name.clone(), |name| format!("{name}/{}", run.name));
        let path = run.bundle.as_ref().map(|bundle| folder.join(bundle));
        let is_lost = set.lost.contains(&run.name);
        let run = SetRun { folder: folder.to_owned(), run: run.clone() };
        match path.filter(|path| is_lost || path.exists()) {
            Some(path) => {
                sources.push(source(label, path, vec![run], is_lost.then_some(StandIn::Lost)));
            }
            None => nothing.push(SetRun { run: Run { bundle: None, ..run.run }, ..run }),
        }
    }
    // Runs that recorded nothing are attached to the first existing bundle, so that the table `runs` lists them.
    let place = sources.iter().position(|source| source.stand_in.is_none()).unwrap_or_default();
    if let Some(first) = sources.get_mut(place) {
        first.runs.extend(nothing);
    } else {
        let label = name.map_or_else(|| last_name(folder), str::to_owned);
        sources.push(source(label, folder.to_owned(), nothing, Some(StandIn::Nothing)));
    }
    Ok(sources)
}

/// Returns the name of a folder, which has one even if the path is `.`.
pub(crate) fn last_name(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
