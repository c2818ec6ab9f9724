//! Reads the files of specs.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model::tuning::spec::Spec;

use super::compile::temporary_folder;
use super::error::CompilerError;
use crate::capture::{Stop, compiler_errors, find, process};

/// What bytecode of MLIR begins with.
const BYTECODE: &[u8] = b"ML\xefR";

/// Time limit of iree-opt, which takes a fraction of a second.
const LIMIT: Duration = Duration::from_mins(1);

/// Reads a spec. iree-opt, which is looked for in the folder `tools` if that is given, turns bytecode into text; `stop` is
/// only called then. Other bytes that are no text are kept as they can be, so that the error says what the file is.
pub fn read_spec<E: From<CompilerError>>(
    path: &Path,
    tools: Option<&Path>,
    stop: impl FnOnce() -> Result<Arc<Stop>, E>,
) -> Result<Spec, E> {
    let bytes = std::fs::read(path).map_err(CompilerError::reading(path))?;
    let text = if bytes.starts_with(BYTECODE) {
        let stop = stop()?;
        text_of(path, tools, &stop)?
    } else {
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let spec = Spec::read(&text);
    Ok(spec.map_err(|source| CompilerError::Spec { path: path.to_owned(), source })?)
}

/// Returns bytecode as text.
fn text_of(path: &Path, tools: Option<&Path>, stop: &Stop) -> Result<String, CompilerError> {
    let tool = find::find("iree-opt", tools, stop)?.path;
    let folder = temporary_folder()?;
    let arguments = [path.to_string_lossy().into_owned()];
    let said = process::said(&tool, &arguments, (folder.path(), "opt"), LIMIT, stop)?;
    if said.is_well && said.cut.is_none() {
        return Ok(said.stdout);
    }
    let words = format!("iree-opt refuses it: {}", compiler_errors(&said.stderr));
    Err(CompilerError::reading(path)(io::Error::other(words)))
}
