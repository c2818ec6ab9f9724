//! Reads the files of specs.

use std::path::Path;
use std::time::Duration;

use super::compiler::folder;
use crate::capture::{compiler_errors, find, process};
use crate::cli::error::CliError;
use crate::cli::signals;
use crate::tuning::spec::Spec;

/// What bytecode of MLIR begins with.
const BYTECODE: &[u8] = b"ML\xefR";

/// Time limit of iree-opt, which takes a fraction of a second.
const LIMIT: Duration = Duration::from_mins(1);

/// Reads a spec. iree-opt, which is looked for in `bin` if that is given, turns bytecode into text. Other bytes that are no
/// text are kept as they can be, so that the error says what the file is.
pub fn read(path: &Path, bin: Option<&Path>) -> Result<Spec, CliError> {
    let bytes = std::fs::read(path).map_err(CliError::reading(path))?;
    let text = if bytes.starts_with(BYTECODE) {
        text_of(path, bin)?
    } else {
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Spec::read(&text).map_err(|source| CliError::Spec { path: path.to_owned(), source })
}

/// Returns bytecode as text.
fn text_of(path: &Path, bin: Option<&Path>) -> Result<String, CliError> {
    let stop = signals::listen()?;
    let tool = find::find("iree-opt", bin, &stop)?.path;
    let folder = folder()?;
    let arguments = [path.to_string_lossy().into_owned()];
    let said = process::said(&tool, &arguments, (folder.path(), "opt"), LIMIT, &stop)?;
    if said.is_well && said.cut.is_none() {
        return Ok(said.stdout);
    }
    let words = format!("iree-opt refuses it: {}", compiler_errors(&said.stderr));
    Err(CliError::reading(path)(std::io::Error::other(words)))
}
