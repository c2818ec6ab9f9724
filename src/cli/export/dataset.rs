//! `parquet`: a folder for each table and view, partitioned by bundle, for tools that read Parquet.
//!
//! Everything is written beside its place and then renamed, the manifest last; so a new folder appears whole or not at
//! all, and in a known one a bundle is added or replaced.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use exporters::{Format, Target};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::super::args::{Export, Opening};
use super::super::error::CliError;
use super::super::progress::Progress;
use super::super::{open, sql};
use crate::bundle::{Bundle, digest};
use crate::engine::dataset::{self, Dataset, Exported, MANIFEST, Manifest};
use crate::engine::{self, Engine};

/// Writes the folder.
pub fn write(args: &Export, opening: &Opening) -> Result<(), CliError> {
    let folder = args.output.as_path();
    if folder == Path::new("-") {
        return Err(CliError::Usage("parquet writes a folder; name one with --output".into()));
    }
    let relations = relations(&args.tables)?;
    let manifest = manifest(folder)?;
    let engines = open::each(&args.bundles, opening)?;
    let staging = staging(folder)?;
    let condition = args.condition.as_deref();
    let mut files: Vec<_> = engines.iter().flat_map(|asked| files(asked, &relations)).collect();
    // Views take the longest, so they come first, and threads are done at about the same time.
    files.sort_by_key(|file| schemas::find(file.relation).is_some());
    let mut progress = Progress::new("exporting", files.len() as u64);
    let threads = opening.threads.map_or_else(engine::processors, usize::from);
    let written = |()| {
        progress.finish_part(1);
        progress.at(0);
        true
    };
    engine::side_by_side(threads, &files, |file| file.write(staging.path(), condition), written)?;
    progress.clear();
    let bundles = engines.iter().filter_map(|(engine, _)| engine.bundles().first());
    let exported: Vec<_> = bundles.map(|it| described(it, &relations, condition)).collect();
    publish(staging, folder, manifest, &exported)
}

/// A file that is to be written, by one thread.
struct File<'a> {
    engine: &'a Engine,
    runtime: &'a Runtime,
    bundle: &'a Bundle,
    relation: &'a str,
}

/// The files of an engine's only bundle.
fn files<'a>(
    (engine, runtime): &'a (Engine, Runtime),
    relations: &'a [&str],
) -> impl Iterator<Item = File<'a>> {
    let bundles = engine.bundles().first().into_iter();
    bundles.flat_map(move |bundle| {
        relations.iter().map(move |relation| File { engine, runtime, bundle, relation })
    })
}

impl File<'_> {
    fn write(&self, folder: &Path, condition: Option<&str>) -> Result<(), CliError> {
        let path = folder.join(dataset::partition(self.relation, &self.bundle.label));
        let query = query(self.relation, condition);
        let written = self.runtime.block_on(write_file(self.engine, &query, &path));
        written.map_err(|error| match error {
            CliError::Engine(source) => CliError::Statement { statement: query, source },
            other => other,
        })
    }
}

/// The tables and views that are asked for, or all whose rows are each of one bundle but those of timelines, which say the
/// same once more.
fn relations(asked: &[String]) -> Result<Vec<&'static str>, CliError> {
    // Rows that stand beside bundles are Parquet already.
    let of_bundles = |table: &&&schemas::Table| table.source != schemas::Source::DispatchRuns;
    let tables = schemas::all().iter().filter(of_bundles).map(|table| table.name);
    let views =
        ::sql::all().iter().filter(|view| view.kind == ::sql::Kind::View && view.is_by_bundle());
    let all: Vec<&str> = tables.chain(views.map(|view| view.name)).collect();
    if asked.is_empty() {
        return Ok(all.into_iter().filter(|name| !name.starts_with("timeline_")).collect());
    }
    let find = |name: &String| {
        all.iter().copied().find(|known| known == name).ok_or_else(|| {
            CliError::Usage(format!(
                "no table or view by bundle is called {name}; `ireescope tables` lists them"
            ))
        })
    };
    asked.iter().map(find).collect()
}

/// The rows of a bundle, without the label, which the folder's name says: in file order where they have one, and in some
/// order where they have none, as whatever threads do, the same bundle is to become the same files.
fn query(relation: &str, condition: Option<&str>) -> String {
    let columns: Vec<String> = columns(relation);
    let has_order = columns.iter().any(|column| column == "byte_offset");
    let columns = columns.iter().filter(|column| *column != "bundle");
    let columns: Vec<String> = columns.map(|column| format!("\"{column}\"")).collect();
    let columns = columns.join(", ");
    let condition = condition.map(|text| format!(" WHERE {text}")).unwrap_or_default();
    let order = match schemas::find(relation) {
        _ if has_order => " ORDER BY byte_offset".to_owned(),
        Some(_) => String::new(),
        None => format!(" ORDER BY {columns}"),
    };
    format!("SELECT {columns} FROM {relation}{condition}{order}")
}

fn columns(relation: &str) -> Vec<String> {
    if let Some(table) = schemas::find(relation) {
        return table.columns().into_iter().map(|column| column.name).collect();
    }
    let view = ::sql::all().iter().find(|view| view.name == relation);
    let columns = view.into_iter().flat_map(|view| &view.header().columns);
    columns.map(|column| column.name.clone()).collect()
}

async fn write_file(engine: &Engine, query: &str, path: &Path) -> Result<(), CliError> {
    let failed = |source| CliError::File { action: "write", path: path.to_owned(), source };
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    let statements = engine::parse(query)?;
    let [statement] = statements.as_slice() else {
        return Err(CliError::Usage("--where is one condition".into()));
    };
    let batches = engine.run(statement).await?;
    let file = Box::new(BufWriter::new(fs::File::create(path).map_err(failed)?));
    let target = Target { width: None, file: true };
    let encoder = Format::Parquet.encoder(&batches.schema(), file, target)?;
    sql::encode(batches, encoder).await?;
    Ok(())
}

fn described(bundle: &Bundle, relations: &[&str], condition: Option<&str>) -> Exported {
    let digest = Sha256::digest(bundle.bytes());
    Exported {
        bundle: bundle.label.clone(),
        source: bundle.path.display().to_string(),
        source_bytes: bundle.bytes().len() as u64,
        source_sha256: digest::hexadecimal(&digest),
        ireescope_version: env!("CARGO_PKG_VERSION").to_owned(),
        condition: condition.map(str::to_owned),
        relations: relations.iter().map(|name| (*name).to_owned()).collect(),
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
