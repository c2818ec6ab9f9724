//! The flags of `history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::judging::Judging;
use crate::cli::printing::Printing;
use crate::cli::values::warmup;
use crate::engine::Warmup;
use crate::tracking::{label, time};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct History {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
An entry is what was added together: the runs of one build of one program. Use labels to tell programs and machines apart.
DIR is a folder of Parquet files, which may be in an object store (`s3://…`, docs/objects.md); `ireescope sql DIR` opens it.
docs/history.md explains it.

Examples:
  ireescope history add results runs/*.ireeprof --commit=$(git rev-parse HEAD) --label=model=bert
  ireescope history accept results
  ireescope history check results --fail-on=total:2% --first-run=pass
  ireescope history drift results --label=model=bert";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add the runs of a build; prints the id of the entry
    Add(Add),
    /// List the entries
    List(List),
    /// Make an entry the baseline of its branch
    Accept(Accept),
    /// Compare a new result with the baseline of its branch, or with the entries before it
    Check(Box<Check>),
    /// Find when times changed, in total and of each function, and between which commits
    Drift(Drift),
    /// Merge the files of each month
    Compact(Compact),
}

#[derive(Debug, Args)]
pub struct Add {
    /// Folder of the history, or its address; a new or empty folder becomes one
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Bundles, patterns, folders or capture sets: the runs of one build
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Commit of the build
    #[arg(long, value_name = "SHA")]
    pub commit: Option<String>,
    /// Branch of the build
    #[arg(long, default_value = "main", value_name = "BRANCH")]
    pub branch: String,
    /// A label; may be repeated
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub labels: Vec<String>,
    /// When it was measured, e.g. 2026-11-26 or 2026-11-26T08:30:00Z (default: now); entries of one time are in the order in
    /// which they are added
    #[arg(long, value_parser = time)]
    pub time: Option<String>,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number
    #[arg(long, default_value = "auto", value_name = "N", value_parser = warmup, allow_hyphen_values = true)]
    pub warmup: Warmup,
    /// `raw`: also keep all tables of the bundles
    #[arg(long, value_enum, value_name = "WHAT")]
    pub keep: Option<Keep>,
}

/// What is kept besides times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    Raw,
}

/// What a check says that has nothing to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirstRun {
    Unjudged,
    Pass,
}

/// Which entries count.
#[derive(Debug, Clone, Args)]
pub struct Chosen {
    /// Only entries of this branch
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Only entries with this label; may be repeated
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub labels: Vec<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Folder of the history, or its address
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Maximum number of entries, the newest; 0 for all
    #[arg(long, short = 'n', default_value_t = 40, value_name = "N")]
    pub limit: usize,
    #[command(flatten)]
    pub printing: Printing,
}

#[derive(Debug, Args)]
pub struct Accept {
    /// Folder of the history, or its address
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The entry, or the first characters of its id (default: the newest)
    #[arg(value_name = "ENTRY")]
    pub entry: Option<String>,
    #[command(flatten)]
    pub chosen: Chosen,
    /// When it was accepted (default: now)
    #[arg(long, value_parser = time)]
    pub time: Option<String>,
}

#[derive(Debug, Args)]
pub struct Check {
    /// Folder of the history, or its address
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// What is checked: an entry, or a bundle, pattern, folder or capture set (default: the newest entry)
    #[arg(value_name = "NEW")]
    pub new: Option<String>,
    /// Branch of the baseline (default: that of the entry)
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Only entries with this label; may be repeated
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub labels: Vec<String>,
    /// Compare with entries that have another label of this key, too; may be repeated (default: only with those that have the
    /// same labels)
    #[arg(long, value_name = "KEY")]
    pub across: Vec<String>,
    /// What a check says that has nothing to compare with: `unjudged` exits with 5, `pass` with 0
    #[arg(long, value_enum, default_value_t = FirstRun::Unjudged)]
    pub first_run: FirstRun,
    /// Compare with the last N entries of the branch, instead of with the accepted one (default if none is: 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub window: Option<u32>,
    /// Invocations at the start of a run of bundles to leave out: `auto`, `keep` (none), or a number
    #[arg(long, default_value = "auto", value_name = "N", value_parser = warmup, allow_hyphen_values = true)]
    pub warmup: Warmup,
    #[command(flatten)]
    pub judging: Judging,
}

#[derive(Debug, Args)]
pub struct Drift {
    /// Folder of the history, or its address
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Take entries that have another label of this key, too; may be repeated (default: only those that have the labels of
    /// the newest)
    #[arg(long, value_name = "KEY")]
    pub across: Vec<String>,
    /// Only functions whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    /// Number of entries, the newest; 0 for all
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub last: usize,
    /// Maximum number of changes of functions in the text
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Exit with 1 if the total or a function has changed
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub printing: Printing,
}

#[derive(Debug, Args)]
pub struct Compact {
    /// Folder of the history, or its address
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
