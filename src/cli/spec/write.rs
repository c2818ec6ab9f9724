//! `spec write`: writes a spec that sets knobs of a dispatch, and verifies it.

use std::path::PathBuf;

use clap::Args;

use super::compiler::Compiling;
use super::results::Checking;
use super::trial;
use crate::cli::error::CliError;
use crate::cli::files::write_text;
use crate::cli::values::local;
use crate::tuning::attribute::Attribute;
use crate::tuning::spec::{SetError, set_knobs};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Write {
    /// Model in MLIR
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Dispatch to tune: its name in `spec knobs`, or a pattern that only it matches
    #[arg(long, value_name = "NAME")]
    pub dispatch: String,
    /// Knob and value; may be repeated. `[1]` behind a knob sets one element of its list
    #[arg(long = "set", required = true, value_name = "KNOB=VALUE", value_parser = knob)]
    pub values: Vec<(String, Attribute)>,
    /// Write the spec to this file, atomically; not if it is not applied, or does not compile
    #[arg(long, short = 'o', value_name = "FILE", value_parser = local())]
    pub output: PathBuf,
    #[command(flatten)]
    pub checking: Checking,
    #[command(flatten)]
    pub compiling: Compiling,
}

const AFTER: &str = "\
Knobs that are not set keep the values that the compiler chose. The spec applies to all dispatches whose root operation is
equal; dynamic dimensions stay dynamic. The dispatches that it changes are compiled to the end. Of several specs, the compiler
reads the last only; `spec merge` joins them. Exits with 1, and writes nothing, if the spec is not applied, if the compiler
refuses what it changes, or if results differ.

Example:
  ireescope spec write model.mlir --dispatch='*dispatch_5_*' --set='distribution=[64, 64, 0]' \\
    --set='vector_common_parallel[1]=32' -o tuned.mlir";

/// Runs the command.
pub fn run(args: &Write) -> Result<(), CliError> {
    let compiler = args.compiling.compiler()?;
    let before = compiler.configurations(&args.model, None, None)?;
    let set = set_knobs(&before.dispatches, &args.dispatch, &args.values);
    let (spec, text) = set.map_err(|error| match error {
        SetError::Knob(error) => CliError::Usage(format!("--set={error}")),
        other => CliError::Usage(other.to_string()),
    })?;
    let with = (&compiler, &args.compiling);
    let flag = trial::prove(with, &args.model, (&text, &spec), &before, &args.checking)?;
    write_text(&args.output, &text)?;
    eprintln!("ireescope: compile with {}", flag.arguments(&args.output).join(" "));
    eprintln!(
        "ireescope: of several specs, the compiler reads the last only; `ireescope spec merge` joins them."
    );
    Ok(())
}

/// Parses a knob and its value.
fn knob(text: &str) -> Result<(String, Attribute), String> {
    let (knob, value) = text.split_once('=').ok_or("write a knob and a value like KNOB=VALUE")?;
    let knob = knob.trim();
    if knob.is_empty() {
        return Err("write a knob and a value like KNOB=VALUE".to_owned());
    }
    let value = Attribute::parse(value).map_err(|error| format!("the value of {knob}: {error}"))?;
    Ok((knob.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_have_values() {
        let (name, value) = knob("tile_sizes[0] = [1, 2]").expect("a knob");
        assert_eq!((name.as_str(), value), ("tile_sizes[0]", Attribute::list([1, 2])));
        assert!(knob("distribution").is_err() && knob("=1").is_err());
        let error = knob("distribution=[1").expect_err("not closed");
        assert!(error.contains("the value of distribution: at byte 2"), "{error}");
    }
}
