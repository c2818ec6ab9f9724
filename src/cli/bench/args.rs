//! The flags of `bench`, named as in IREE's dispatch profiler.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use crate::bench::{Device, Epilogue, Kind, Target, Types};
use crate::cli::capture::args::duration;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Bench {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
An operation is what is computed, a configuration is how it is compiled, a dispatch is one of each.
Without shapes, what was generated in the folder before is meant, or else a predefined list.
Every attempt is a row of the table dispatch_runs: `ireescope sql DIR` opens it beside the profiles.

Examples:
  ireescope bench run --operation-kind=matmul --types=f32 --problem-m=256 --problem-n=256 --problem-k=512
  ireescope bench generate --operation-kind=conv2d --device=cuda --cuda-arch=sm_80
  ireescope bench run --problem-m=64:512:64 --dispatches=f16t.*vector --output=data.csv --tags=cpu:xeon
  ireescope sql -c \"SELECT configuration, runtime_ms, gflops FROM dispatch_runs ORDER BY median_ns\" .";

// The subcommands. Each first does the work of those before it that is not done yet. This is no doc comment because it
// would replace the help text of the command (see `cli::args::Command`).
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the MLIR of the operations, one function for each configuration
    Generate(Common),
    /// Compile for verifying and for profiling
    Compile(Common),
    /// Compare each dispatch's result with the reference
    Verify(Common),
    /// Measure each dispatch; --verification-enabled verifies it, too
    Profile(Common),
    /// All: generate, compile, verify and profile
    Run(Common),
}

/// What all of them take.
#[derive(Debug, Args)]
pub struct Common {
    /// Folder in which `generated` is made: sources, modules, references, captures and results
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub generated_dir: PathBuf,
    /// Where IREE's tools are, if not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Only dispatches whose name matches one of these regular expressions
    #[arg(long, value_name = "REGEX", value_delimiter = ',')]
    pub dispatches: Vec<String>,
    /// Print commands, configurations that do not fit, and what is skipped
    #[arg(long)]
    pub verbose: bool,
    /// Print the commands and run none
    #[arg(long)]
    pub dry_run: bool,
    /// Keep each command with what it printed, beside the modules
    #[arg(long)]
    pub save_cmds: bool,
    #[command(flatten)]
    pub shapes: Shapes,
    #[command(flatten)]
    pub aim: Aim,
    #[command(flatten)]
    pub compiling: Compiling,
    #[command(flatten)]
    pub measuring: Measuring,
    #[command(flatten)]
    pub reporting: Reporting,
}

/// Which operations; without any of these, those that were generated before, or else a predefined list
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Operations")]
#[serde(default)]
pub struct Shapes {
    /// Kinds: `matmul`, `batch_matmul`, `matmul_splitk`, `conv2d` or all
    #[arg(long, alias = "op-kind", value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub operation_kind: Vec<String>,
    /// Element types of operands and results: f16, f32, f16-f32, bf16-f32, i8-i32; all without it
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = types)]
    pub types: Vec<String>,
    /// What is fused behind: `none`, `bias_relu`, `elementwise_add`; all without it
    #[arg(long, value_name = "EPILOGUE", value_delimiter = ',', value_parser = epilogue)]
    pub epilogue: Vec<String>,
    /// Rows of the left operand and of the result: a value, a list (128,256) or a range (64:1024:128, which ends before
    /// 1024); all shapes that are given are swept together
    #[arg(long, value_name = "SWEEP")]
    pub problem_m: Option<String>,
    /// Columns of the right operand and of the result
    #[arg(long, value_name = "SWEEP")]
    pub problem_n: Option<String>,
    /// Products that are summed
    #[arg(long, value_name = "SWEEP")]
    pub problem_k: Option<String>,
    /// Matrix products side by side (`batch_matmul`)
    #[arg(long, value_name = "SWEEP")]
    pub batch_count: Option<String>,
    /// Slices of the reduction (`matmul_splitk`)
    #[arg(long, alias = "iree-flow-split-matmul-reduction", value_name = "SWEEP")]
    pub split_k_slices: Option<String>,
    /// Images (`conv2d`)
    #[arg(long, value_name = "SWEEP")]
    pub conv_n: Option<String>,
    /// Height of the images, padding included
    #[arg(long, value_name = "SWEEP")]
    pub conv_h: Option<String>,
    /// Width of the images, padding included
    #[arg(long, value_name = "SWEEP")]
    pub conv_w: Option<String>,
    /// Channels of the images
    #[arg(long, value_name = "SWEEP")]
    pub conv_c: Option<String>,
    /// Filters
    #[arg(long, value_name = "SWEEP")]
    pub conv_f: Option<String>,
    /// Height of the filters
    #[arg(long, value_name = "SWEEP")]
    pub filter_h: Option<String>,
    /// Width of the filters
    #[arg(long, value_name = "SWEEP")]
    pub filter_w: Option<String>,
    /// Steps of the filters
    #[arg(long, value_name = "SWEEP")]
    pub stride: Option<String>,
    /// Add the configuration that the compiler chooses by itself
    #[arg(long)]
    pub default_config: bool,
}

/// Where dispatches run, and what their code is compiled for
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub struct Aim {
    /// Device, which implies the compiler's back end: local-task, local-sync, vulkan, cuda or rocm; compiling needs none
    #[arg(long, default_value = "local-task", value_name = "DEVICE", value_parser = device)]
    pub device: Device,
    /// Architecture of NVIDIA GPUs
    #[arg(
        long,
        alias = "iree-hal-cuda-llvm-target-arch",
        default_value = "sm_80",
        value_name = "ARCH"
    )]
    pub cuda_arch: String,
    /// Architecture of AMD GPUs
    #[arg(long, default_value = "gfx942", value_name = "ARCH")]
    pub rocm_target: String,
    /// Processor of local devices
    #[arg(long, default_value = "host", value_name = "CPU")]
    pub target_cpu: String,
    /// GPU whose abilities code for Vulkan may use; what every one has without it
    #[arg(long, value_name = "GPU")]
    pub vulkan_target: Option<String>,
}

/// How operations are compiled
#[derive(Debug, Args)]
#[command(next_help_heading = "Compilation")]
pub struct Compiling {
    /// Compilers at once; as many as the machine has cores by default
    #[arg(long = "num-cpu", short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Compile what is compiled already
    #[arg(long)]
    pub force_compile: bool,
    /// Stop a compiler after this long, such as 30s or 2m
    #[arg(long, default_value = "5m", value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Duration,
    /// A flag for iree-compile beside those of the target; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub compiler_flag: Vec<String>,
}

/// How dispatches are verified and measured
#[derive(Debug, Args)]
#[command(next_help_heading = "Verification and profiling")]
pub struct Measuring {
    /// Verify: true or false; the command's own choice without it
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", value_parser = truth)]
    pub verification_enabled: Option<bool>,
    /// Profile: true or false; the command's own choice without it
    #[arg(long, alias = "benchmark", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", value_parser = truth)]
    pub profiling_enabled: Option<bool>,
    /// Repetitions of the benchmark, each one call
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub benchmark_repetitions: u32,
    /// Repetitions before those, which do not count
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub warmup_repetitions: u32,
    /// Runs of the dispatch in one call
    #[arg(long, alias = "iree-hal-benchmark-dispatch-repeat-count", default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub batch_size: u32,
    /// Stop a run of a dispatch after this long
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub run_timeout: Duration,
    /// Measure what is measured already
    #[arg(long)]
    pub force: bool,
}

/// What is said of the results
#[derive(Debug, Args)]
#[command(next_help_heading = "Performance report")]
pub struct Reporting {
    /// Write the results to this file, as CSV, or as JSON lines where it ends in .jsonl
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Add to the file instead of replacing it
    #[arg(long, requires = "output")]
    pub append: bool,
    /// Leading columns of the file, the same in every row
    #[arg(long, value_name = "KEY:VALUE", value_delimiter = ',', value_parser = tag)]
    pub tags: Vec<(String, String)>,
}

impl Command {
    /// Returns the flags, and the defaults of `--verification-enabled` and `--profiling-enabled`.
    pub const fn parts(&self) -> (&Common, bool, bool) {
        match self {
            Self::Generate(common) | Self::Compile(common) => (common, false, false),
            Self::Verify(common) => (common, true, false),
            Self::Profile(common) => (common, false, true),
            Self::Run(common) => (common, true, true),
        }
    }
}

impl Shapes {
    /// True if any extent is given.
    pub fn has_extents(&self) -> bool {
        let Self { operation_kind, types, epilogue, default_config, .. } = self;
        let names = Self {
            operation_kind: operation_kind.clone(),
            types: types.clone(),
            epilogue: epilogue.clone(),
            default_config: *default_config,
            ..Self::default()
        };
        *self != names
    }
}

impl Aim {
    /// Returns the target.
    pub fn target(&self) -> Target {
        Target {
            device: self.device,
            cuda_arch: self.cuda_arch.clone(),
            rocm_target: self.rocm_target.clone(),
            target_cpu: self.target_cpu.clone(),
            vulkan_target: self.vulkan_target.clone(),
        }
    }
}

fn kind(given: &str) -> Result<String, String> {
    if given == "all" {
        return Ok(given.to_owned());
    }
    Kind::named(given).map(|kind| kind.name().to_owned()).map_err(|error| format!("{error}, all"))
}

fn types(given: &str) -> Result<String, String> {
    Types::named(given).map(|types| types.name().to_owned()).map_err(|error| error.to_string())
}

fn epilogue(given: &str) -> Result<String, String> {
    Epilogue::named(given).map(|it| it.name().to_owned()).map_err(|error| error.to_string())
}

fn device(given: &str) -> Result<Device, String> {
    Device::named(given).map_err(|error| error.to_string())
}

/// Parses the value of a boolean flag, with the spellings that the dispatch profiler accepts.
fn truth(given: &str) -> Result<bool, String> {
    match given.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("it is true or false".to_owned()),
    }
}

fn tag(given: &str) -> Result<(String, String), String> {
    match given.split_once(':') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("a tag is key:value".to_owned()),
    }
}
