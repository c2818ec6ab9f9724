//! Accepts a folder of dispatch runs in place of a bundle: its captures are opened as bundles, its results as the table
//! `dispatch_runs`.

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use read::bundle::set::{self, Manifest};
use read::bundle::sources;
use tools::bench::run::{Folders, store};

use super::error::OpenError;
use super::labels;

/// A folder of dispatch runs, and the optional name that prefixes its labels.
struct Named {
    name: Option<String>,
    folder: PathBuf,
}

/// Returns the folder that an argument names: `DIR`, `DIR/generated`, or either as NAME=PATH. `None` for any other
/// argument.
fn named(argument: &str) -> Option<Named> {
    let folder = |text: &str| {
        let path = Path::new(text);
        let parent = path.parent().filter(|_| path.ends_with("generated"));
        [path].into_iter().chain(parent).find(|it| Folders::holds_runs(it)).map(Path::to_owned)
    };
    if let Some(folder) = folder(argument) {
        return Some(Named { name: None, folder });
    }
    let (name, path) = sources::named(argument)?;
    Some(Named { name: Some(name.to_owned()), folder: folder(path)? })
}

/// Replaces each folder of dispatch runs among the arguments by its capture sets.
pub fn spread(arguments: &[String]) -> Vec<String> {
    let each = arguments.iter().flat_map(|argument| match named(argument) {
        Some(named) => named.sets(),
        None => vec![argument.clone()],
    });
    each.collect()
}

/// Reads the results of all folders of dispatch runs among the arguments.
pub fn dispatch_runs(arguments: &[String]) -> Result<Vec<RecordBatch>, OpenError> {
    let mut batches = Vec::new();
    for named in arguments.iter().filter_map(|argument| named(argument)) {
        for batch in store::batches(&named.folder)? {
            batches.push(labels::prefixed(batch, &named.prefix()));
        }
    }
    Ok(batches)
}

impl Named {
    /// Returns the capture sets that have bundles, as NAME=PATH.
    fn sets(&self) -> Vec<String> {
        let captures = Folders::new(&self.folder).generated().join("captures");
        let pattern = format!("{}/*/*", glob::Pattern::escape(&captures.to_string_lossy()));
        let folders = glob::glob(&pattern).into_iter().flatten().filter_map(Result::ok);
        let has_bundle = |folder: &Path| {
            set::is_one(folder)
                && Manifest::read(folder)
                    .is_ok_and(|manifest| manifest.runs.iter().any(|run| run.bundle.is_some()))
        };
        let sets = folders.filter(|folder| has_bundle(folder)).filter_map(|folder| {
            let target = folder.parent()?.file_name()?.to_string_lossy().into_owned();
            let dispatch = folder.file_name()?.to_string_lossy().into_owned();
            Some(format!("{}{dispatch}@{target}={}", self.prefix(), folder.display()))
        });
        sets.collect()
    }

    fn prefix(&self) -> String {
        self.name.as_ref().map_or_else(String::new, |name| format!("{name}:"))
    }
}
