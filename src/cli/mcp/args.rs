//! The flags of `mcp`.

use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;

use crate::cli::values::duration;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Mcp {
    /// Folders with profiles: agents can read what is below them, and nothing else
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Maximum number of rows of an answer; it says if there are more
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub row_limit: u32,
    /// Maximum size of the rows of an answer, as JSON; it says if there are more
    #[arg(long, value_name = "SIZE", default_value = "48kB")]
    pub byte_limit: ByteSize,
    /// Maximum time of a call
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2min")]
    pub call_timeout: Duration,
}

const AFTER: &str = "\
Examples:
  ireescope mcp profiles/
  claude mcp add ireescope -- ireescope mcp profiles/

Tools: open, top, explain, sql, tables, doctor, gaps, compare, and report, which writes new .html files below the folders.
docs/mcp.md describes them.";
