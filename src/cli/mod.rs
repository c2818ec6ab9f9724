//! The command-line interface: parses flags, runs commands and returns exit codes. Each command has its own module.
//!
//! Invariant: no lower layer uses clap, prints, or ends the process.

mod again;
mod agents_md;
mod args;
mod att;
mod bench;
mod capture;
mod captured;
mod cluster;
mod compare;
mod completions;
#[cfg(test)]
mod defaults;
mod doctor;
mod drawing;
mod encode;
mod error;
mod export;
mod files;
mod flags;
mod gaps;
mod history;
mod judging;
mod leading;
mod limits;
mod mcp;
mod names;
mod normalize;
mod nothing;
mod open;
mod output;
mod pager;
mod panics;
mod plot;
mod printed;
mod printing;
mod profile;
mod progress;
mod race;
mod render;
mod report;
mod serve;
mod signals;
mod spec;
mod sql;
mod standard_input;
mod suggest;
mod tables;
mod top;
mod tune;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::workspace::DEEP_STACK;
use args::{Cli, Command, Guide};
use error::{CliError, exit};
use open::Opening;
use output::print;

/// Runs a command line of this program, given without the program name.
fn again(words: Vec<String>, opening: &Opening) -> Result<(), CliError> {
    let words = std::iter::once("ireescope".to_owned()).chain(words);
    let cli = Cli::try_parse_from(words).map_err(|error| CliError::Usage(error.to_string()))?;
    command(Cli { opening: opening.clone(), ..cli }).map(|_| ())
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os().collect(), std::env::current_exe().ok()))
}

/// Runs a command line, whose first word is the name of the program, and returns the exit code. `program` is what runs this
/// function with other arguments, for processes that it needs.
pub fn run(arguments: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    if arguments.iter().skip(1).eq([crate::att::ARGUMENT]) {
        return att::child::main();
    }
    panics::keep_quiet();
    let thread = std::thread::Builder::new().name("ireescope".into()).stack_size(DEEP_STACK);
    let run = move || parsed(arguments.into_iter(), program);
    match thread.spawn(run).map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => failed(&CliError::Lacking(panics::told(panic.as_ref()))),
        Err(source) => failed(&CliError::System { action: "start a thread", source }),
    }
}

/// Reports an error and returns its exit code.
fn failed(error: &CliError) -> u8 {
    error.report();
    error.code()
}

/// Parses the arguments and runs the command.
fn parsed(arguments: impl Iterator<Item = OsString>, program: Option<PathBuf>) -> u8 {
    let mut known = Cli::command();
    let given = normalize::flags(arguments);
    let count = given.len();
    let arguments = normalize::command_first(given, &known);
    if arguments.len() > count {
        let instead = normalize::DEFAULT;
        eprintln!(
            "ireescope: no command is given; this is `ireescope {instead}`, see --help for others"
        );
    }
    let matches = known.try_get_matches_from_mut(arguments);
    let mut cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            // If the help cannot be printed, there is nowhere to report the failure.
            let _ = error.print();
            return if usage { exit::USAGE } else { exit::FINE };
        }
    };
    cli.opening.program = program;
    let (traces, files) = (cli.opening.traces.clone(), cli.opening.files.clone());
    let done = command(cli);
    open::warn_undecoded(&traces.take_outcome().problems);
    // What was read of a file that became shorter is wrong, whatever the command made of it.
    match files.whole().map_err(CliError::from).and(done) {
        Ok(code) => code,
        Err(error) if error.is_closed_pipe() => exit::FINE,
        Err(error) => failed(&error),
    }
}

/// Runs a command and returns its exit code, which is the answer of `doctor`, `gaps`, `capture` and `fill`.
fn command(cli: Cli) -> Result<u8, CliError> {
    let opening = cli.opening;
    match cli.agents_md {
        Some(Guide::Brief) => return print(&agents_md::brief()).map(|()| exit::FINE),
        Some(Guide::Full) => return print(&agents_md::full()).map(|()| exit::FINE),
        None => {}
    }
    let Some(command) = cli.command else {
        return Err(CliError::Usage(
            "no command given; `ireescope --help` lists the commands".into(),
        ));
    };
    let done = match command {
        Command::Doctor(args) => return doctor::run(&args, &opening),
        Command::Gaps(args) => return gaps::run(&args, &opening),
        Command::Capture(args) => return capture::run(&args),
        Command::Fill(args) => {
            return capture::fill::run(&args, &opening, &|words| again(words, &opening));
        }
        Command::Race(args) => {
            return race::run(&args, &opening, &|words| again(words, &opening));
        }
        Command::Spec(args) => return spec::run(&args, &opening),
        Command::Tune(args) => return tune::run(&args, &opening),
        Command::Plot(args) => plot::run(&args, &opening),
        Command::Export(args) => export::run(&args, &opening),
        Command::Render(args) => render::run(&args, &opening),
        Command::Report(args) => report::run(&args, &opening),
        Command::Sql(args) => sql::run(&args, &opening),
        Command::Serve(args) => serve::run(&args, &opening),
        Command::Mcp(args) => mcp::run(&args, &opening),
        Command::Worker(args) => cluster::run_worker(&args, &opening),
        Command::Tables(args) => tables::run(&args),
        Command::Top(args) => top::run(&args, &opening),
        Command::Compare(args) => compare::run(&args, &opening),
        Command::History(args) => history::run(&args, &opening),
        Command::Summary(args) => profile::run("summary", &args, &opening),
        Command::Explain(args) => profile::run("explain", &args, &opening),
        Command::Dispatch(args) => profile::run("dispatch", &args, &opening),
        Command::Executable(args) => profile::run("executable", &args, &opening),
        Command::Recorded(args) => profile::run("command", &args, &opening),
        Command::Queue(args) => profile::run("queue", &args, &opening),
        Command::Memory(args) => profile::run("memory", &args, &opening),
        Command::Counter(args) => profile::run("counter", &args, &opening),
        Command::Statistics(args) => profile::run("statistics", &args, &opening),
        Command::Att(args) => att::run(&args, &opening),
        Command::CodeObjects(args) => att::code_objects::run(&args, &opening),
        Command::Cat(args) => profile::run("cat", &args, &opening),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man => completions::man(Cli::command()),
    };
    done.map(|()| exit::FINE)
}
