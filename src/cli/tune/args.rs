//! The flags of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::values::{duration, local, share};
use crate::tune::{TuneOptions, TuneRequest};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Tune {
    /// Model in MLIR
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<PathBuf>,
    /// Go on with the last run of this folder: its model, flags of the compiler, command and options, unless others are
    /// given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "flags"])]
    pub resume: Option<PathBuf>,
    /// Run the model on this device: replaces --device of the command
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Flag of iree-compile, such as --iree-hal-target-device=vulkan; may be repeated [default: those for the CPU of this
    /// machine]
    #[arg(long = "compile-flag", short = 'C', value_name = "FLAG", allow_hyphen_values = true)]
    pub flags: Vec<String>,
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Folder of the trials and results; a run in an existing one is continued [default: MODEL.tune]
    #[arg(long, short = 'o', value_name = "DIR", value_parser = local())]
    pub output: Option<PathBuf>,
    /// Compile candidates and check that they are applied, for a device that is elsewhere; run nothing
    #[arg(long)]
    pub compile_only: bool,
    /// Print what would be tuned, and measure nothing but the model as it is
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub options: Options,
    /// The command that runs the model, without --module
    #[arg(last = true, value_name = "TOOL ARGS")]
    pub command: Vec<String>,
}

/// The options that a folder keeps for `--resume`. Those that are not given have their defaults.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Bundle with times of the untuned model, instead of runs; may be repeated
    #[arg(long, value_name = "BUNDLE")]
    pub profile: Vec<String>,
    /// Tune dispatches, largest expected saving first, until they cover this share of the time [default: 95%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub cover: Option<f64>,
    /// Tune at most so many dispatches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Tune only dispatches whose name matches this pattern; may be repeated
    #[arg(long = "dispatch", value_name = "PATTERN")]
    pub dispatches: Vec<String>,
    /// Take no longer than this in all: what the proof needs of it is kept for the proof [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Measure at most so many candidates [default: 400]
    #[arg(long, value_name = "N")]
    pub candidates: Option<u32>,
    /// End the search of a dispatch after so many rounds without a better candidate [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: Option<u32>,
    /// Gains up to this share do not count [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub noise_floor: Option<f64>,
    /// Seed of the search, the inputs and the order of the proof [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Time limit of a compilation; a candidate that takes longer is refused [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Option<Duration>,
    /// Time limit of a run; a candidate that takes longer is refused [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub run_timeout: Option<Duration>,
    /// Values to try instead of generated ones: a JSON file of patterns of dispatches, each with knobs and lists of values
    #[arg(long, value_name = "FILE")]
    pub space: Option<PathBuf>,
}

impl Tune {
    /// Returns what the command line asks for, and the folder that is gone on with.
    pub fn request(&self, opening: &Opening) -> Result<TuneRequest, CliError> {
        let mut request = match (&self.resume, &self.model) {
            (None, Some(model)) => TuneRequest {
                compiler_flags: self.flags.clone(),
                options: self.options.clone().into(),
                ..TuneRequest::new(model.clone())
            },
            (None, None) => {
                return Err(CliError::Usage("name a model, or --resume DIR".to_owned()));
            }
            (Some(folder), model) => {
                let earlier = TuneRequest::resume(folder)?;
                let options = TuneOptions::from(self.options.clone()).over(&earlier.options);
                let options = options
                    .map_err(|error| CliError::reading(folder)(std::io::Error::other(error)))?;
                let model = model.clone().unwrap_or_else(|| earlier.model.clone());
                TuneRequest { model, options, ..earlier }
            }
        };
        if let Some(folder) = &self.output {
            request.folder.clone_from(folder);
        }
        if !self.command.is_empty() {
            request.command.clone_from(&self.command);
        }
        if let Some(device) = self.device.as_ref().filter(|_| !request.command.is_empty()) {
            request.command.retain(|word| !word.starts_with("--device="));
            request.command.push(format!("--device={device}"));
        }
        if request.command.is_empty() && !self.compile_only {
            return Err(CliError::Usage(
                "write the command that runs the model behind --, such as -- iree-benchmark-module --function=main".to_owned(),
            ));
        }
        Ok(TuneRequest {
            tools: self.iree_bin_dir.clone(),
            compile_only: self.compile_only,
            dry_run: self.dry_run,
            workspace: opening.options(),
            style: FLAGS,
            ..request
        })
    }
}

impl From<Options> for TuneOptions {
    fn from(options: Options) -> Self {
        Self {
            profile: options.profile,
            cover: options.cover,
            top: options.top,
            dispatches: options.dispatches,
            budget: options.budget,
            candidates: options.candidates,
            patience: options.patience,
            noise_floor: options.noise_floor,
            seed: options.seed,
            compile_timeout: options.compile_timeout,
            run_timeout: options.run_timeout,
            space: options.space,
        }
    }
}

const AFTER: &str = "\
Tries configurations of the dispatches that take the most time, all of them in one module at a time, and measures each dispatch \
in a profile of the model. What wins is raced against the untuned model with new runs, its results are compared, and only \
what is faster stays. Writes tuned.mlir (the spec), tuned.vmfb and report.md into the folder. Exit code 1 if nothing pays.

Example:
  ireescope tune model.mlir -o model.tune -- iree-benchmark-module --device=local-task --function=main \\
    --input=1x224x224x3xf32 --benchmark_min_time=5x";
