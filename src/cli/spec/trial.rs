//! Compiles a model without and with a spec, and tells what became of its matchers and of the dispatches that it changes.

use std::path::Path;

use super::compiler::{Compiled, Compiler, Compiling, Configured, SpecFlag, folder};
use super::executables::{self, Changed, Refused};
use super::relation::{Cell, Relation};
use super::results::{self, Checking};
use crate::cli::error::CliError;
use crate::cli::outputs::longest;
use crate::cli::printing::Printing;
use crate::report::fit::Fit::{Name, Prose, Stays};
use crate::report::text::counted;
use crate::tuning::configuration::Dispatch;
use crate::tuning::spec::{Difference, Entry, Nearest, Spec, Verdict, verify};

/// What became of a spec.
pub enum Trial {
    Judged(Judged),
    /// The compiler refused the spec, in these words.
    Refused(String),
}

/// What became of a spec that the compiler takes.
pub struct Judged {
    pub verdicts: Vec<Verdict>,
    /// The flag with which the compiler reads specs for the target.
    pub flag: SpecFlag,
    changed: Changed,
}

impl Judged {
    /// Returns how many matchers were not applied.
    pub fn failed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.applied.is_empty()).count()
    }

    /// Says how many matchers were applied, and whether what they change compiles.
    pub fn told(&self) -> String {
        let all = counted(self.verdicts.len() as u64, "matcher");
        let all_of = |count| if count == 1 { "" } else { "All of " };
        let applied = match self.failed() {
            0 => format!("{}{all} applied.", all_of(self.verdicts.len())),
            failed => format!("{failed} of {all} not applied."),
        };
        let Changed { dispatches, refused } = &self.changed;
        let changed = counted(dispatches.len() as u64, "changed dispatch");
        match refused.iter().map(|it| it.dispatches.len()).sum::<usize>() {
            _ if dispatches.is_empty() => applied,
            0 => format!("{applied} {}{changed} compiled to the end.", all_of(dispatches.len())),
            refused => format!("{applied} {refused} of {changed} refused by the compiler."),
        }
    }

    /// Returns the compiler's words on the dispatches that it refuses; `None` if it refuses none.
    pub fn refusal(&self) -> Option<String> {
        let said = |it: &Refused| {
            let also = if it.is_own { ", also without the spec" } else { "" };
            format!("the compiler refuses {}{also}:\n{}", it.dispatches.join(", "), it.words)
        };
        let all: Vec<String> = self.changed.refused.iter().map(said).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// Returns the longest reduction of the dispatches that were changed.
    pub fn longest_reduction(&self, before: &[Dispatch]) -> f64 {
        let is_changed = |it: &&Dispatch| self.changed.dispatches.contains(&it.name);
        longest(before.iter().filter(is_changed).filter_map(Dispatch::root))
    }

    fn is_refused(&self, dispatch: &String) -> bool {
        self.changed.refused.iter().any(|it| it.dispatches.contains(dispatch))
    }
}

/// Tries a spec. `before` has the dispatches of the model without it.
///
/// Not every target reads specs from the flag that is meant for them: the compiler of IREE 3.13 ignores it for Vulkan and
/// CUDA. So where nothing was applied, the other flag is tried.
pub fn run(
    compiler: &Compiler,
    model: &Path,
    (path, spec): (&Path, &Spec),
    before: &Configured,
) -> Result<Trial, CliError> {
    let mut unread = Vec::new();
    for flag in [SpecFlag::TuningSpec, SpecFlag::Library] {
        let after = match compiler.configurations(model, None, Some((path, flag)))? {
            Compiled::Configured(after) => after,
            Compiled::Refused(words) => return Ok(Trial::Refused(words)),
        };
        let verdicts = verify(spec, &before.dispatches, &after.dispatches);
        if verdicts.iter().any(|it| !it.applied.is_empty() || !it.lost.is_empty()) {
            let changed = executables::compile(compiler, before, &after)?;
            return Ok(Trial::Judged(Judged { verdicts, flag, changed }));
        }
        unread = verdicts;
    }
    let (flag, changed) = (SpecFlag::TuningSpec, Changed::default());
    Ok(Trial::Judged(Judged { verdicts: unread, flag, changed }))
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
    let folder = folder()?;
    let path = folder.path().join("spec.mlir");
    let path = path.as_path();
    std::fs::write(path, text).map_err(CliError::writing(path))?;
    let judged = match run(compiler, model, (path, spec), before)? {
        Trial::Refused(words) => {
            return Err(CliError::No(format!("the compiler refuses these values:\n{words}")));
        }
        Trial::Judged(judged) => judged,
    };
    relation(spec, &judged).print(&Printing::default(), &judged.told())?;
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
