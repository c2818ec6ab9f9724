//! Compiles a model without and with a spec, and tells what became of its matchers.

use std::path::Path;

use super::compiler::{Compiled, Compiler, SpecFlag};
use super::relation::{Cell, Relation};
use crate::cli::error::CliError;
use crate::report::fit::Fit::{Name, Prose, Stays};
use crate::tuning::configuration::Dispatch;
use crate::tuning::spec::{Difference, Entry, Nearest, Spec, Verdict, verify};

/// What became of a spec.
pub enum Trial {
    Judged {
        verdicts: Vec<Verdict>,
        /// The flag with which the compiler reads specs for the target.
        flag: SpecFlag,
    },
    /// The compiler refused the spec, in these words.
    Refused(String),
}

/// Tries a spec. `before` has the dispatches of the model without it.
///
/// Not every target reads specs from the flag that is meant for them: the compiler of IREE 3.13 ignores it for Vulkan and
/// CUDA. So where nothing was applied, the other flag is tried.
pub fn run(
    compiler: &Compiler,
    model: &Path,
    (path, spec): (&Path, &Spec),
    before: &[Dispatch],
) -> Result<Trial, CliError> {
    let judge = |flag| -> Result<Trial, CliError> {
        Ok(match compiler.configurations(model, None, Some((path, flag)))? {
            Compiled::Dispatches(after) => {
                Trial::Judged { verdicts: verify(spec, before, &after), flag }
            }
            Compiled::Refused(words) => Trial::Refused(words),
        })
    };
    let first = judge(SpecFlag::TuningSpec)?;
    let is_read = |trial: &Trial| match trial {
        Trial::Judged { verdicts, .. } => {
            verdicts.iter().any(|it| !it.applied.is_empty() || !it.lost.is_empty())
        }
        Trial::Refused(_) => true,
    };
    if is_read(&first) {
        return Ok(first);
    }
    let second = judge(SpecFlag::Library)?;
    Ok(if is_read(&second) { second } else { first })
}

/// Returns the rows of verdicts: one per matcher and dispatch to which it was applied, or one that says why it was not.
pub fn relation(spec: &Spec, verdicts: &[Verdict]) -> Relation {
    let row = |entry: &Entry, result: &str, dispatch: &str, detail: String| {
        [entry.matcher.clone(), result.to_owned(), dispatch.to_owned(), detail]
            .map(Cell::Text)
            .to_vec()
    };
    let mut rows = Vec::new();
    for (entry, verdict) in spec.entries.iter().zip(verdicts) {
        for dispatch in &verdict.applied {
            rows.push(row(entry, "applied", dispatch, values(entry)));
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
