//! The format `parquet`: a folder of Parquet files per table and view, of each bundle or of batches of bundles.
//!
//! All files are written to a staging folder, which [`publish`] then makes part of the export.

mod batches;
mod merge;
mod places;
mod publish;
mod queries;
mod replaced;
mod threads;
mod units;

use std::collections::HashSet;
use std::path::Path;

use super::what::What;
use crate::bundle::{Bundle, digest, processors};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::progress::Progress;
use crate::workspace::open_bundles;
use queries::Query;
use units::{Part, Unit};

/// What is added to the bytes of a bundle for the results of its passes. Those of a small bundle take 260 kB, and half of the
/// memory may hold them; its bytes may take an eighth.
const PASSES: u64 = 80 << 10;

/// Writes the folder of an export.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    let folder = args.output.as_path();
    if folder == Path::new("-") {
        return Err(CliError::Usage("parquet writes a folder; name it with --output".into()));
    }
    let condition = args.condition.as_deref();
    let relations = queries::relations(&args.tables)?;
    let before = publish::manifest(folder)?.unwrap_or_default();
    let (bundles, options) = open_bundles(&args.bundles, &opening.options())?;
    let named: HashSet<String> =
        bundles.iter().filter(|it| it.is_named).map(|it| it.label.clone()).collect();
    let known = before.by_label();
    for bundle in bundles.iter().filter(|bundle| !bundle.is_named) {
        let known = known.get(bundle.label.as_str()).copied();
        let source = bundle.path.display().to_string();
        let digest = || digest::of(bundle.bytes());
        replaced::check(folder, known, (&source, digest))?;
    }
    let labels = bundles.iter().map(|bundle| bundle.label.as_str());
    let is_batched = batches::are_needed(&before, labels);
    let queries = relations.iter().map(|relation| Query::new(relation, condition, is_batched));
    let queries = queries.collect::<Result<Vec<Query>, _>>()?;
    let staging = publish::staging(folder)?;
    let threads = opening.threads.map_or_else(processors, usize::from);
    let mut progress = Progress::new("exporting", (bundles.len() * (queries.len() + 1)) as u64);
    let mut exported = Vec::with_capacity(bundles.len());
    // A batch is closed before the next one is read, so that thousands of bundles do not fill the memory.
    let together = if is_batched { 1 } else { batches::FEW };
    let memory = options.memory.clone();
    let groups = if is_batched {
        let bytes = |bundle: &Bundle| bundle.directory.end + PASSES;
        // Half of what a query may read, as the results of passes stay until the batch is written.
        batches::split(bundles, bytes, |bytes| !memory.is_scarce(bytes.saturating_mul(2)))
    } else {
        bundles.into_iter().map(|bundle| vec![bundle]).collect()
    };
    let mut groups = groups.into_iter();
    loop {
        let units = groups.by_ref().take(together).map(|bundles| {
            let labels = bundles.iter().map(|bundle| bundle.label.as_str());
            let name = is_batched.then(|| batches::name(labels));
            Unit::open(bundles, name, options.clone())
        });
        let units = units.collect::<Result<Vec<Unit>, _>>()?;
        if units.is_empty() {
            break;
        }
        let mut parts: Vec<Part<'_>> = units.iter().flat_map(|unit| unit.parts(&queries)).collect();
        // Views take longest. Started first, they do not leave one thread working alone at the end.
        parts.sort_by_key(Part::is_table);
        let is_scarce = units.iter().any(|unit| unit.engine.has_scarce_memory());
        let threads = if is_scarce { 1 } else { threads };
        let finish = |part: &Part<'_>| {
            progress.finish_part(part.amount());
            progress.at(0);
        };
        let entries = threads::perform(&parts, threads, finish, |part| {
            part.perform(staging.path(), &queries, condition)
        })?;
        exported.extend(entries.into_iter().flatten());
    }
    drop(progress);
    let replaced = publish::publish(staging, folder, (&exported, &named), &opening.files, threads)?;
    replaced::tell(folder, &replaced);
    Ok(())
}
