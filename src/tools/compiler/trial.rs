//! Compiles a model without and with a spec, and tells what became of its matchers and of the dispatches that it changes.

use std::path::Path;

use model::tuning::configuration::Dispatch;
use model::tuning::spec::{Spec, Verdict, verify};

use super::compile::{Compiler, Configured, SpecFlag};
use super::error::CompilerError;
use super::executables::{self, Changed};
use super::results::longest_reduction;

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
    pub changed: Changed,
}

impl Judged {
    /// Returns how many matchers were not applied.
    pub fn failed(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.applied.is_empty()).count()
    }

    /// Returns the longest reduction of the dispatches that were changed.
    pub fn longest_reduction(&self, before: &[Dispatch]) -> f64 {
        let is_changed = |it: &&Dispatch| self.changed.dispatches.contains(&it.name);
        longest_reduction(before.iter().filter(is_changed).filter_map(Dispatch::root))
    }

    /// Whether the compiler refuses a dispatch that was changed.
    pub fn is_refused(&self, dispatch: &String) -> bool {
        self.changed.refused.iter().any(|it| it.dispatches.contains(dispatch))
    }
}

/// Tries a spec. `before` has the dispatches of the model without it.
///
/// Not every target reads specs from the flag that is meant for them: the compiler of IREE 3.13 ignores it for Vulkan and
/// CUDA. So where nothing was applied, the other flag is tried.
pub fn try_spec(
    compiler: &Compiler,
    model: &Path,
    (path, spec): (&Path, &Spec),
    before: &Configured,
) -> Result<Trial, CompilerError> {
    let mut unread = Vec::new();
    for flag in SpecFlag::ALL {
        let after = match compiler.configurations(model, None, Some((path, flag))) {
            Ok(after) => after,
            Err(error) => return error.words().map(Trial::Refused),
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
