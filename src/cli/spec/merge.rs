//! `spec merge`: joins specs into one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::compiler::Compiling;
use super::results::Checking;
use super::trial;
use crate::cli::error::{CliError, exit};
use crate::cli::files::write_text;
use crate::cli::signals::listen;
use crate::cli::values::local;
use crate::compiler::read_spec;
use crate::report::text::counted;
use crate::tuning::spec::{Conflict, Spec, merge, write};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Merge {
    /// Specs in MLIR, as text or bytecode; matchers are tried in this order
    #[arg(required = true, num_args = 2.., value_name = "SPEC")]
    pub specs: Vec<PathBuf>,
    /// Which matcher to keep where several match the same operations and set different values: that of the `first` or of
    /// the `last` spec
    #[arg(long, value_enum, value_name = "WHICH")]
    pub prefer: Option<Prefer>,
    /// Write the spec to this file, atomically
    #[arg(long, short = 'o', value_name = "FILE", value_parser = local())]
    pub output: PathBuf,
    /// Model in MLIR: it is compiled with the spec, which is written only if all matchers are applied and what they change
    /// compiles
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub checking: Checking,
    #[command(flatten)]
    pub compiling: Compiling,
}

const AFTER: &str = "\
The compiler applies the first matcher that fits. Two matchers conflict if the earlier one matches all that the later one does,
but sets other values: conflicts are listed, nothing is written, and the exit code is 1, unless
--prefer says which to keep. Matchers that set the same values are written once. With --model, the dispatches of the model that
the spec changes are compiled to the end. Of several specs, the compiler reads the last only, so join them first.";

/// Which of two matchers is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Prefer {
    First,
    Last,
}

/// Runs the command.
pub fn run(args: &Merge) -> Result<u8, CliError> {
    let needs = args.checking.check_results || !args.compiling.flags.is_empty();
    if needs && args.model.is_none() {
        return Err(CliError::Usage(
            "--check-results and flags of iree-compile need --model=MODEL".to_owned(),
        ));
    }
    let mut specs: Vec<(&PathBuf, Spec)> = Vec::new();
    for path in &args.specs {
        specs.push((path, read_spec(path, args.compiling.iree_bin_dir.as_deref(), listen)?));
    }
    if args.prefer == Some(Prefer::Last) {
        specs.reverse();
    }
    let (paths, specs): (Vec<&PathBuf>, Vec<Spec>) = specs.into_iter().unzip();
    let merged = merge(&specs);
    for conflict in &merged.conflicts {
        eprintln!("ireescope: {}", told(conflict, &paths));
    }
    if !merged.conflicts.is_empty() && args.prefer.is_none() {
        let conflicts = counted(merged.conflicts.len() as u64, "conflict");
        return Err(CliError::No(format!(
            "{conflicts}, so nothing is written; --prefer=first or --prefer=last decides"
        )));
    }
    let names: Vec<String> = args.specs.iter().map(|path| path.display().to_string()).collect();
    let text = write(&merged.spec, &format!("Joined by ireescope from {}.", names.join(", ")));
    let told = match &args.model {
        Some(model) => {
            let compiler = args.compiling.compiler()?;
            let before = compiler.configurations(model, None, None)?;
            let with = (&compiler, &args.compiling);
            let flag = trial::prove(with, model, (&text, &merged.spec), &before, &args.checking)?;
            format!("compile with {}", flag.arguments(&args.output).join(" "))
        }
        None => "Nothing was compiled (--model).".to_owned(),
    };
    write_text(&args.output, &text)?;
    let matchers = counted(merged.spec.entries.len() as u64, "matcher");
    let repeated = match merged.repeated.len() {
        0 => String::new(),
        number => format!(", {} left out that repeat others", counted(number as u64, "matcher")),
    };
    eprintln!("ireescope: {} has {matchers}{repeated}", args.output.display());
    eprintln!("ireescope: {told}");
    Ok(exit::FINE)
}

fn told(conflict: &Conflict, paths: &[&PathBuf]) -> String {
    let name = |(nth, matcher): &(usize, String)| {
        let path = paths.get(*nth).map(|path| path.display().to_string());
        format!("@{matcher} of {}", path.unwrap_or_default())
    };
    let how = if conflict.is_same { "matches the same as" } else { "matches all that" };
    let verb = if conflict.is_same { "" } else { " matches" };
    let or_none =
        |value: &str| if value.is_empty() { "nothing".to_owned() } else { value.to_owned() };
    let values = conflict.knobs.iter().map(|(knob, first, hidden)| {
        format!("\n  {knob}: {} instead of {}", or_none(first), or_none(hidden))
    });
    format!(
        "{} {how} {}{verb}, and is tried first:{}",
        name(&conflict.first),
        name(&conflict.hidden),
        values.collect::<String>()
    )
}
