//! Shows what became of a spec that was tried.

use std::path::Path;

use super::compiler::Compiling;
use super::relation::{Cell, Relation};
use super::results::{self, Checking};
use crate::cli::error::CliError;
use crate::cli::printing::Printing;
use crate::compiler::{
    Changed, Compiler, Configured, Judged, Refused, SpecFlag, Trial, temporary_folder, try_spec,
};
use crate::report::fit::Fit::{Name, Prose, Stays};
use crate::report::text::counted;
use crate::tuning::spec::{Difference, Entry, Nearest, Spec};

/// Says how many matchers were applied, and whether what they change compiles.
pub fn summary(judged: &Judged) -> String {
    let all = counted(judged.verdicts.len() as u64, "matcher");
    let all_of = |count| if count == 1 { "" } else { "All of " };
    let applied = match judged.failed() {
        0 => format!("{}{all} applied.", all_of(judged.verdicts.len())),
        failed => format!("{failed} of {all} not applied."),
    };
    let Changed { dispatches, refused } = &judged.changed;
    let changed = counted(dispatches.len() as u64, "changed dispatch");
    match refused.iter().map(|it| it.dispatches.len()).sum::<usize>() {
        _ if dispatches.is_empty() => applied,
        0 => format!("{applied} {}{changed} compiled to the end.", all_of(dispatches.len())),
        refused => format!("{applied} {refused} of {changed} refused by the compiler."),
    }
}

/// Returns the compiler's words on the dispatches that it refuses; `None` if it refuses none.
pub fn refusal(judged: &Judged) -> Option<String> {
    let said = |it: &Refused| {
        let also = if it.is_own { ", also without the spec" } else { "" };
        format!("the compiler refuses {}{also}:\n{}", it.dispatches.join(", "), it.words)
    };
    let all: Vec<String> = judged.changed.refused.iter().map(said).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

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
    relation(spec, &judged).print(&Printing::default(), &summary(&judged))?;
    if judged.failed() > 0 {
        return Err(CliError::No("the spec is not applied, so it is not written".to_owned()));
    }
    if let Some(words) = refusal(&judged) {
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
    let row = |entry: &Entry, result: &str, dispatch: &str, detail: String| {
        [entry.matcher.clone(), result.to_owned(), dispatch.to_owned(), detail]
            .map(Cell::Text)
            .to_vec()
    };
    let mut rows = Vec::new();
    for (entry, verdict) in spec.entries.iter().zip(&judged.verdicts) {
        for dispatch in &verdict.applied {
            let result = if judged.is_refused(dispatch) { "refused" } else { "applied" };
            rows.push(row(entry, result, dispatch, values(entry)));
        }
        for dispatch in &verdict.lost {
            let why = "the compiler matched it, and dropped the lowering_config in a later pass";
            rows.push(row(entry, "lost", dispatch, why.to_owned()));
        }
        if verdict.applied.is_empty() && verdict.lost.is_empty() {
            let nearest = verdict.nearest.as_ref();
            let dispatch = nearest.map(|it| it.dispatch.as_str()).unwrap_or_default();
            rows.push(row(entry, "never", dispatch, reason(entry, nearest)));
        }
    }
    Relation {
        columns: vec![("matcher", Stays), ("result", Stays), ("dispatch", Name), ("detail", Prose)],
        rows,
        grouped: 0,
        hidden: Vec::new(),
    }
}

fn values(entry: &Entry) -> String {
    let all = entry.configuration.values().into_iter();
    all.map(|(knob, value)| format!("{knob} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Says why a matcher was not applied.
fn reason(entry: &Entry, nearest: Option<&Nearest>) -> String {
    let conditions = entry.pattern.conditions();
    if !conditions.is_empty() {
        return format!("no dispatch has its values; it asks for: {}", conditions.join("; "));
    }
    let Some(nearest) = nearest else {
        return "the model has no dispatch with a root operation".to_owned();
    };
    if let Some(matcher) = &nearest.taken_by {
        return format!("the earlier matcher @{matcher} was applied to it");
    }
    if nearest.differences.is_empty() {
        return "nothing in the dump differs; the operation may have another form when specs are read".to_owned();
    }
    let told = |it: &Difference| format!("{}: wanted {}, found {}", it.what, it.wanted, it.found);
    nearest.differences.iter().map(told).collect::<Vec<_>>().join("; ")
}
