//! `spec verify`: compiles a model with a spec, and tells which of its matchers were applied.

use std::path::PathBuf;

use clap::Args;

use super::compiler::Compiling;
use super::results::{self, Checking};
use super::trial::relation;
use crate::cli::error::{CliError, exit};
use crate::cli::printing::Printing;
use crate::cli::signals::listen;
use crate::compiler::{SpecFlag, Trial, read_spec, try_spec};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Verify {
    /// Spec in MLIR, as text or bytecode
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// Model in MLIR
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    #[command(flatten)]
    pub checking: Checking,
    #[command(flatten)]
    pub compiling: Compiling,
    #[command(flatten)]
    pub printing: Printing,
}

const AFTER: &str = "\
A matcher is applied if the dispatch has its values and the compiler did not choose them itself. A matcher is lost if it
matched, but a later pass dropped what it set. Beside a matcher that was never applied stands the dispatch that is most
like what it matches, and what differs. The dispatches that the spec changes are compiled to the end; a matcher is refused if
it was applied and the compiler refuses the dispatch. Exits with 1 if a matcher was not applied, if the compiler refuses the
spec or a dispatch, or if results differ.";

/// Runs the command.
pub fn run(args: &Verify) -> Result<u8, CliError> {
    // The compiler's own words are better than ours, where it has any.
    let read = read_spec(&args.spec, args.compiling.iree_bin_dir.as_deref(), listen);
    if let Err(error @ CliError::Read { .. }) = read {
        return Err(error);
    }
    let compiler = args.compiling.compiler()?;
    let before = compiler.configurations(&args.model, None, None)?;
    let (spec, problem) = match read {
        Ok(spec) => (spec, None),
        Err(problem) => (crate::tuning::spec::Spec::default(), Some(problem)),
    };
    let judged = match try_spec(&compiler, &args.model, (&args.spec, &spec), &before)? {
        Trial::Refused(words) => {
            return Err(CliError::No(format!(
                "the compiler refuses {}:\n{words}",
                args.spec.display()
            )));
        }
        Trial::Judged(judged) => judged,
    };
    if let Some(problem) = problem {
        return Err(problem);
    }
    let refusal = judged.refusal();
    let longest = judged.longest_reduction(&before.dispatches);
    let compared = match refusal {
        Some(_) => None,
        None => Some(results::checked(
            &args.checking,
            (&compiler, &args.compiling),
            &args.model,
            (&args.spec, judged.flag),
            longest,
        )),
    };
    let mut behind = judged.summary();
    if let Some(Ok(told)) = &compared {
        behind.push('\n');
        behind.push_str(told);
    }
    if judged.flag == SpecFlag::Library {
        behind.push_str(&format!(
            "\nThe compiler reads specs for this target only from {}=SPEC.",
            judged.flag.name()
        ));
    }
    relation(&spec, &judged).print(&args.printing, &behind)?;
    compared.transpose()?;
    match refusal {
        Some(words) => Err(CliError::No(words)),
        None if judged.failed() > 0 => Ok(exit::NO),
        None => Ok(exit::FINE),
    }
}
