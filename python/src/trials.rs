//! Tries tuning specs on models.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ireescope::base;
use ireescope::base::words::counted;
use ireescope::capture::Stop;
use ireescope::compiler::{
    Compiler, CompilerError, CompilerOptions, Configured, Judged, ResultCheck, SpecFlag, Trial,
    VerdictRow, read_spec, temporary_folder, try_spec,
};
use ireescope::tuning::dumps::DumpError;
use ireescope::tuning::spec::Spec;
use pyo3::prelude::*;

use crate::failure::{Done, Failure, whole};
use crate::parameters::{PARAMETERS, seconds, spelled};
use crate::rows::Rows;
use crate::tables;

impl From<DumpError> for Failure {
    fn from(error: DumpError) -> Self {
        let (DumpError::Read { path, .. } | DumpError::Malformed { path, .. }) = &error;
        Self::input(Some(path), whole(&error))
    }
}

impl From<CompilerError> for Failure {
    fn from(error: CompilerError) -> Self {
        match error {
            CompilerError::Tool(error) => spelled(error.into()),
            CompilerError::Dump(error) => error.into(),
            CompilerError::Refused { ref path, .. }
            | CompilerError::Spec { ref path, .. }
            | CompilerError::Read { ref path, .. } => Self::input(Some(path), whole(&error)),
            CompilerError::NoResults(_) => Self::Verdict(error.to_string()),
            CompilerError::TimedOut(_)
            | CompilerError::Interrupted
            | CompilerError::Write { .. }
            | CompilerError::TemporaryFolder(_) => spelled(Self::Resource(whole(&error))),
        }
    }
}

/// The compiler, and whether results are compared.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Compiling {
    compiler_flags: Vec<String>,
    pub tool_folder: Option<PathBuf>,
    compile_limit: f64,
    check_results: bool,
    run_flags: Vec<String>,
    run_limit: f64,
}

impl Compiling {
    /// Finds the compiler.
    pub fn compiler(&self, stop: &Arc<Stop>) -> Done<Compiler> {
        let options = CompilerOptions {
            tools: self.tool_folder.clone(),
            flags: self.compiler_flags.clone(),
            time_limit: seconds("compile_limit", self.compile_limit)?,
        };
        Ok(Compiler::new(options, Arc::clone(stop))?)
    }

    /// Reads a spec.
    pub fn spec(&self, path: &Path, stop: &Arc<Stop>) -> Done<Spec> {
        read_spec(path, self.tool_folder.as_deref(), || Ok(Arc::clone(stop)))
    }

    /// Compares results, if that is asked for. The inner error says how they differ.
    fn checked(
        &self,
        compiler: &Compiler,
        model: &Path,
        spec: (&Path, SpecFlag),
        longest_reduction: f64,
    ) -> Done<Option<Result<String, String>>> {
        if !self.check_results {
            return Ok(None);
        }
        let check = ResultCheck {
            tools: self.tool_folder.clone(),
            run_flags: self.run_flags.clone(),
            time_limit: seconds("run_limit", self.run_limit)?,
            style: PARAMETERS,
        };
        Ok(Some(check.run(compiler, model, spec, longest_reduction)?))
    }
}

/// What became of a spec that was tried.
#[derive(IntoPyObject)]
pub struct Tried {
    rows: Rows,
    summary: String,
    /// Why it is not good; `None` if it is.
    pub reason: Option<String>,
    /// On which inputs results are equal, if they were compared.
    results: Option<String>,
    flags: Vec<String>,
    /// Whether the compiler refuses the spec as a whole.
    pub is_refused: bool,
}

const VERDICTS: [(&str, &str); 4] = [
    ("matcher", "Name of the matcher in the spec."),
    ("result", "`applied`, `refused` (the compiler refuses the dispatch), `lost` or `never`."),
    ("dispatch", "Dispatch, or the one that is most like what the matcher matches."),
    ("detail", "The values that were set, or why they were not."),
];

fn verdict_rows(rows: Vec<VerdictRow>) -> Done<Rows> {
    let row = |it: VerdictRow| [it.matcher, it.result.to_owned(), it.dispatch, it.detail];
    tables::of_texts(VERDICTS, rows.into_iter().map(row))
}

/// Tries the spec in a file, whose flag will name another one.
pub fn tried(
    (compiler, compiling): (&Compiler, &Compiling),
    model: &Path,
    (path, spec, named): (&Path, &Spec, &Path),
    before: &Configured,
) -> Done<Tried> {
    let judged = match try_spec(compiler, model, (path, spec), before)? {
        Trial::Judged(judged) => judged,
        Trial::Refused(words) => {
            let reason = format!("the compiler refuses {}:\n{words}", named.display());
            let (rows, flags) = (verdict_rows(Vec::new())?, Vec::new());
            let summary = "The compiler refuses the spec.".to_owned();
            return Ok(Tried {
                rows,
                summary,
                reason: Some(reason),
                results: None,
                flags,
                is_refused: true,
            });
        }
    };
    let mut reason = bad(&judged);
    let longest = judged.longest_reduction(&before.dispatches);
    // Results of what the compiler refuses are never compared.
    let checked = match judged.refusal() {
        Some(_) => None,
        None => compiling.checked(compiler, model, (path, judged.flag), longest)?,
    };
    let results = match checked {
        Some(Ok(equal)) => Some(equal),
        Some(Err(how)) => {
            reason = Some(how);
            None
        }
        None => None,
    };
    Ok(Tried {
        rows: verdict_rows(judged.rows(spec))?,
        summary: judged.summary(),
        reason,
        results,
        flags: judged.flag.arguments(named).into(),
        is_refused: false,
    })
}

/// Says why a spec that the compiler takes is not good.
fn bad(judged: &Judged) -> Option<String> {
    let failed = judged.failed();
    let all = counted(judged.verdicts.len() as u64, "matcher");
    judged.refusal().or_else(|| (failed > 0).then(|| format!("{failed} of {all} not applied")))
}

/// Tries the text of a spec, and writes it if it is good. Returns what became of it.
pub fn proved(
    with: (&Compiler, &Compiling),
    model: &Path,
    (text, spec): (&str, &Spec),
    output: &Path,
    before: &Configured,
) -> Done<Tried> {
    let folder = temporary_folder()?;
    let path = folder.path().join("spec.mlir");
    std::fs::write(&path, text).map_err(|error| unwritten(&path, &error))?;
    let tried = tried(with, model, (&path, spec, output), before)?;
    if tried.reason.is_none() {
        replace(output, text)?;
    }
    Ok(tried)
}

/// Writes a text to a file, which is replaced as a whole.
pub fn replace(path: &Path, text: &str) -> Done<()> {
    let written = base::replace(path, |file| file.write_all(text.as_bytes()));
    written.map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Resource(format!("cannot write {}: {error}", path.display()))
}
