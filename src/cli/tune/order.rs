//! What is tuned and how it is run: from the command line, or with `--resume` from the last run of a folder.

use std::path::PathBuf;

use super::args::{Kept, Tune};
use super::store::last_run;
use crate::bundle::digest;
use crate::cli::error::CliError;

/// What the command line and the folder say.
pub struct Order {
    pub model: PathBuf,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// The command that runs the model.
    pub command: Vec<String>,
    pub folder: PathBuf,
    pub kept: Kept,
}

/// The files in the folder that a faster model leaves.
pub const SPEC: &str = "tuned.mlir";
pub const MODULE: &str = "tuned.vmfb";

impl Order {
    /// Reads the command line, and the folder that is gone on with.
    pub fn of(args: &Tune) -> Result<Self, CliError> {
        let mut order = match (&args.resume, &args.model) {
            (None, Some(model)) => Self {
                model: model.clone(),
                flags: args.flags.clone(),
                command: args.command.clone(),
                folder: args.output.clone().unwrap_or_else(|| model.with_extension("tune")),
                kept: args.kept.clone(),
            },
            (None, None) => {
                return Err(CliError::Usage("name a model, or --resume DIR".to_owned()));
            }
            (Some(folder), model) => {
                let run = last_run(folder)?.ok_or_else(|| {
                    CliError::Usage(format!(
                        "{} has no run of tune to go on with",
                        folder.display()
                    ))
                })?;
                let words = |text: &str| shlex::split(text).unwrap_or_default();
                let given = Some(args.command.clone()).filter(|it| !it.is_empty());
                let options = serde_json::from_str(&run.options);
                let kept = options.and_then(|earlier| args.kept.over(&earlier));
                Self {
                    model: model.clone().unwrap_or_else(|| PathBuf::from(&run.model)),
                    flags: words(&run.compiler_flags),
                    command: given.unwrap_or_else(|| words(&run.command)),
                    folder: folder.clone(),
                    kept: kept
                        .map_err(|error| CliError::reading(folder)(std::io::Error::other(error)))?,
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

    /// Returns a digest of the files that the command reads: inputs, parameters and flags; `None` if it reads none.
    pub fn files_sha256(&self) -> Result<Option<String>, CliError> {
        let mut all = String::new();
        for word in &self.command {
            let Some((flag, value)) = word.split_once('=') else { continue };
            let path = match flag {
                "--input" => value.split_once('@').map(|(_, path)| path),
                "--parameters" => Some(value.split_once('=').map_or(value, |(_, path)| path)),
                "--flagfile" => Some(value),
                _ => None,
            };
            if let Some(path) = path.map(PathBuf::from) {
                all += &digest::of_file(&path).map_err(CliError::reading(&path))?.1;
            }
        }
        Ok((!all.is_empty()).then(|| digest::of(all)))
    }
}
