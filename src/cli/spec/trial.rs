//! Shows what became of a spec that was tried.

use std::path::Path;

use super::compiler::Compiling;
use super::relation::{Cell, Relation};
use super::results::{self, Checking};
use crate::cli::error::CliError;
use crate::cli::printing::Printing;
use crate::compiler::{
    Compiler, Configured, Judged, SpecFlag, Trial, VerdictRow, temporary_folder, try_spec,
};
use crate::report::fit::Fit::{Name, Prose, Stays};
use crate::tuning::spec::Spec;

/// Tries a spec that is to be written, prints what became of it, and compares results if that is asked for. Returns the flag
/// that reads it. Fails unless every matcher is applied, and what it changes compiles.
pub fn prove(
    (compiler, compiling): (&Compiler, &Compiling),
    model: &Path,
    (text, spec): (&str, &Spec),
    before: &Configured,
    checking: &Checking,
) -> Result<SpecFlag, CliError> {
    let folder = temporary_folder()?;
    let path = folder.path().join("spec.mlir");
    let path = path.as_path();
    std::fs::write(path, text).map_err(CliError::writing(path))?;
    let judged = match try_spec(compiler, model, (path, spec), before)? {
        Trial::Refused(words) => {
            return Err(CliError::No(format!("the compiler refuses these values:\n{words}")));
        }
        Trial::Judged(judged) => judged,
    };
    relation(spec, &judged).print(&Printing::default(), &judged.summary())?;
    if judged.failed() > 0 {
        return Err(CliError::No("the spec is not applied, so it is not written".to_owned()));
    }
    if let Some(words) = judged.refusal() {
        return Err(CliError::No(format!("nothing is written, as {words}")));
    }
    let longest = judged.longest_reduction(&before.dispatches);
    let spec = (path, judged.flag);
    let told = results::checked(checking, (compiler, compiling), model, spec, longest)?;
    eprintln!("ireescope: {told}");
    Ok(judged.flag)
}

/// Returns the rows of verdicts: one per matcher and dispatch to which it was applied, or one that says why it was not.
pub fn relation(spec: &Spec, judged: &Judged) -> Relation {
    let row = |it: VerdictRow| {
        [it.matcher, it.result.to_owned(), it.dispatch, it.detail].map(Cell::Text).to_vec()
    };
    Relation {
        columns: vec![("matcher", Stays), ("result", Stays), ("dispatch", Name), ("detail", Prose)],
        rows: judged.rows(spec).into_iter().map(row).collect(),
        grouped: 0,
        hidden: Vec::new(),
    }
}
