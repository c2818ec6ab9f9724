//! The command-line parser with the list of commands. The files of the commands declare their flags.

use clap::{Parser, Subcommand};

use super::bench::args::Bench;
use super::capture::args::{Capture, Fill};
use super::doctor::Doctor;
use super::export::Export;
use super::gaps::Gaps;
use super::open::Opening;
use super::profile::args::Profile;
use super::render::Render;
use super::sql::Sql;
use super::tables::Tables;
use super::top::Top;

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
