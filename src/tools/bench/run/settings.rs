//! The options of compilation and measurement.

use std::time::Duration;

use base::processors;
use base::words::OptionStyle;

/// The options of compilation and measurement.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
pub struct Settings {
    /// Number of compilers that run in parallel.
    pub jobs: usize,
    /// Compile even if the module is up to date.
    pub force_compile: bool,
    /// Measure even if an earlier command has measured the same module.
    pub force: bool,
    pub compile_limit: Duration,
    /// Timeout of each run of a dispatch.
    pub run_limit: Duration,
    pub verify: bool,
    pub profile: bool,
    /// Processes that measure each dispatch.
    pub processes: u32,
    /// Measured repetitions in each process.
    pub repetitions: u32,
    /// Repetitions before the measured ones, which are discarded.
    pub warmup: u32,
    /// Runs of the dispatch per call of its function.
    pub batch_size: u32,
    /// Keep each command line with its output in a file.
    pub save_commands: bool,
    pub tags: Vec<(String, String)>,
    /// Flags for the compiler in addition to those of the target.
    pub compiler_flags: Vec<String>,
    /// Seed of the reference inputs.
    pub seed: u64,
    /// How the messages of failures spell options.
    pub options: OptionStyle,
}

impl Default for Settings {
    /// Compiles only, on all processors.
    fn default() -> Self {
        Self {
            jobs: processors(),
            force_compile: false,
            force: false,
            compile_limit: Duration::from_mins(5),
            run_limit: Duration::from_mins(10),
            verify: false,
            profile: false,
            processes: 7,
            repetitions: 5,
            warmup: 1,
            batch_size: 100,
            save_commands: false,
            tags: Vec::new(),
            compiler_flags: Vec::new(),
            // Constant, so that reference files can be reused.
            seed: 0,
            options: OptionStyle::default(),
        }
    }
}
