//! The format `parquet`: a folder of Parquet files per table and view, partitioned by bundle (Hive style).
//!
//! All files are written to a staging folder, which [`publish`] then makes part of the export.

use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use exporters::{EncodeError, Format, Output, Target};
use futures::StreamExt;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use super::super::encode;
use super::super::error::CliError;
use super::super::open::{self, Opening, STACK};
use super::super::progress::Progress;
use super::publish;
use super::what::What;
use crate::bundle::{Bundle, digest};
use crate::engine::dataset::{self, Exported};
use crate::engine::{self, Engine, Statement, processors};

/// Writes the folder of an export.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    let folder = args.output.as_path();
    if folder == Path::new("-") {
        return Err(CliError::Usage("parquet writes a folder; name it with --output".into()));
    }
    let condition = args.condition.as_deref();
    let queries = queries(&args.tables, condition)?;
    publish::manifest(folder)?;
    let engines = open::each(&args.bundles, opening)?;
    let staging = publish::staging(folder)?;
    let threads = opening.threads.map_or_else(processors, usize::from);
    let mut progress = Progress::new("exporting", (engines.len() * (queries.len() + 1)) as u64);
    let mut exported = Vec::with_capacity(engines.len());
    let mut engines = engines.into_iter();
    loop {
        let together: Vec<(Engine, Runtime)> = engines.by_ref().take(TOGETHER).collect();
        if together.is_empty() {
            break;
        }
        let parts = parts(&together, &queries);
        let is_scarce = together.iter().any(|(engine, _)| engine.has_scarce_memory());
        let threads = if is_scarce { 1 } else { threads };
        let mut entries = write_parts(&parts, threads, &mut progress, |part| match part.query {
            Some(query) => part.write(query, staging.folder.path()).map(|()| None),
            None => Ok(Some(described(part.bundle, &queries, condition))),
        })?;
        // Threads may finish in any order.
        entries.sort_by_key(|entry| together.iter().position(|(engine, _)| has(engine, entry)));
        exported.extend(entries);
    }
    drop(progress);
    publish::publish(staging, folder, &exported)
}

/// Number of bundles whose parts are written at once; their engines are then closed, so that thousands of bundles do not
/// fill the memory.
const TOGETHER: usize = 16;

fn has(engine: &Engine, entry: &Exported) -> bool {
    engine.bundles().iter().any(|bundle| bundle.label == entry.bundle)
}

/// Returns the units of work for these bundles.
fn parts<'a>(engines: &'a [(Engine, Runtime)], queries: &'a [Query]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    for (engine, runtime) in engines {
        for bundle in engine.bundles() {
            let queries = [None].into_iter().chain(queries.iter().map(Some));
            parts.extend(queries.map(|query| Part { engine, runtime, bundle, query }));
        }
    }
    // Views take longest. Started first, they do not leave one thread working alone at the end.
    parts.sort_by_key(|part| part.query.is_some_and(|it| schemas::find(it.relation).is_some()));
    parts
}

/// A unit of work, which one thread performs: the file with the rows of a relation from one bundle, or without a query
/// the manifest entry of the bundle, which includes a digest of all its bytes.
struct Part<'a> {
    engine: &'a Engine,
    runtime: &'a Runtime,
    bundle: &'a Bundle,
    query: Option<&'a Query>,
}

/// Performs the work on several threads that take parts from a shared queue, and stops at the first failure. Returns
/// the manifest entries.
fn write_parts(
    parts: &[Part<'_>],
    threads: usize,
    progress: &mut Progress,
    write: impl Fn(&Part<'_>) -> Result<Option<Exported>, CliError> + Sync,
) -> Result<Vec<Exported>, CliError> {
    let state = Mutex::new((parts.iter(), progress, Ok(Vec::new())));
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        loop {
            let Some(part) = lock().0.next() else { return };
            let written = write(part);
            let (waiting, progress, exported) = &mut *lock();
            match (written, exported.as_mut()) {
                (Ok(entry), Ok(exported)) => exported.extend(entry),
                (Ok(_), Err(_)) => {}
                (Err(error), _) => {
                    *waiting = [].iter();
                    *exported = Err(error);
                }
            }
            progress.finish_part(1);
            progress.at(0);
        }
    };
    let started = thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        (0..threads.min(parts.len())).try_for_each(|_| start().map(drop))
    });
    started.map_err(|source| CliError::System { action: "start a thread", source })?;
    state.into_inner().unwrap_or_else(PoisonError::into_inner).2
}

/// The query for the rows of a relation.
struct Query {
    relation: &'static str,
    /// The column with the position of a row in the bundle, if the relation has one. It orders the rows.
    place: Option<&'static str>,
    /// The query for the rows that satisfy the condition of `--where`, parsed and as text. `None` selects all rows.
    chosen: Option<(Statement, String)>,
}

/// The column of labels, which is not stored because the name of the partition contains it.
const LABEL: &str = "bundle";

/// The column with the position of a row in the bundle.
const PLACE: &str = "byte_offset";

impl Query {
    /// Creates the query of a relation. The order of rows is deterministic: by position in the bundle, or else by all
    /// columns.
    fn new(
        relation: &'static str,
        columns: &[String],
        condition: Option<&str>,
    ) -> Result<Self, CliError> {
        let place = columns.iter().any(|column| column == PLACE).then_some(PLACE);
        let Some(condition) = condition else { return Ok(Self { relation, place, chosen: None }) };
        let quoted: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
        let columns = quoted.join(", ");
        let order = place.unwrap_or(&columns);
        let text = format!("SELECT {columns} FROM {relation} WHERE {condition} ORDER BY {order}");
        let failed = |source| CliError::Statement { statement: text.clone(), source };
        let mut statements = engine::parse(&text).map_err(failed)?;
        match (statements.pop(), statements.is_empty()) {
            (Some(statement), true) => {
                Ok(Self { relation, place, chosen: Some((statement, text)) })
            }
            _ => Err(CliError::Usage("--where requires one condition".into())),
        }
    }
}

/// Whether a view is stored only on request: timelines and what is computed from other views repeat what is stored, and
/// critical paths take long.
fn is_on_request(name: &str) -> bool {
    let is_derived = sql::find(sql::Kind::View, name).is_some_and(sql::View::is_derived);
    is_derived || name.starts_with("timeline_") || name == "critical_path"
}

/// Returns the queries of the requested tables and views. The default is all whose rows belong to one bundle each,
/// except those that are stored on request.
fn queries(asked: &[String], condition: Option<&str>) -> Result<Vec<Query>, CliError> {
    // Dispatch runs and histories belong to no bundle and are stored as Parquet already.
    let of_bundles = |table: &&&schemas::Table| table.is_of_bundles();
    let tables = schemas::all().iter().filter(of_bundles).map(|table| {
        let columns = table.columns().into_iter().map(|column| column.name).collect();
        (table.name, columns)
    });
    let views =
        sql::all().iter().filter(|view| view.kind == sql::Kind::View && view.is_by_bundle());
    let views = views.map(|view| {
        let columns = view.header().columns.iter().map(|column| column.name.clone()).collect();
        (view.name, columns)
    });
    let mut all: Vec<(&str, Vec<String>)> = tables.chain(views).collect();
    if asked.is_empty() {
        all.retain(|(relation, _)| !is_on_request(relation));
    } else if let Some(name) = asked.iter().find(|name| all.iter().all(|known| known.0 != **name)) {
        return Err(CliError::Usage(format!(
            "there is no table or view {name} with rows per bundle; `ireescope tables` lists them"
        )));
    } else {
        all.retain(|(relation, _)| asked.iter().any(|name| relation == name));
    }
    all.iter().map(|(relation, columns)| Query::new(relation, columns, condition)).collect()
}

impl Part<'_> {
    fn write(&self, query: &Query, folder: &Path) -> Result<(), CliError> {
        let path = folder.join(dataset::partition(query.relation, &self.bundle.label));
        let failed = CliError::writing(&path);
        // Not `create_dir_all`: if the program is about to end, the staging folder is gone and must not come back.
        for folder in [folder.join(query.relation).as_path(), path.parent().unwrap_or(folder)] {
            match fs::create_dir(folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(failed)?,
            }
        }
        let file = Box::new(BufWriter::new(fs::File::create(&path).map_err(failed)?));
        let written = self.runtime.block_on(self.write_rows(query, file));
        written.map_err(|error| match (error, &query.chosen) {
            (CliError::Engine(source), Some((_, text))) => {
                CliError::Statement { statement: text.clone(), source }
            }
            (other, _) => other,
        })
    }

    async fn write_rows(&self, query: &Query, file: Output) -> Result<(), CliError> {
        let rows = match &query.chosen {
            Some((statement, _)) => self.engine.run(statement).await?,
            None => self.engine.relation(query.relation, query.place).await?.stream()?,
        };
        let schema = rows.schema();
        let kept: Vec<usize> =
            (0..schema.fields().len()).filter(|nth| schema.field(*nth).name() != LABEL).collect();
        let target = Target { file: true, ..Target::default() };
        let schema = Arc::new(schema.project(&kept).map_err(EncodeError::from)?);
        let encoder = Format::Parquet.encoder(&schema, file, target)?;
        encode::encode(rows.map(|batch| Ok(batch?.project(&kept)?)), encoder).await?;
        Ok(())
    }
}

fn described(bundle: &Bundle, queries: &[Query], condition: Option<&str>) -> Exported {
    let digest = Sha256::digest(bundle.bytes());
    Exported {
        bundle: bundle.label.clone(),
        source: bundle.path.display().to_string(),
        source_bytes: bundle.bytes().len() as u64,
        source_sha256: digest::hexadecimal(&digest),
        ireescope_version: env!("CARGO_PKG_VERSION").to_owned(),
        condition: condition.map(str::to_owned),
        relations: queries.iter().map(|query| query.relation.to_owned()).collect(),
    }
}
