//! The command-line parser with the list of commands. The files of the commands declare their flags.

use clap::{Parser, Subcommand};

use super::att::Att;
use super::att::code_objects::CodeObjects;
use super::bench::args::Bench;
use super::capture::args::{Capture, Fill};
use super::cluster::Worker;
use super::compare::Compare;
use super::completions::Completions;
use super::doctor::Doctor;
use super::export::Export;
use super::gaps::Gaps;
use super::history::History;
use super::mcp::Mcp;
use super::open::Opening;
use super::plot::Plot;
use super::profile::args::Profile;
use super::race::Race;
use super::render::Render;
use super::report::Report;
use super::serve::Serve;
use super::spec::Spec;
use super::sql::Sql;
use super::tables::Tables;
use super::top::Top;
use super::tune::Tune;

/// Analyze IREE device profiles with reports and SQL, and capture new ones.
#[derive(Debug, Parser)]
#[command(name = "ireescope", version, max_term_width = 100, after_help = AFTER, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub opening: Opening,
    /// Print a Markdown guide for scripts and agents; `--agents-md=full` has all rows, tables and views
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "brief", hide_possible_values = true)]
    pub agents_md: Option<Guide>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER: &str = "\
A BUNDLE is a path, a glob pattern, a folder, a capture set, `-` for standard input, or NAME=PATH.
A folder without bundles stands for the bundles and capture sets up to four levels below.
It can be an .ireeprof file or a stream of `export --format=ireeperf-jsonl`, gzip-compressed or not.
Flags may precede or follow the command, with dashes or underscores.

Exit codes: 0 success, 1 negative result, 2 usage error, 3 invalid input, 4 environment error, 5 no verdict (nothing to judge \
or to compare with, or not comparable), 130 Ctrl-C.";

/// What `--agents-md` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Guide {
    /// `iree-profile` takes `--agents_md=true`.
    #[value(alias = "true")]
    Brief,
    Full,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the functions by total time
    Top(Top),
    /// Tell whether one side is faster than another, where, and how certain that is
    Compare(Compare),
    /// Keep the results of runs for years, check new ones against them, and find when times changed
    History(History),
    /// Check whether captures are complete, and report problems and the questions that they answer
    Doctor(Doctor),
    /// Show which questions a capture answers, what is missing for the others, and the commands that capture it
    Gaps(Gaps),
    /// Summarize the contents of a bundle, and the clock and dispatch times of each device
    Summary(Profile),
    /// Explain where the time went: bottlenecks, with hints and evidence
    Explain(Profile),
    /// Show dispatch times by function, or every dispatch
    Dispatch(Profile),
    /// Show executables and their functions, with dispatch times
    Executable(Profile),
    /// Show command buffers, their operations and their executions
    #[command(name = "command")]
    Recorded(Profile),
    /// Show queue operations and submissions
    Queue(Profile),
    /// Show memory events, aggregated by device, pool and allocation
    Memory(Profile),
    /// Show hardware counters: sets, counters and aggregated samples
    Counter(Profile),
    /// Show timing totals by function, command buffer, operation and queue
    Statistics(Profile),
    /// Decode, list or extract the instruction traces of AMD GPUs
    Att(Att),
    /// List or extract the code objects of executables
    CodeObjects(CodeObjects),
    /// List the records of the file in order
    Cat(Profile),
    /// Convert bundles for other tools
    Export(Export),
    /// Draw a timeline of one or more bundles for the Perfetto viewer
    Render(Render),
    /// Draw one chart of captures, a comparison or a history
    Plot(Plot),
    /// Write one page about captures, a comparison or a history: where the time went, whether it changed, how sure that is
    Report(Report),
    /// Run SQL over one or more bundles; without -c or -f, from standard input or in a shell
    Sql(Sql),
    /// Start a worker of a cluster, which answers SQL over datasets
    Worker(Worker),
    /// Answer SQL over the network, to dashboards and drivers: PostgreSQL's protocol and Arrow Flight SQL
    Serve(Serve),
    /// Answer coding agents, by the Model Context Protocol on standard input and output
    Mcp(Mcp),
    /// List all tables, views and reports with their columns
    Tables(Tables),
    /// Run an IREE tool and record the data for the given questions, in as few runs as possible
    Capture(Capture),
    /// Capture the data that a bundle or capture set lacks, then print the answers
    Fill(Fill),
    /// Run two commands in turns until it is decided which is faster
    Race(Race),
    /// Generate, compile, verify and profile single dispatches, in many configurations
    Bench(Box<Bench>),
    /// List the knobs of a model's dispatches, and write, verify and join the tuning specs that set them
    Spec(Box<Spec>),
    /// Find configurations that make a model faster, and prove it: writes a tuning spec
    Tune(Box<Tune>),
    /// Print a script that completes commands and flags in a shell
    Completions(Completions),
    /// Print the manual page
    Man,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn scripts_for_shells_know_all_commands() {
        use clap_complete::Shell;
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ireescope", &mut script);
            let script = String::from_utf8(script).unwrap();
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

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
