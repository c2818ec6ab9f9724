//! `parquet`: a folder for each table and view, partitioned by bundle, for tools that read Parquet.
//!
//! Everything is written beside its place and then renamed, the manifest last; so a new folder appears whole or not at
//! all, and in a known one a bundle is added or replaced.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use exporters::{Format, Output, Target};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::super::args::{Export, Opening};
use super::super::error::CliError;
use super::super::progress::Progress;
use super::super::{open, sql};
use crate::bundle::{Bundle, digest};
use crate::engine::dataset::{self, Dataset, Exported, MANIFEST, Manifest};
use crate::engine::{self, Engine, Statement, Whole};

/// Writes the folder.
pub fn write(args: &Export, opening: &Opening) -> Result<(), CliError> {
    let folder = args.output.as_path();
    if folder == Path::new("-") {
        return Err(CliError::Usage("parquet writes a folder; name one with --output".into()));
    }
    let relations = relations(&args.tables)?;
    let manifest = manifest(folder)?;
    let engines = open::each(&args.bundles, opening)?;
    let condition = args.condition.as_deref();
    let queries: Vec<Query> = relations
        .into_iter()
        .map(|whole| Query::new(whole, condition))
        .collect::<Result<_, _>>()?;
    let staging = staging(folder)?;
    let mut files: Vec<_> = engines.iter().flat_map(|asked| files(asked, &queries)).collect();
    // Views take the longest, so they come first, and threads are done at about the same time.
    files.sort_by_key(|file| schemas::find(file.query.whole.relation).is_some());
    let threads = opening.threads.map_or_else(engine::processors, usize::from);
    begin(&engines, &files, staging.path(), threads)?;
    let bundles = engines.iter().filter_map(|(engine, _)| engine.bundles().first());
    let parts: Vec<Part<'_>> =
        bundles.map(|it| Part::Description(it)).chain(files.into_iter().map(Part::File)).collect();
    let mut progress = Progress::new("exporting", parts.len() as u64);
    let work = |part: &Part<'_>| match part {
        Part::Description(bundle) => Ok(Some(described(bundle, &queries, condition))),
        Part::File(file) => file.write(staging.path()).map(|()| None),
    };
    let mut exported = Vec::new();
    let made = |description: Option<Exported>| {
        exported.extend(description);
        progress.finish_part(1);
        progress.at(0);
        true
    };
    engine::side_by_side(threads, &parts, work, made)?;
    progress.clear();
    publish(staging, folder, manifest, &exported)
}

/// What an export is made of, each by one thread.
enum Part<'a> {
    /// What the manifest says of a bundle, all bytes of which are read for it.
    Description(&'a Bundle),
    File(File<'a>),
}

/// The rows of a relation's files.
struct Query {
    whole: Whole,
    /// What asks for those for which a condition holds, as it is written and as it is parsed.
    chosen: Option<(String, Statement)>,
}

impl Query {
    fn new(whole: Whole, condition: Option<&str>) -> Result<Self, CliError> {
        let chosen = condition.map(|condition| {
            let text = text(&whole, condition);
            let mut statements = match engine::parse(&text) {
                Ok(statements) => statements,
                Err(source) => return Err(CliError::Statement { statement: text, source }),
            };
            match (statements.pop(), statements.is_empty()) {
                (Some(statement), true) => Ok((text, statement)),
                _ => Err(CliError::Usage("--where is one condition".into())),
            }
        });
        let chosen = chosen.transpose()?;
        Ok(Self { whole, chosen })
    }
}

/// The rows for which a condition holds that somebody wrote, and which may ask for anything.
fn text(whole: &Whole, condition: &str) -> String {
    let list = |columns: &[&str]| {
        let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        quoted.join(", ")
    };
    let relation = whole.relation;
    let columns: Vec<&str> = whole.columns.iter().map(String::as_str).collect();
    let (columns, order) = (list(&columns), whole.ordered_by());
    let order =
        if order.is_empty() { String::new() } else { format!(" ORDER BY {}", list(&order)) };
    format!("SELECT {columns} FROM {relation} WHERE {condition}{order}")
}

/// A file that is to be written, by one thread.
struct File<'a> {
    engine: &'a Engine,
    runtime: &'a Runtime,
    bundle: &'a Bundle,
    query: &'a Query,
}

/// The files of an engine's only bundle.
fn files<'a>(
    (engine, runtime): &'a (Engine, Runtime),
    queries: &'a [Query],
) -> impl Iterator<Item = File<'a>> {
    let bundles = engine.bundles().first().into_iter();
    bundles.flat_map(move |bundle| {
        queries.iter().map(move |query| File { engine, runtime, bundle, query })
    })
}

/// What is done before any file is written.
enum First<'a> {
    Planner(&'a Engine),
    Folders,
}

/// Makes all folders, which takes as long as to make what plans, at the same time.
fn begin(
    engines: &[(Engine, Runtime)],
    files: &[File<'_>],
    folder: &Path,
    threads: usize,
) -> Result<(), CliError> {
    let work = |first: &First<'_>| match first {
        First::Planner(engine) => Ok(engine.begin()?),
        First::Folders => files.iter().try_for_each(|file| {
            let path = file.path(folder);
            let made = fs::create_dir_all(path.parent().unwrap_or(&path));
            made.map_err(|source| CliError::File { action: "write", path, source })
        }),
    };
    let planners = engines.iter().map(|(engine, _)| First::Planner(engine));
    let all: Vec<First<'_>> = planners.chain([First::Folders]).collect();
    engine::side_by_side(threads, &all, work, |()| true)
}

impl File<'_> {
    /// Where it is in the folder.
    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(dataset::partition(self.query.whole.relation, &self.bundle.label))
    }

    fn write(&self, folder: &Path) -> Result<(), CliError> {
        let path = self.path(folder);
        let failed = |source| CliError::File { action: "write", path: path.clone(), source };
        let file = Box::new(BufWriter::new(fs::File::create(&path).map_err(failed)?));
        let written = self.runtime.block_on(self.write_rows(file));
        written.map_err(|error| match (error, &self.query.chosen) {
            (CliError::Engine(source), Some((text, _))) => {
                CliError::Statement { statement: text.clone(), source }
            }
            (other, _) => other,
        })
    }

    async fn write_rows(&self, file: Output) -> Result<(), CliError> {
        let rows = match &self.query.chosen {
            Some((_, statement)) => self.engine.run(statement).await?,
            None => self.engine.whole(&self.query.whole).await?,
        };
        let target = Target { width: None, file: true };
        let encoder = Format::Parquet.encoder(&rows.schema(), file, target)?;
        sql::encode(rows, encoder).await?;
        Ok(())
    }
}

/// The tables and views that are asked for, or all whose rows are each of one bundle but those of timelines, which say the
/// same once more.
fn relations(asked: &[String]) -> Result<Vec<Whole>, CliError> {
    // Rows that stand beside bundles are Parquet already.
    let of_bundles = |table: &&&schemas::Table| table.source != schemas::Source::DispatchRuns;
    let tables = schemas::all().iter().filter(of_bundles).map(|table| Whole::of_table(table));
    let views =
        ::sql::all().iter().filter(|view| view.kind == ::sql::Kind::View && view.is_by_bundle());
    let mut all: Vec<Whole> = tables.chain(views.map(Whole::of_view)).collect();
    if asked.is_empty() {
        all.retain(|whole| !whole.relation.starts_with("timeline_"));
        return Ok(all);
    }
    if let Some(name) = asked.iter().find(|name| all.iter().all(|known| known.relation != **name)) {
        return Err(CliError::Usage(format!(
            "no table or view by bundle is called {name}; `ireescope tables` lists them"
        )));
    }
    all.retain(|whole| asked.iter().any(|name| whole.relation == name));
    Ok(all)
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
        relations: queries.iter().map(|query| query.whole.relation.to_owned()).collect(),
    }
}

/// The manifest of a folder that is there, which must be an export or empty.
fn manifest(folder: &Path) -> Result<Option<Manifest>, CliError> {
    if Dataset::is_one(folder) {
        return Ok(Some(Manifest::read(folder).map_err(engine::EngineError::from)?));
    }
    let failed = |source| CliError::File { action: "write", path: folder.to_owned(), source };
    let mut entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(failed)?,
    };
    if entries.next().is_some() {
        return Err(CliError::Usage(format!(
            "{} holds files but no {MANIFEST}; export to a folder of its own",
            folder.display()
        )));
    }
    Ok(Some(Manifest::default()))
}

/// A folder beside what it is to become, or in it: renaming works within a file system only.
fn staging(folder: &Path) -> Result<TempDir, CliError> {
    let parent = if folder.is_dir() { Some(folder) } else { folder.parent() };
    let parent = parent.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = fs::metadata(parent)
        .and_then(|_| tempfile::Builder::new().prefix(".ireescope-").tempdir_in(parent));
    made.map_err(|error| {
        // The name of the temporary folder would only confuse.
        let source = error.kind().into();
        CliError::File { action: "write", path: folder.to_owned(), source }
    })
}

/// Puts what was written in its place.
fn publish(
    staging: TempDir,
    folder: &Path,
    known: Option<Manifest>,
    exported: &[Exported],
) -> Result<(), CliError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CliError::File { action: "write", path, source }
    };
    let is_new = known.is_none();
    let mut manifest = known.unwrap_or_default();
    let before = manifest.clone();
    for bundle in exported {
        manifest.put(bundle.clone());
    }
    let text = manifest.to_text().map_err(io::Error::from);
    let written = staging.path().join(MANIFEST);
    text.and_then(|text| fs::write(&written, text)).map_err(failed(folder))?;
    if is_new {
        let staged = readable(staging).map_err(failed(folder))?;
        return fs::rename(&staged, folder).map_err(|error| {
            // What cannot be put in its place is not left lying beside it.
            let _ = fs::remove_dir_all(&staged);
            failed(folder)(error)
        });
    }
    for bundle in exported {
        let replaced = before.bundles.iter().find(|known| known.bundle == bundle.bundle);
        for relation in replaced.into_iter().flat_map(|known| &known.relations) {
            if !bundle.relations.contains(relation) {
                let old = folder.join(dataset::partition(relation, &bundle.bundle));
                fs::remove_file(&old).map_err(failed(&old))?;
            }
        }
        for relation in &bundle.relations {
            let file = dataset::partition(relation, &bundle.bundle);
            let target = folder.join(&file);
            fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(failed(&target))?;
            fs::rename(staging.path().join(&file), &target).map_err(failed(&target))?;
        }
    }
    fs::rename(&written, folder.join(MANIFEST)).map_err(failed(folder))
}

/// The staged folder with the rights of any new one; temporary ones are private.
fn readable(staging: TempDir) -> io::Result<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let first = fs::read_dir(staging.path())?
            .find_map(|entry| entry.ok().map(|entry| entry.path()).filter(|path| path.is_dir()));
        // A folder that was made in it has what the umask leaves.
        let rights = first.map(fs::metadata).transpose()?;
        let mode = rights.map_or(0o755, |metadata| metadata.permissions().mode());
        fs::set_permissions(staging.path(), fs::Permissions::from_mode(mode))?;
    }
    Ok(staging.keep())
}
