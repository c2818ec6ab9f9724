//! The flags of `bench`, named as in IREE's dispatch profiler.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use crate::bench::run::Settings;
use crate::bench::{BenchError, BenchRequest, Device, Epilogue, Kind, RequestText, Target, Types};
use crate::cli::flags::FLAGS;
use crate::cli::values::{duration, local};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Bench {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
An operation is a computation, a configuration is a way to compile it, and a dispatch combines the two.
Extents select the kind of operation that they describe: m, n and k a matmul, conv_h a convolution.
Without shapes, the operations generated before in the folder are used, or else a predefined list.
Each dispatch is measured in several processes (--processes); configurations whose intervals overlap tie (`=1`).
Every attempt is a row of the table dispatch_runs; `ireescope sql DIR` opens it together with the profiles.

Examples:
  ireescope bench run --types=f32 --problem-m=256 --problem-n=256 --problem-k=512 --default-config
  ireescope bench generate --operation-kind=conv2d --device=cuda --cuda-arch=sm_80
  ireescope bench run --problem-m=64:512:64 --dispatches=f16t.*vector --output=data.csv --tags=cpu:xeon
  ireescope sql -c \"SELECT configuration, runtime_ms, gflops FROM dispatch_runs ORDER BY median_ns\" .";

/// The subcommands. Each first does the work of those before it that is not done yet.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the MLIR of the operations, with one function per configuration
    Generate(Common),
    /// Compile for verification and for profiling
    Compile(Common),
    /// Compare the result of each dispatch with the reference
    Verify(Common),
    /// Measure each dispatch; --verification-enabled also verifies it
    Profile(Common),
    /// Generate, compile, verify and profile
    Run(Common),
    /// Measure the peaks of a device, for `device_peaks` and `report.roofline` in SQL
    Peaks(Measure),
}

/// What all of them take.
#[derive(Debug, Args)]
pub struct Common {
    /// Folder for the subfolder `generated` with sources, modules, references, captures and results
    #[arg(long, default_value = ".", value_name = "DIR", value_parser = local())]
    pub generated_dir: PathBuf,
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Only dispatches whose name matches one of these regular expressions
    #[arg(long, value_name = "REGEX", value_delimiter = ',')]
    pub dispatches: Vec<String>,
    /// Print commands, unsuitable configurations and skipped work, and a block of details per dispatch after the tables
    #[arg(long)]
    pub verbose: bool,
    /// Print the commands without running them
    #[arg(long)]
    pub dry_run: bool,
    /// Save each command and its output next to the modules
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

/// What `peaks` takes.
#[derive(Debug, Args)]
pub struct Measure {
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Folder that keeps the modules and profiles (default: a temporary one)
    #[arg(long, value_name = "DIR", value_parser = local())]
    pub generated_dir: Option<PathBuf>,
    /// Name of the device (default: the model of the processor, or driver and UUID of another device)
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub name: Option<String>,
    /// Rows, columns and depth of the matrix products (default: 1024 for processors and Vulkan, 4096 otherwise)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(16..=16384))]
    pub size: Option<u64>,
    /// Stop a run of a dispatch after this long
    #[arg(long, default_value = "30s", value_name = "TIME", value_parser = duration)]
    pub run_timeout: Duration,
    /// Print commands and skipped work
    #[arg(long)]
    pub verbose: bool,
    #[command(flatten)]
    pub aim: Aim,
    #[command(flatten)]
    pub compiling: Compiling,
}

/// Operations (default: those generated before, or else a predefined list)
#[derive(Debug, Args)]
#[command(next_help_heading = "Operations")]
pub struct Shapes {
    /// Kinds of operations: `matmul`, `batch_matmul`, `matmul_splitk`, `conv2d` or all (default: those that the given
    /// extents describe, or all without any)
    #[arg(long, alias = "op-kind", value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub operation_kind: Vec<String>,
    /// Element types of operands and results: f16, f32, f16-f32, bf16-f32, i8-i32 (default: all)
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = types)]
    pub types: Vec<String>,
    /// Fused epilogue: `none`, `bias_relu`, `elementwise_add` (default: none with given extents, or all without any)
    #[arg(long, value_name = "EPILOGUE", value_delimiter = ',', value_parser = epilogue)]
    pub epilogue: Vec<String>,
    /// Rows of the left operand and of the result: a value, a list (128,256) or a range START:END:STEP without its end
    /// (64:1024:128); all combinations of the given extents are used
    #[arg(long, value_name = "SWEEP")]
    pub problem_m: Option<String>,
    /// Columns of the right operand and of the result
    #[arg(long, value_name = "SWEEP")]
    pub problem_n: Option<String>,
    /// Size of the reduction dimension (k)
    #[arg(long, value_name = "SWEEP")]
    pub problem_k: Option<String>,
    /// Number of matrix products in a batch (`batch_matmul`)
    #[arg(long, value_name = "SWEEP")]
    pub batch_count: Option<String>,
    /// Number of slices of the reduction (`matmul_splitk`)
    #[arg(long, alias = "iree-flow-split-matmul-reduction", value_name = "SWEEP")]
    pub split_k_slices: Option<String>,
    /// Number of images (`conv2d`)
    #[arg(long, value_name = "SWEEP")]
    pub conv_n: Option<String>,
    /// Height of the images, including padding
    #[arg(long, value_name = "SWEEP")]
    pub conv_h: Option<String>,
    /// Width of the images, including padding
    #[arg(long, value_name = "SWEEP")]
    pub conv_w: Option<String>,
    /// Number of channels of the images
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
    /// Stride of the filters
    #[arg(long, value_name = "SWEEP")]
    pub stride: Option<String>,
    /// Add the compiler's default configuration
    #[arg(long)]
    pub default_config: bool,
}

/// Device that runs the dispatches, and target of the compilation
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub struct Aim {
    /// Device, which determines the back end of the compiler: local-task, local-sync, vulkan, cuda or rocm. Compiling
    /// does not require the device
    #[arg(long, default_value = "local-task", value_name = "DEVICE", value_parser = Device::named)]
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
    /// GPU whose features Vulkan code may use (default: only features that every Vulkan GPU has)
    #[arg(long, value_name = "GPU")]
    pub vulkan_target: Option<String>,
}

/// Compilation of the operations
#[derive(Debug, Args)]
#[command(next_help_heading = "Compilation")]
pub struct Compiling {
    /// Number of concurrent compilers (default: one per core)
    #[arg(long = "num-cpu", short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Compile even if nothing has changed
    #[arg(long)]
    pub force_compile: bool,
    /// Stop a compiler after this long, such as 30s or 2m
    #[arg(long, default_value = "5m", value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Duration,
    /// Additional flag for iree-compile; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub compiler_flag: Vec<String>,
}

/// Verification and measurement of the dispatches
#[derive(Debug, Args)]
#[command(next_help_heading = "Verification and profiling")]
pub struct Measuring {
    /// Whether to verify: true or false (default: depends on the subcommand)
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", value_parser = truth)]
    pub verification_enabled: Option<bool>,
    /// Whether to profile: true or false (default: depends on the subcommand)
    #[arg(long, alias = "benchmark", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", value_parser = truth)]
    pub profiling_enabled: Option<bool>,
    /// Number of processes that measure each dispatch, in rounds over the configurations of its operation; a 95 %
    /// confidence interval needs at least 6
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: u32,
    /// Number of measured repetitions of the benchmark in each process, one call each
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub benchmark_repetitions: u32,
    /// Number of warm-up repetitions of each process before the measured ones
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub warmup_repetitions: u32,
    /// Number of runs of the dispatch per call
    #[arg(long, alias = "iree-hal-benchmark-dispatch-repeat-count", default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub batch_size: u32,
    /// Stop a run of a dispatch after this long
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub run_timeout: Duration,
    /// Measure again even if results exist
    #[arg(long)]
    pub force: bool,
}

/// Output of the results
#[derive(Debug, Args)]
#[command(next_help_heading = "Performance report")]
pub struct Reporting {
    /// Write the results to this file as CSV, or as JSON lines if it ends in .jsonl
    #[arg(long, value_name = "FILE", value_parser = local())]
    pub output: Option<PathBuf>,
    /// Append to the file instead of replacing it
    #[arg(long, requires = "output")]
    pub append: bool,
    /// Leading columns of the file, with the same values in every row
    #[arg(long, value_name = "KEY:VALUE", value_delimiter = ',', value_parser = tag)]
    pub tags: Vec<(String, String)>,
}

impl Shapes {
    /// Returns the operations.
    pub fn operations(&self) -> RequestText {
        RequestText {
            operation_kind: self.operation_kind.clone(),
            types: self.types.clone(),
            epilogue: self.epilogue.clone(),
            problem_m: self.problem_m.clone(),
            problem_n: self.problem_n.clone(),
            problem_k: self.problem_k.clone(),
            batch_count: self.batch_count.clone(),
            split_k_slices: self.split_k_slices.clone(),
            conv_n: self.conv_n.clone(),
            conv_h: self.conv_h.clone(),
            conv_w: self.conv_w.clone(),
            conv_c: self.conv_c.clone(),
            conv_f: self.conv_f.clone(),
            filter_h: self.filter_h.clone(),
            filter_w: self.filter_w.clone(),
            stride: self.stride.clone(),
            default_config: self.default_config,
        }
    }
}

impl Common {
    /// Returns the request of a subcommand that verifies or profiles by default.
    pub fn request(&self, verify: bool, profile: bool, is_generating: bool) -> BenchRequest {
        let measuring = &self.measuring;
        let settings = Settings {
            force: measuring.force,
            run_limit: measuring.run_timeout,
            verify: measuring.verification_enabled.unwrap_or(verify) && !is_generating,
            profile: measuring.profiling_enabled.unwrap_or(profile) && !is_generating,
            processes: measuring.processes,
            repetitions: measuring.benchmark_repetitions,
            warmup: measuring.warmup_repetitions,
            batch_size: measuring.batch_size,
            save_commands: self.save_cmds,
            tags: self.reporting.tags.clone(),
            ..Settings::default()
        };
        BenchRequest {
            operations: self.shapes.operations(),
            dispatches: self.dispatches.clone(),
            target: self.aim.target(),
            folder: self.generated_dir.clone(),
            tools: self.iree_bin_dir.clone(),
            settings: self.compiling.settings(settings),
            is_new: is_generating,
            is_dry: self.dry_run,
        }
    }
}

impl Compiling {
    /// Sets how modules are compiled.
    pub fn settings(&self, settings: Settings) -> Settings {
        Settings {
            jobs: self.jobs.map_or(settings.jobs, usize::from),
            force_compile: self.force_compile,
            compile_limit: self.compile_timeout,
            compiler_flags: self.compiler_flag.clone(),
            options: FLAGS,
            ..settings
        }
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

fn types(given: &str) -> Result<String, BenchError> {
    Types::named(given).map(|types| types.name().to_owned())
}

fn epilogue(given: &str) -> Result<String, BenchError> {
    Epilogue::named(given).map(|epilogue| epilogue.name().to_owned())
}

/// Parses the value of a boolean flag, with the spellings that the dispatch profiler accepts.
fn truth(given: &str) -> Result<bool, String> {
    match given.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}

fn tag(given: &str) -> Result<(String, String), String> {
    match given.split_once(':') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY:VALUE".to_owned()),
    }
}
