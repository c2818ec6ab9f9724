//! The flags, as clap declares them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use exporters::Format;

pub use super::bench::args::Bench;
pub use super::capture::args::{Capture, Fill};

/// IREE device profiles as tables: where the time went, and any other question in SQL.
#[derive(Debug, Parser)]
#[command(name = "ireescope", version, max_term_width = 100, after_help = AFTER, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub opening: Opening,
    /// Print a guide in Markdown for people and programs that script the tool
    #[arg(long)]
    pub agents_md: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER: &str = "\
A BUNDLE is a path, a glob, a folder, a capture set, `-` for standard input, or NAME=PATH;
.ireeprof files and streams of `export --format=ireeperf-jsonl` open alike, compressed or not.
Flags may stand before or after the command, with dashes or underscores.

Exit codes: 0 fine, 1 the answer is no, 2 wrong usage, 3 bad input, 4 the machine's fault.";

/// What to do. What each is for is said here, as its flags are built only where it is the one; a doc comment of a struct of
/// flags would then take its place.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Where the time went, by function
    Top(Top),
    /// Whether a capture is whole, what is wrong with it, and what it is good for
    Doctor(Doctor),
    /// Which questions a capture answers, what is missing for the others, and the commands that capture it
    Gaps(Gaps),
    /// What a bundle holds, and the clock and dispatch times of each device
    Summary(Profile),
    /// Where the time went, what held it up, and how far that can be trusted
    Explain(Profile),
    /// Per-function dispatch timing, or every dispatch
    Dispatch(Profile),
    /// Executables and their functions, with the timing of their dispatches
    Executable(Profile),
    /// Operations recorded into command buffers, and executions of these
    #[command(name = "command")]
    Recorded(Profile),
    /// Queue operations and submissions
    Queue(Profile),
    /// Events in the life of memory, with what they add up to by device, pool and allocation
    Memory(Profile),
    /// Hardware counters: their sets, and what their samples add up to
    Counter(Profile),
    /// Everything that was timed, added up by function, command buffer, operation and queue
    Statistics(Profile),
    /// The file's records, as they stand
    Cat(Profile),
    /// Convert bundles for other tools
    Export(Export),
    /// Draw a timeline of one bundle or of several side by side, for Perfetto's viewer
    Render(Render),
    /// Ask SQL of one bundle or of many; without -c or -f, from standard input or in a shell
    Sql(Sql),
    /// What there is to ask: every table, view and report, with its columns
    Tables(Tables),
    /// Run an IREE tool and record what questions need, in as few runs as can be
    Capture(Capture),
    /// Capture what a bundle or capture set cannot answer yet, and answer
    Fill(Fill),
    /// Generate, compile, verify and profile single dispatches: each operation with each configuration
    Bench(Box<Bench>),
}

/// How bundles are opened.
#[derive(Debug, Clone, Args)]
pub struct Opening {
    /// Refuse bundles whose capture did not finish, instead of reading what is there
    #[arg(long, global = true)]
    pub strict: bool,
    /// Threads to use; as many as the machine has by default
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Debug, Args)]
pub struct Top {
    /// Bundles to open; functions of one name are added up over all of them
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Functions to show for each clock
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Print all rows of `report.top_function` in this format instead: box, markdown, csv, tsv, json, jsonl, line, arrow
    /// or parquet
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,
    /// Write to this file, which appears whole or not at all; its extension chooses the format
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 where an error is found. The same as SQL: the view `doctor`.")]
pub struct Doctor {
    /// Bundles to look at
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// text, or jsonl: the rows of `report.doctor`
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = super::gaps::help())]
pub struct Gaps {
    /// Bundles to look at
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Only these questions: with commas, or the flag repeated
    #[arg(long = "for", value_name = "QUESTION", value_delimiter = ',', value_parser = super::gaps::known)]
    pub questions: Vec<String>,
    /// Exit with 1 where one of the questions is not answered in full
    #[arg(long)]
    pub check: bool,
    /// text, or jsonl: the rows of `report.gap`
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

// What the commands of `iree-profile` take; no doc comment, as `Command` says why.
#[derive(Debug, Args)]
pub struct Profile {
    /// Bundles to open
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// text, or jsonl: the lines of `iree-profile --format=jsonl`, byte for byte
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Only what matches this pattern: `*` is any run of letters, `?` is one
    #[arg(long, default_value = "*", value_name = "PATTERN")]
    pub filter: String,
    /// Only what belongs to this id; what it is the id of depends on the command
    #[arg(long, default_value_t = -1, value_name = "N", allow_negative_numbers = true, hide_default_value = true)]
    pub id: i64,
    /// Print every dispatch instead of sums (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub dispatch_events: bool,
    /// Print every counter sample, too (jsonl)
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = false, default_missing_value = "true", hide_default_value = true, hide_possible_values = true)]
    pub counter_samples: bool,
    /// Rows of a table of text at most
    #[arg(long, short = 'n', default_value_t = 1000, value_name = "N")]
    pub limit: usize,
    /// Write to this file, which appears whole or not at all
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What a report is printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    Text,
    Jsonl,
}

impl ReportFormat {
    /// Lines for programs.
    pub const fn is_jsonl(self) -> bool {
        matches!(self, Self::Jsonl)
    }
}

#[derive(Debug, Args)]
#[command(after_help = super::export::help())]
pub struct Export {
    /// Bundles to convert
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// The format to write
    #[arg(long, default_value = "ireeperf-jsonl", value_name = "FORMAT", value_parser = super::export::format)]
    pub format: &'static super::export::Format,
    /// Write to this file or folder, which appears whole or not at all; `-` is standard output
    #[arg(long, short = 'o', default_value = "-", value_name = "FILE")]
    pub output: PathBuf,
    /// Only these tables and views (parquet; one for arrow and csv)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Only rows for which this holds, of every table that is written (parquet, arrow, csv)
    #[arg(long = "where", value_name = "SQL")]
    pub condition: Option<String>,
    #[command(flatten)]
    pub drawing: Drawing,
}

#[derive(Debug, Args)]
#[command(after_help = RENDER_AFTER)]
pub struct Render {
    /// Bundles to draw
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// What to write: perfetto, a trace for <https://ui.perfetto.dev>
    #[arg(
        long,
        short = 'f',
        default_value = "perfetto",
        value_name = "FORMAT",
        value_enum,
        hide_possible_values = true
    )]
    pub format: TimelineFormat,
    /// Write to this file, which appears whole or not at all; - is standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Do not say what was written
    #[arg(long)]
    pub quiet: bool,
}

// What a timeline shows; no doc comment, as `Command` says why.
#[derive(Debug, Args)]
#[command(next_help_heading = "Timelines")]
pub struct Drawing {
    /// Only what happens between these moments: nanoseconds from the beginning of the capture, numbers with ns, us, ms or s,
    /// or percent of the capture; either may be left out
    #[arg(long, value_name = "START:END", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// Only slices and instants whose name matches this pattern, and counters whose track's does: `*` is any run of
    /// letters, `?` is one
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
    /// Draw the usual tracks beside those of queries
    #[arg(long)]
    pub all: bool,
}

impl Drawing {
    /// Nothing was asked for.
    pub const fn is_usual(&self) -> bool {
        self.window.is_none()
            && self.filter.is_none()
            && self.slices.is_empty()
            && self.instants.is_empty()
            && self.counters.is_empty()
            && !self.all
    }
}

const RENDER_AFTER: &str = "\
Every other column of a query becomes an annotation of its name. The usual tracks come from the views `timeline_*`, which
queries may start from.

Examples:
  ireescope render m.ireeprof -o m.pftrace
  ireescope render --window=40%:60% --filter='*matmul*' m.ireeprof -o part.pftrace
  ireescope render before=a.ireeprof after=b.ireeprof -o both.pftrace
  ireescope render --slices='SELECT name AS track, name, start_ns, end_ns FROM timeline_slices' m.ireeprof -o rows.pftrace";

/// What a timeline is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TimelineFormat {
    Perfetto,
}

#[derive(Debug, Args)]
#[command(after_help = SQL_AFTER)]
pub struct Sql {
    /// Bundles to open; without one, only what needs none can be asked
    #[arg(value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// SQL to run; may be repeated
    #[arg(long = "command", short = 'c', value_name = "SQL", allow_hyphen_values = true)]
    pub commands: Vec<String>,
    /// A file of SQL to run, after every -c; may be repeated
    #[arg(long = "file", short = 'f', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// auto (box on a terminal, else csv), box, markdown, csv, tsv, json, jsonl, line, arrow or parquet
    #[arg(long, default_value = "auto", value_name = "FORMAT", value_parser = format_or_auto)]
    pub format: FormatChoice,
    /// Write to this file, which appears whole or not at all; its extension chooses the format
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const SQL_AFTER: &str = "\
Examples:
  ireescope sql -c 'SELECT key, total_ns FROM top_functions' m.ireeprof
  ireescope sql -c 'SELECT * FROM dispatches' -o dispatches.parquet runs/*.ireeprof
  ireescope sql before=a.ireeprof after=b.ireeprof          (a shell; .help lists its commands)

`ireescope tables` lists what there is to ask.";

#[derive(Debug, Args)]
pub struct Tables {
    /// Describe this one in full
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print the whole reference as Markdown
    #[arg(long, conflicts_with = "name")]
    pub markdown: bool,
}

/// A format by name, or the one that fits the output.
#[derive(Debug, Clone, Copy)]
pub enum FormatChoice {
    Auto,
    Named(Format),
}

fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        format!("the formats are {}", names.join(", "))
    })
}

fn format_or_auto(name: &str) -> Result<FormatChoice, String> {
    if name == "auto" { Ok(FormatChoice::Auto) } else { format(name).map(FormatChoice::Named) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn flags_leave_what_a_command_is_for() {
        let known = Cli::command();
        let mut built = known.clone();
        built.build();
        let about = |of: &clap::Command, name: &str| {
            of.find_subcommand(name).and_then(|it| it.get_about().map(ToString::to_string))
        };
        assert!(known.has_subcommands());
        for command in known.get_subcommands() {
            let name = command.get_name();
            assert!(about(&known, name).is_some(), "{name}");
            assert_eq!(about(&built, name), about(&known, name), "{name}");
        }
    }
}
