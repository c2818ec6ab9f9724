//! Accepts addresses of objects in place of paths: `s3://…`, also as NAME=ADDRESS.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::EngineError;
use engine::dataset::{Dataset, Manifest};
use read::bundle::sources::{expand_one, named};
use read::bundle::{BundleError, BundleSource};
use read::history::{History, HistoryError, Kept};
use read::remote::{Found, Stores, Told, is_address};

use super::error::OpenError;
use super::notice::Notice;
use super::options::WorkspaceOptions;
use super::user_folders;

/// How long copying takes before the user is told, and then again.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the addresses among arguments name.
#[derive(Debug, Default)]
pub struct Addresses(HashMap<String, Found<Arc<Manifest>>>);

/// Returns the name and the address of an argument; `None` if it is a path.
fn address(argument: &str) -> Option<(Option<&str>, &str)> {
    if is_address(argument) {
        return Some((None, argument));
    }
    let (name, address) = named(argument).filter(|(_, address)| is_address(address))?;
    Some((Some(name), address))
}

impl Addresses {
    /// Finds what the addresses among the arguments name, and copies what is opened as files.
    pub fn find(arguments: &[String], options: &WorkspaceOptions) -> Result<Self, OpenError> {
        let mut found = HashMap::new();
        for argument in arguments {
            if let Some((_, address)) = address(argument) {
                let dataset = |address: &str, text: &[u8]| {
                    let manifest = Manifest::parse_if_one(Path::new(address), text)?;
                    Some(manifest.map(Arc::new).map_err(|error| EngineError::from(error).into()))
                };
                let found_there = stores(options).find::<_, OpenError>(address, dataset)?;
                found.insert(argument.clone(), found_there);
            }
        }
        Ok(Self(found))
    }

    /// Opens the dataset that an argument names; `None` if it names something else.
    pub fn dataset(&self, argument: &str) -> Option<Dataset> {
        let Found::Dataset(folder, manifest) = self.0.get(argument)? else { return None };
        Some(Dataset::of_remote((**folder).clone(), Arc::clone(manifest)))
    }

    /// Opens the history that an argument names; `None` if it names something else.
    pub fn history(&self, argument: &str) -> Result<Option<History>, HistoryError> {
        let Some(Found::History(folder, text)) = self.0.get(argument) else { return Ok(None) };
        History::of_remote(folder, Some(text.clone()), Kept::Everything).map(Some)
    }

    /// Whether an argument names a history.
    pub fn is_history(&self, argument: &str) -> bool {
        matches!(self.0.get(argument), Some(Found::History(..)))
    }

    /// Whether an argument names a dataset.
    pub fn is_dataset(&self, argument: &str) -> bool {
        matches!(self.0.get(argument), Some(Found::Dataset(..)))
    }

    /// Replaces the addresses of folders that were copied by their paths.
    pub(crate) fn with_copies(&self, arguments: &[String]) -> Vec<String> {
        let replaced = arguments.iter().flat_map(|argument| {
            let Some(Found::Copied(folders)) = self.0.get(argument) else {
                return vec![argument.clone()];
            };
            let name = address(argument).and_then(|(name, _)| name);
            let named = |(_, folder): &(String, PathBuf)| match name {
                Some(name) => format!("{name}={}", folder.display()),
                None => folder.display().to_string(),
            };
            folders.iter().map(named).collect()
        });
        replaced.collect()
    }

    /// Expands a path of a copy, whose files then have the addresses of their objects; `None` for other paths.
    pub fn of_copy(&self, argument: &str) -> Option<Result<Vec<BundleSource>, BundleError>> {
        let path = named(argument).map_or(argument, |(_, path)| path);
        let folders = self.0.values().flat_map(|found| match found {
            Found::Copied(folders) => folders.as_slice(),
            _ => &[],
        });
        let (address, copy) =
            folders.into_iter().find(|(_, copy)| Path::new(path).starts_with(copy))?;
        let at_address = |sources: Vec<BundleSource>| {
            sources.into_iter().map(|source| source.at_address(copy, address)).collect()
        };
        Some(expand_one(argument).map(at_address))
    }

    /// Returns the bundles that arguments name, by argument.
    pub fn sources(&self) -> Result<HashMap<String, Vec<BundleSource>>, OpenError> {
        let mut sources = HashMap::new();
        for (argument, found) in &self.0 {
            let Found::Bundles(bundles) = found else { continue };
            let name = address(argument).and_then(|(name, _)| name);
            let of = bundles
                .iter()
                .map(|(address, copy)| BundleSource::copied(address.clone(), copy.clone()));
            let mut of: Vec<BundleSource> = of.collect();
            if let Some(name) = name {
                let [source] = of.as_mut_slice() else {
                    let hint =
                        "NAME=ADDRESS requires an object; give folders and patterns without NAME";
                    return Err(BundleError::Missing { path: argument.clone(), hint }.into());
                };
                (source.label, source.named) = (name.to_owned(), true);
            }
            sources.insert(argument.clone(), of);
        }
        Ok(sources)
    }
}

/// Returns the stores of the options, with their cache and listener.
pub(super) fn stores(options: &WorkspaceOptions) -> Stores {
    let mut stores = options.objects.clone();
    stores.cache = stores.cache.or_else(user_folders::cache);
    let (listener, last) = (options.listener.clone(), Mutex::new(Instant::now()));
    stores.watch.get_or_insert_with(|| {
        Arc::new(move |told| match told {
            Told::Transfer { address, done, total } => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= PATIENCE {
                    *last = Instant::now();
                    listener.tell(Notice::Copying { address, done, total });
                }
            }
            Told::LeftOut(addresses) => listener.tell(Notice::LeftOut(addresses)),
        })
    });
    stores
}
