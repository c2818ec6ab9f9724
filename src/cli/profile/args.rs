//! The flags of the commands of `iree-profile`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::names::{ReportFormat, warmup};

#[derive(Debug, Args)]
pub struct Profile {
    /// Bundles to open
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Output format: text, or jsonl (byte for byte the lines of `iree-profile --format=jsonl`)
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Only items whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN")]
    pub filter: String,
    /// Only items with this id (its kind depends on the command)
    #[arg(long, default_value_t = -1, value_name = "N", allow_negative_numbers = true, hide_default_value = true)]
    pub id: i64,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number; by default `auto` for text, and `keep` for jsonl
    #[arg(long, value_name = "N", value_parser = warmup, allow_hyphen_values = true)]
    pub warmup: Option<i64>,
    /// Print every dispatch instead of aggregates (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub dispatch_events: bool,
    /// Also print every counter sample (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub counter_samples: bool,
    /// Maximum number of rows per table (text)
    #[arg(long, short = 'n', default_value_t = 1000, value_name = "N")]
    pub limit: usize,
    /// Write to this file, atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}
