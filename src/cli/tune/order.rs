//! What is tuned and how it is run: from the command line, or with `--resume` from the last run of a folder.

use std::path::PathBuf;

use super::args::Tune;
use super::store::last_run;
use crate::cli::error::CliError;

/// What the command line and the folder say.
pub struct Order {
    pub model: PathBuf,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// The command that runs the model.
    pub command: Vec<String>,
    pub folder: PathBuf,
    pub seed: u64,
}

/// The files in the folder that a faster model leaves.
pub const SPEC: &str = "tuned.mlir";
pub const MODULE: &str = "tuned.vmfb";

/// The seed if none is given.
const SEED: u64 = 1;

impl Order {
    /// Reads the command line, and the folder that is gone on with.
    pub fn of(args: &Tune) -> Result<Self, CliError> {
        let mut order = match (&args.resume, &args.model) {
            (None, Some(model)) => Self {
                model: model.clone(),
                flags: args.flags.clone(),
                command: args.command.clone(),
                folder: args.output.clone().unwrap_or_else(|| model.with_extension("tune")),
                seed: args.seed.unwrap_or(SEED),
            },
            (None, None) => {
                return Err(CliError::Usage("name a model, or --resume DIR".to_owned()));
            }
            (Some(folder), model) => {
                let run = last_run(folder)?.ok_or_else(|| {
                    CliError::No(format!("{} has no run of tune to go on with", folder.display()))
                })?;
                let words = |text: &str| shlex::split(text).unwrap_or_default();
                let given = Some(args.command.clone()).filter(|it| !it.is_empty());
                Self {
                    model: model.clone().unwrap_or_else(|| PathBuf::from(&run.model)),
                    flags: words(&run.compiler_flags),
                    command: given.unwrap_or_else(|| words(&run.command)),
                    folder: folder.clone(),
                    seed: args.seed.unwrap_or(run.seed),
                }
            }
        };
        if let Some(device) = args.device.as_ref().filter(|_| !order.command.is_empty()) {
            order.command.retain(|word| !word.starts_with("--device="));
            order.command.push(format!("--device={device}"));
        }
        if order.command.is_empty() && !args.compile_only {
            return Err(CliError::Usage(
                "write the command that runs the model behind --, such as -- iree-benchmark-module --function=main".to_owned(),
            ));
        }
        Ok(order)
    }
}
