//! A folder of Parquet files per table and view, of each bundle or of batches of bundles. The engine opens such folders
//! ([`engine::dataset`]).
//!
//! All files are written to a staging folder, which [`publish`] then makes part of the export.

mod batches;
mod merge;
mod places;
mod publish;
mod queries;
mod remote;
mod units;

use std::collections::HashSet;
use std::path::PathBuf;

use base::{Staging, digest, try_in_order};
use engine::Options;
use engine::dataset::Exported;
use queries::Query;
use read::bundle::{Bundle, Files};
use read::remote::{RemoteFolder, is_address, unique};
use tools::capture::Stop;
use units::{Part, Unit};

use super::error::ExportError;
use crate::{Progress, STACK, WorkspaceOptions, open_bundles};

/// What is added to the bytes of a bundle for the results of its passes. Those of a small bundle take 260 kB, and half of the
/// memory may hold them; its bytes may take an eighth.
const PASSES: u64 = 80 << 10;

/// What is exported as Parquet files, and where to.
#[derive(Debug, Clone, Default)]
pub struct DatasetRequest {
    /// The bundles, as [`Workspace::open`](crate::Workspace::open) takes them.
    pub bundles: Vec<String>,
    /// A new or empty folder, or one of an earlier export, in which bundles of the same labels are replaced.
    pub folder: PathBuf,
    /// The tables and views; if there are none, all with rows per bundle, except those that repeat others or take long.
    pub relations: Vec<String>,
    /// Only rows that satisfy this SQL condition, in every relation.
    pub condition: Option<String>,
}

/// A request that was checked, with its bundles open.
pub struct DatasetPlan {
    folder: PathBuf,
    condition: Option<String>,
    bundles: Vec<Bundle>,
    queries: Vec<Query>,
    /// Whether bundles share files.
    is_batched: bool,
    options: Options,
    files: Files,
    threads: usize,
    /// The same folder, if it is in an object store.
    remote: Option<RemoteFolder>,
}

/// An export whose files are complete, but not in the folder yet. They are removed with it.
pub struct StagedDataset {
    staging: Staging,
    folder: PathBuf,
    exported: Vec<Exported>,
    /// The labels that the user chose.
    named: HashSet<String>,
    threads: usize,
    remote: Option<RemoteFolder>,
}

/// What was exported.
#[derive(Debug)]
pub struct ExportedDataset {
    pub bundles: Vec<Exported>,
    /// The labels of the bundles in the folder that were replaced.
    pub replaced: Vec<String>,
}

impl DatasetPlan {
    /// Checks a request and opens its bundles. Writes nothing.
    pub fn new(request: &DatasetRequest, options: &WorkspaceOptions) -> Result<Self, ExportError> {
        let DatasetRequest { folder, condition, .. } = request;
        let relations = queries::relations(&request.relations)?;
        let remote = match folder.to_str().filter(|text| is_address(text)) {
            Some(address) => Some(options.objects.folder(address)?),
            None => None,
        };
        let before = match &remote {
            Some(folder) => remote::manifest(folder)?.0,
            None => publish::manifest(folder)?.unwrap_or_default(),
        };
        let (bundles, of_engines) = open_bundles(&request.bundles, options)?;
        let known = before.by_label();
        for bundle in bundles.iter().filter(|bundle| !bundle.is_named) {
            let known = known.get(bundle.label.as_str()).copied();
            let source = bundle.path.display().to_string();
            publish::check_same_capture(folder, known, &source, || digest::of(bundle.bytes()))?;
        }
        let labels = bundles.iter().map(|bundle| bundle.label.as_str());
        // Files in an object store are never written over, so that each export has batches of its own.
        let is_batched = remote.is_some() || batches::are_needed(&before, labels);
        if let Some(folder) = &remote {
            remote::check(folder)?;
        }
        let query = |relation| Query::new(relation, condition.as_deref(), is_batched);
        Ok(Self {
            folder: folder.clone(),
            condition: condition.clone(),
            queries: relations.iter().map(query).collect::<Result<_, _>>()?,
            bundles,
            is_batched,
            options: of_engines,
            files: options.files.clone(),
            threads: options.threads(),
            remote,
        })
    }

    /// Writes the files and makes them part of the folder in a single step, unless a stop is requested before. The folder
    /// for files that are not complete yet is removed with the result, or by [`base::remove_all`].
    pub fn write(
        self,
        stop: &Stop,
        listener: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<ExportedDataset, ExportError> {
        self.stage(stop, listener)?.publish()
    }

    /// Writes the files beside the folder, unless a stop is requested, for a caller that decides later whether they become
    /// part of it.
    pub fn stage(
        self,
        stop: &Stop,
        listener: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<StagedDataset, ExportError> {
        let staging = match &self.remote {
            Some(_) => publish::staging(&std::env::temp_dir())?,
            None => publish::staging(&self.folder)?,
        };
        let Self {
            folder,
            condition,
            bundles,
            queries,
            is_batched,
            options,
            files,
            threads,
            remote,
        } = self;
        let is_named = |bundle: &&Bundle| bundle.is_named;
        let named: HashSet<String> =
            bundles.iter().filter(is_named).map(|bundle| bundle.label.clone()).collect();
        let mut progress =
            Progress { done: 0, total: (bundles.len() * (queries.len() + 1)) as u64 };
        listener(progress);
        let mut exported = Vec::with_capacity(bundles.len());
        // A batch is closed before the next one is read, so that thousands of bundles do not fill the memory.
        let together = if is_batched { 1 } else { batches::FEW };
        let mut groups = groups(bundles, is_batched, &options).into_iter();
        loop {
            let units = groups.by_ref().take(together).map(|bundles| {
                let labels = bundles.iter().map(|bundle| bundle.label.as_str());
                let suffix = remote.as_ref().map(|_| unique());
                let name = is_batched.then(|| batches::distinct(labels, suffix.as_deref()));
                Unit::open(bundles, name, options.clone())
            });
            let units = units.collect::<Result<Vec<Unit>, _>>()?;
            if units.is_empty() {
                break;
            }
            let mut parts: Vec<Part<'_>> =
                units.iter().flat_map(|unit| unit.parts(&queries)).collect();
            // Views take longest. Started first, they do not leave one thread working alone at the end.
            parts.sort_by_key(Part::is_table);
            let is_scarce = units.iter().any(|unit| unit.engine.has_scarce_memory());
            let threads = if is_scarce { 1 } else { threads };
            let finished = |part: &Part<'_>| {
                progress.done += part.amount();
                listener(progress);
            };
            let entries = try_in_order(&parts, threads, Some(STACK), finished, |part| {
                if stop.is_asked() {
                    return Err(ExportError::Stopped);
                }
                part.perform(staging.path(), &queries, condition.as_deref())
            })?;
            exported.extend(entries.into_iter().flatten());
        }
        files.whole()?;
        Ok(StagedDataset { staging, folder, exported, named, threads, remote })
    }
}

impl StagedDataset {
    /// Makes the files part of the folder, in a single step.
    pub fn publish(self) -> Result<ExportedDataset, ExportError> {
        let Self { staging, folder, exported, named, threads, remote } = self;
        let replaced = match remote {
            Some(folder) => remote::publish(&folder, staging.path(), &exported, &named, threads)?,
            None => publish::publish(staging, &folder, &exported, &named, threads)?,
        };
        Ok(ExportedDataset { bundles: exported, replaced })
    }
}

/// Returns the bundles that are queried together: those of a batch, or each alone.
fn groups(bundles: Vec<Bundle>, is_batched: bool, options: &Options) -> Vec<Vec<Bundle>> {
    if !is_batched {
        return bundles.into_iter().map(|bundle| vec![bundle]).collect();
    }
    let bytes = |bundle: &Bundle| bundle.directory.end + PASSES;
    // Half of what a query may read, as the results of passes stay until the batch is written.
    batches::split(bundles, bytes, |bytes| !options.memory.is_scarce(bytes.saturating_mul(2)))
}
