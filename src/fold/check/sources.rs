//! Where bundles come from, as a shell names it.

use arrow::datatypes::DataType::Utf8View;

use super::super::arrays::optional_texts;
use super::super::{Column, Columns};
use crate::bundle::Bundle;
use crate::bundle::set::{CaptureSet, Process, shell_words};

/// The columns of `capture_sources`.
pub const COLUMNS: &[Column] = &[
    ("path", Utf8View),
    ("capture_set", Utf8View),
    ("capture_set_path", Utf8View),
    ("tool_command", Utf8View),
    ("output_folder", Utf8View),
    ("counting_paths", Utf8View),
];

/// The row of `capture_sources`.
pub fn columns(bundle: &Bundle) -> Columns {
    let path = bundle.path.display().to_string();
    // Standard input cannot be named.
    let path = if path == "-" { "BUNDLE".to_owned() } else { shell_words([path.as_str()]) };
    let set = bundle.set.as_deref();
    let folder = set.map(|set| set.folder.display().to_string());
    let quoted = folder.as_deref().map(|folder| shell_words([folder]));
    let named = set.and_then(|set| set.name.clone()).or(folder);
    let process = set.and_then(|set| set.process_of(bundle));
    let elsewhere = process.and_then(elsewhere);
    let command = process.map(|process| command(process, elsewhere.is_some()));
    let output = elsewhere.map(|here| shell_words([format!("{here}/").as_str()]));
    let counting = set.map(CaptureSet::counting).filter(|paths| !paths.is_empty()).map(|paths| {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        shell_words(paths.iter().map(String::as_str))
    });
    let one = |text| optional_texts(std::iter::once(text));
    vec![one(Some(path)), one(named), one(quoted), one(command), one(output), one(counting)]
}

/// The working directory, where the tool ran in another.
fn elsewhere(process: &Process) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let is_there = here == process.directory;
    (!is_there && process.directory.is_dir()).then(|| here.display().to_string())
}

/// The tool's command line as it was given, from the folder where it ran.
fn command(process: &Process, is_elsewhere: bool) -> String {
    let tool = process.tool.path.to_string_lossy();
    let words = std::iter::once(&*tool).chain(process.arguments.iter().map(String::as_str));
    let words = shell_words(words);
    if !is_elsewhere {
        return words;
    }
    format!("cd {} && {words}", shell_words([&*process.directory.to_string_lossy()]))
}
