//! The flags of `capture` and `fill`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use schemas::questions::MODES;

use crate::capture::{Filters, Settings};
use crate::cli::flags::FLAGS;
use crate::cli::names::{Asked, asked, known_mode, list_of_questions};
use crate::cli::values::{duration, local};

#[derive(Debug, Args)]
#[command(after_help = after_capture())]
pub struct Capture {
    /// Questions to answer (default without --mode: all that do not perturb the run)
    #[arg(long = "for", value_name = "QUESTION", value_delimiter = ',', value_parser = asked)]
    pub questions: Vec<Asked>,
    /// Modes to record, in addition to those for the questions, even if the driver is known not to record them
    #[arg(long = "mode", value_name = "MODE", value_delimiter = ',', value_parser = known_mode)]
    pub modes: Vec<&'static str>,
    /// Folder of the capture set; runs are added to an existing one [default: MODULE.capture in the working directory,
    /// or MODULE.capture-2 and so on, if that exists]
    #[arg(long, short = 'o', value_name = "DIR", value_parser = local())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub running: Running,
    /// iree-run-module, iree-benchmark-module, iree-benchmark-replay or the path of one, and its arguments
    #[arg(last = true, required = true, value_name = "TOOL ARGS")]
    pub tool: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = after_fill())]
pub struct Fill {
    /// Capture set, or a bundle, for which a set is created
    #[arg(value_name = "SET|BUNDLE")]
    pub bundle: String,
    /// Questions to answer [default: kernel-time]; without it, says which others could be answered
    #[arg(long = "for", value_name = "QUESTION", value_delimiter = ',', value_parser = asked)]
    pub questions: Vec<Asked>,
    /// Also record these modes, even if the device refused them before
    #[arg(long = "mode", value_name = "MODE", value_delimiter = ',', value_parser = known_mode)]
    pub modes: Vec<&'static str>,
    /// Folder of the new set for a bundle [default: BUNDLE.capture in the same folder]
    #[arg(long, short = 'o', value_name = "DIR", value_parser = local())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub running: Running,
    /// Run the command of the set even if it asks for more than a tool of IREE on this machine and its model
    #[arg(long)]
    pub trust: bool,
    /// The tool and its arguments (default: those of the earlier capture)
    #[arg(last = true, value_name = "TOOL ARGS")]
    pub tool: Vec<String>,
}

/// The flags for running tools.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Running {
    /// Number of repetitions of each run
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Stop a run after this time, such as 30s or 500ms, and keep what it has recorded
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Folder of the tool, if it is not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Record the work once and profile replays of it, so that all runs do the same work
    #[arg(long)]
    pub replay: bool,
    /// Print the plan without running anything
    #[arg(long)]
    pub dry_run: bool,
    /// Hardware counters to record (implies --for counters), in several runs if they do not fit into one. Default: all
    /// that the driver lists
    #[arg(long = "counter", value_name = "NAME", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// Interval at which the tool writes its bundle, so that less is lost if it is stopped
    #[arg(long, value_name = "MS")]
    pub flush_interval_ms: Option<u32>,
    /// Also let the tool print its device statistics, in a separate run
    #[arg(long)]
    pub print_device_statistics: bool,
    /// Restrict heavy data to functions whose name matches: `*` matches any characters, `?` matches one
    #[arg(long, value_name = "PATTERN", visible_alias = "function")]
    pub filter_function: Option<String>,
    /// Restrict heavy data to this command buffer
    #[arg(long, value_name = "ID")]
    pub filter_command_buffer: Option<u64>,
    /// Restrict heavy data to this operation of command buffers
    #[arg(long, value_name = "N")]
    pub filter_command_index: Option<u32>,
    /// Restrict heavy data to this physical device
    #[arg(long, value_name = "N")]
    pub filter_physical_device: Option<u32>,
    /// Restrict heavy data to this queue
    #[arg(long, value_name = "N")]
    pub filter_queue: Option<u32>,
    /// Allow executable traces of all dispatches, which are very large; by default they need a filter by function,
    /// command buffer or operation
    #[arg(long)]
    pub all: bool,
}

impl Running {
    /// Converts the flags.
    pub fn settings(&self) -> Settings {
        Settings {
            filters: Filters {
                function: self.filter_function.clone(),
                command_buffer: self.filter_command_buffer,
                command_index: self.filter_command_index,
                physical_device: self.filter_physical_device,
                queue: self.filter_queue,
            },
            flush_interval_ms: self.flush_interval_ms,
            repeat: self.repeat,
            time_limit: self.time_limit,
            replay: self.replay,
            statistics: self.print_device_statistics,
            may_be_bulky: self.all,
            options: FLAGS,
        }
    }
}

fn list() -> String {
    format!("{}\n  {:<18} All of these questions.\n", list_of_questions(), "all")
}

fn after_capture() -> String {
    let modes: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    format!(
        "{}\nModes: {}\n\nExamples:
  ireescope capture --for kernel-time -- iree-run-module --device=local-task --module=m.vmfb --function=main
  ireescope capture --for counters --counter SQ_WAVES -o set -- iree-benchmark-module --device=amdgpu --module=m.vmfb
  ireescope capture --for instructions --function '*matmul*' -- iree-benchmark-module --device=amdgpu --module=m.vmfb
  ireescope capture --dry-run -- iree-run-module --module=m.vmfb\n
All commands open the folder like a bundle: ireescope top m.capture",
        list(),
        modes.join(", ")
    )
}

fn after_fill() -> String {
    format!(
        "{}\nExamples:
  ireescope fill m.capture --for memory
  ireescope fill m.ireeprof -- iree-run-module --device=vulkan --module=m.vmfb --function=main",
        list()
    )
}
