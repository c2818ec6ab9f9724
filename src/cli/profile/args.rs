//! The flags of the commands of `iree-profile`. As `jsonl`, they print its lines byte for byte, as `json` the same objects.
//! Of a flag of `iree-profile` that is repeated, the last one counts, as there.

use clap::Args;

use crate::cli::printing::Printing;
use crate::cli::values::warmup;
use crate::engine::Warmup;

#[derive(Debug, Args)]
pub struct Profile {
    /// Bundles to open
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Only items whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", overrides_with = "filter")]
    pub filter: String,
    /// Only items with this id (its kind depends on the command)
    #[arg(long, default_value_t = -1, value_name = "N", allow_negative_numbers = true, hide_default_value = true, overrides_with = "id")]
    pub id: i64,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number; by default `auto` for text, and `keep` for jsonl
    #[arg(long, value_name = "N", value_parser = warmup, allow_hyphen_values = true)]
    pub warmup: Option<Warmup>,
    /// Print every dispatch instead of aggregates (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, value_parser = truth, overrides_with = "dispatch_events")]
    pub dispatch_events: bool,
    /// Also print every counter sample (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, value_parser = truth, overrides_with = "counter_samples")]
    pub counter_samples: bool,
    /// Maximum number of rows per table (text)
    #[arg(long, short = 'n', default_value_t = 1000, value_name = "N")]
    pub limit: usize,
    /// Only rows of this type, in formats other than text; may be repeated (docs: `report.TYPE`)
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub rows: Vec<String>,
    #[command(flatten)]
    pub printing: Printing,
}

/// Parses a truth value as `iree-profile` does, which also takes 1.
fn truth(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it must be true or false".into()),
    }
}
