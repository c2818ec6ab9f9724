//! `spec verify`: compiles a model with a spec, and tells which of its matchers were applied.

use std::path::PathBuf;

use clap::Args;

use super::compiler::{Compiler, Compiling, SpecFlag};
use super::spec_file;
use super::trial::{self, Trial};
use crate::cli::error::{CliError, exit};
use crate::cli::printing::Printing;
use crate::report::text::counted;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Verify {
    /// Spec in MLIR
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// Model in MLIR
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub compiling: Compiling,
    #[command(flatten)]
    pub printing: Printing,
}

const AFTER: &str = "\
A matcher is applied if the dispatch has its values and the compiler did not choose them itself. A matcher is lost if it
matched, but a later pass dropped what it set. Beside a matcher that was never applied stands the dispatch that is most
like what it matches, and what differs. Exits with 1 if a matcher was not applied, or if the compiler refuses the spec.";

/// Runs the command.
pub fn run(args: &Verify) -> Result<u8, CliError> {
    // The compiler's own words are better than ours, where it has any.
    let read = spec_file::read(&args.spec);
    if let Err(error @ CliError::Read { .. }) = read {
        return Err(error);
    }
    let compiler = Compiler::new(&args.compiling)?;
    let before = compiler.plain(&args.model, None)?;
    let (spec, problem) = match read {
        Ok(spec) => (spec, None),
        Err(problem) => (crate::tuning::spec::Spec::default(), Some(problem)),
    };
    let tried = trial::run(&compiler, &args.model, (&args.spec, &spec), &before)?;
    let (verdicts, flag) = match (tried, problem) {
        (Trial::Refused(words), _) => {
            return Err(CliError::No(format!(
                "the compiler refuses {}:\n{words}",
                args.spec.display()
            )));
        }
        (Trial::Judged { .. }, Some(problem)) => return Err(problem),
        (Trial::Judged { verdicts, flag }, None) => (verdicts, flag),
    };
    let failed = verdicts.iter().filter(|verdict| verdict.applied.is_empty()).count();
    let all = counted(verdicts.len() as u64, "matcher");
    let mut behind = match failed {
        0 => format!("All of {all} applied."),
        failed => format!("{failed} of {all} not applied."),
    };
    if flag == SpecFlag::Library {
        behind.push_str(&format!(
            "\nThe compiler reads specs for this target only from {}=SPEC.",
            flag.name()
        ));
    }
    trial::relation(&spec, &verdicts).print(&args.printing, &behind)?;
    Ok(if failed == 0 { exit::FINE } else { exit::NO })
}
