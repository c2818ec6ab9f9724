//! Compiles the executables that a spec changes to the end, each alone.

use std::path::{Path, PathBuf};

use base::{in_order, processors, with_extension};
use model::tuning::dumps;

use super::compile::{Compiler, Configured};
use super::error::CompilerError;

/// What became of the executables that a spec changes.
#[derive(Debug, Default)]
pub struct Changed {
    /// The names of their dispatches.
    pub dispatches: Vec<String>,
    /// Those that the compiler refuses.
    pub refused: Vec<Refused>,
}

/// An executable that the compiler refuses.
#[derive(Debug)]
pub struct Refused {
    pub dispatches: Vec<String>,
    /// What the compiler says.
    pub words: String,
    /// Whether it refuses it also without the spec.
    pub is_own: bool,
}

/// An executable without and with a spec.
struct Pair {
    before: PathBuf,
    after: PathBuf,
    dispatches: Vec<String>,
}

/// Compiles the executables whose configuration differs, on all processors.
pub fn compile(
    compiler: &Compiler,
    before: &Configured,
    after: &Configured,
) -> Result<Changed, CompilerError> {
    let mut pairs = Vec::new();
    let read = |path: &Path| std::fs::read(path).map_err(CompilerError::reading(path));
    let folder = after.folder();
    for path in with_extension(folder, "mlir").map_err(CompilerError::reading(folder))? {
        let untuned = before.folder().join(path.file_name().unwrap_or_default());
        if !untuned.exists() || read(&untuned)? != read(&path)? {
            let dispatches = dumps::read(&path)?.into_iter().map(|it| it.name).collect();
            pairs.push(Pair { before: untuned, after: path, dispatches });
        }
    }
    let mut changed = Changed::default();
    let refused = in_order(&pairs, processors(), |pair| refused(compiler, pair));
    for (pair, refused) in pairs.into_iter().zip(refused) {
        changed.dispatches.extend(pair.dispatches);
        changed.refused.extend(refused?);
    }
    Ok(changed)
}

/// Compiles an executable with the spec, and if the compiler refuses it, also without.
fn refused(compiler: &Compiler, pair: &Pair) -> Result<Option<Refused>, CompilerError> {
    let words_on = |path: &Path| {
        let checked = compiler.check(path, &["--compile-mode=hal-executable".to_owned()]);
        checked.map_or_else(|error| error.words().map(Some), |()| Ok(None))
    };
    let Some(words) = words_on(&pair.after)? else { return Ok(None) };
    let folder = format!("{}/", pair.after.parent().unwrap_or(Path::new("")).display());
    Ok(Some(Refused {
        dispatches: pair.dispatches.clone(),
        words: words.replace(&folder, ""),
        is_own: pair.before.exists() && words_on(&pair.before)?.is_some(),
    }))
}
