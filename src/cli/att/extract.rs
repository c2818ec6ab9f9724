//! Extracts traces and code objects into a folder, with a manifest.
//!
//! The manifest has the rows of the reports `executable_trace` and `code_object`, with the names of the files. Files that an
//! earlier manifest of the folder names and the new one does not are removed.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use serde_json::Value;

use crate::att;
use crate::base::replace;
use crate::bundle::Bundle;
use crate::cli::error::CliError;
use crate::cli::files::write_text;
use crate::cli::open::Opening;
use crate::cli::output::print;
use crate::cli::signals;
use crate::engine::{Engine, Parameters};
use crate::export::lines;
use crate::report::text::counted;
use crate::report::{Row, rows};
use crate::workspace::Workspace;

pub const TRACE: &str = "executable_trace";
pub const CODE_OBJECT: &str = "code_object";

const TRACE_END: &str = "att";
const CODE_OBJECT_END: &str = "hsaco";
const MANIFEST: &str = "manifest.json";

/// The folder that is filled.
struct Folder<'a> {
    path: &'a Path,
    engine: Arc<Engine>,
    /// How many files have names that begin so.
    stems: HashMap<String, u32>,
}

/// Extracts what the rows of the reports describe. Does nothing if the first has no rows; returns their number.
pub fn extract(
    reports: &[(&'static str, &Parameters)],
    (bundles, opening): (&[String], &Opening),
    folder: &Path,
) -> Result<usize, CliError> {
    let Workspace { engine, runtime } = opening.salvage(bundles)?;
    let mut answers = Vec::new();
    for (report, parameters) in reports {
        let batches = runtime.block_on(engine.report(report, parameters))?.batches;
        if answers.is_empty() && rows(&batches).is_empty() {
            return Ok(0);
        }
        answers.push((*report, batches));
    }
    signals::end_cleanly()?;
    let before = named(folder)?;
    fs::create_dir_all(folder).map_err(CliError::writing(folder))?;
    let mut folder = Folder { path: folder, engine, stems: HashMap::new() };
    let mut manifest = Vec::new();
    let mut counts = Vec::new();
    let mut now = HashSet::new();
    for (report, batches) in &answers {
        let files = folder.write(report, batches)?;
        let count = files.iter().flatten().collect::<HashSet<_>>().len();
        let noun = if *report == TRACE { "trace" } else { "code object" };
        counts.push(counted(count as u64, noun));
        warn(noun, files.iter().filter(|file| file.is_none()).count());
        manifest.push(section(report, batches, &files)?);
        now.extend(files.into_iter().flatten());
    }
    let manifest = format!("{{\n{}\n}}\n", manifest.join(",\n"));
    let path = folder.path.join(MANIFEST);
    write_text(&path, &manifest)?;
    remove(folder.path, before.difference(&now))?;
    print(&format!("{}, described in {}\n", counts.join(" and "), path.display()))?;
    Ok(answers.first().map_or(0, |(_, batches)| rows(batches).len()))
}

/// Returns the files that the manifest in a folder names. Names that extraction does not give are none of them. Fails if the
/// manifest is that of something else, such as a capture set.
fn named(folder: &Path) -> Result<HashSet<String>, CliError> {
    let path = folder.join(MANIFEST);
    let Ok(manifest) = fs::read(&path) else { return Ok(HashSet::new()) };
    let manifest: Value = serde_json::from_slice(&manifest).unwrap_or_default();
    if manifest.get(format!("{CODE_OBJECT}s")).is_none() {
        let path = path.display();
        return Err(CliError::Usage(format!(
            "{path} describes other files, and would be replaced; extract into another folder"
        )));
    }
    let sections = [TRACE, CODE_OBJECT].map(|report| manifest.get(format!("{report}s")).cloned());
    let rows = sections.iter().flatten().filter_map(Value::as_array).flatten();
    let names = rows.filter_map(|row| row.get("file")?.as_str());
    Ok(names.filter(|name| is_given(Path::new(name))).map(str::to_owned).collect())
}

/// Whether a path is a file of the folder with an end that extraction gives.
fn is_given(path: &Path) -> bool {
    let is_within = path.file_name() == Some(path.as_os_str());
    is_within && path.extension().is_some_and(|end| end == TRACE_END || end == CODE_OBJECT_END)
}

/// Removes files of a folder that may be gone already.
fn remove<'a>(folder: &Path, names: impl Iterator<Item = &'a String>) -> Result<(), CliError> {
    for path in names.map(|name| folder.join(name)) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done.map_err(CliError::writing(&path))?,
        }
    }
    Ok(())
}

/// Tells how many rows have no file.
fn warn(noun: &str, lacking: usize) {
    if lacking > 0 {
        let what = counted(lacking as u64, noun);
        let why = if noun == "trace" {
            "as the stream that the bundle was converted from leaves out the bytes"
        } else {
            "as the bundle has only records of loading"
        };
        eprintln!(
            "ireescope: warning: {what} cannot be extracted, {why}; \"file\" is null in the manifest"
        );
    }
}

impl Folder<'_> {
    /// Writes the data of each row to a file. Returns the names of the files; `None` where the bundle lacks the data.
    fn write(
        &mut self,
        report: &str,
        batches: &[RecordBatch],
    ) -> Result<Vec<Option<String>>, CliError> {
        // A code object has a row for each load.
        let mut written: HashMap<(String, u64), Option<String>> = HashMap::new();
        let mut files = Vec::new();
        for row in rows(batches) {
            let record = (row.text("bundle"), row.count("byte_offset"));
            let known = written.get(&record).cloned();
            let file = match known {
                Some(file) => file,
                None => self.write_one(report, &row)?,
            };
            written.insert(record, file.clone());
            files.push(file);
        }
        Ok(files)
    }

    fn write_one(&mut self, report: &str, row: &Row<'_>) -> Result<Option<String>, CliError> {
        let (label, offset) = (row.text("bundle"), row.whole("byte_offset"));
        let bundle = self.engine.bundles().iter().find(|bundle| bundle.label == label).cloned();
        let (Some(bundle), Some(offset)) = (bundle, offset) else { return Ok(None) };
        let (stem, end, bytes) = if report == TRACE {
            (format!("trace-{}", row.count("trace_id")), TRACE_END, att::trace(&bundle, offset))
        } else {
            let ids = (row.count("executable_id"), row.count("code_object_id"));
            let bytes = Some(att::code_object(&bundle, offset));
            (format!("code-object-{}-{}", ids.0, ids.1), CODE_OBJECT_END, bytes)
        };
        let Some(bytes) = bytes else { return Ok(None) };
        let name = self.name(&stem, end);
        let path = self.path.join(&name);
        replace(&path, |file| copy(file, bytes, &bundle)).map_err(CliError::writing(&path))?;
        Ok(Some(name))
    }

    /// Returns a name that is not taken yet; ids are unique only within a session.
    fn name(&mut self, stem: &str, end: &str) -> String {
        let count = self.stems.entry(stem.to_owned()).or_insert(0_u32);
        *count += 1;
        if *count == 1 { format!("{stem}.{end}") } else { format!("{stem}-{count}.{end}") }
    }
}

/// Writes bytes of a bundle, which must not have become shorter meanwhile.
fn copy(file: &mut impl Write, bytes: &[u8], bundle: &Bundle) -> io::Result<()> {
    file.write_all(bytes)?;
    bundle.whole().map_err(io::Error::other)
}

/// Returns the rows of a report as a field of a JSON object, each with the name of its file.
fn section(
    report: &str,
    batches: &[RecordBatch],
    files: &[Option<String>],
) -> Result<String, CliError> {
    let mut printed = Vec::new();
    lines::write_report(report, batches, &mut printed)?;
    let text = String::from_utf8_lossy(&printed);
    let objects: Vec<String> = text
        .lines()
        .zip(files)
        .map(|(line, file)| {
            let line = line.strip_suffix('}').unwrap_or(line);
            let file = file.as_ref().map_or("null".to_owned(), |file| format!("\"{file}\""));
            format!("  {line},\"file\":{file}}}")
        })
        .collect();
    Ok(format!("\"{report}s\": [\n{}\n]", objects.join(",\n")))
}
