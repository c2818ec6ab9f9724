//! The flags that select the contents of a timeline.

use clap::{Args, ValueEnum};

#[derive(Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Timelines")]
pub struct Drawing {
    /// Only this time window: each end in nanoseconds from the start of the capture, as a number with the unit ns, us,
    /// ms or s, or as a percentage of the capture; either end may be omitted
    #[arg(long, value_name = "START:END", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// Only slices and instants whose name matches this pattern, and counters whose track name matches: `*` matches any
    /// characters, `?` matches one
    #[arg(long, value_name = "PATTERN")]
    pub filter: Option<String>,
    /// Draw the rows of this query as slices: `track`, `name`, `start_ns` and `end_ns` or `duration_ns`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub slices: Vec<String>,
    /// Draw the rows of this query as instants: `track`, `name` and `time_ns`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub instants: Vec<String>,
    /// Draw the rows of this query as counters: `track`, `time_ns` and `value`; may be repeated
    #[arg(long, value_name = "SQL")]
    pub counters: Vec<String>,
    /// Draw the default tracks in addition to those of queries
    #[arg(long)]
    pub all: bool,
    /// Write dispatches, counters and device metrics as Perfetto's GPU packets (render stages and GPU counters) instead of
    /// track events, and problems of the bundle as GPU logs
    #[arg(long)]
    pub gpu_packets: bool,
    /// Draw the waves of AMD GPUs by compute unit, SIMD and slot, with their states, and with `--att=instructions` each
    /// execution of an instruction; decodes the instruction traces of the functions that --filter selects, with ROCm's
    /// libraries
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "waves",
        hide_possible_values = true
    )]
    pub att: Option<Waves>,
}

/// What is drawn of instruction traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Waves {
    /// Waves and their states
    Waves,
    /// Also each execution of an instruction
    Instructions,
}
