//! Accepts a folder of dispatch runs in place of a bundle: its captures are opened as bundles, its results as the table
//! `dispatch_runs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, StringViewArray};

use crate::bench::run::{Folders, store};
use crate::bundle::set::{self, Manifest};
use crate::cli::error::CliError;

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
    let (name, path) = argument.split_once('=').filter(|(name, _)| !name.contains('/'))?;
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
pub fn dispatch_runs(arguments: &[String]) -> Result<Vec<RecordBatch>, CliError> {
    let mut batches = Vec::new();
    for named in arguments.iter().filter_map(|argument| named(argument)) {
        for batch in store::batches(&named.folder)? {
            batches.push(named.labelled(batch));
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

    /// Prefixes the labels in a batch, so that they match those of the opened bundles.
    fn labelled(&self, batch: RecordBatch) -> RecordBatch {
        let prefix = self.prefix();
        let Some((at, _)) =
            batch.schema().column_with_name("bundle").filter(|_| !prefix.is_empty())
        else {
            return batch;
        };
        let mut columns = batch.columns().to_vec();
        let labels = batch.column(at).as_string_view();
        let named: StringViewArray =
            labels.iter().map(|label| label.map(|label| format!("{prefix}{label}"))).collect();
        if let Some(column) = columns.get_mut(at) {
            *column = Arc::new(named);
        }
        RecordBatch::try_new(batch.schema(), columns).unwrap_or(batch)
    }
}
