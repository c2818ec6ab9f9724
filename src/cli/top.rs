//! `top`: where the time went.

use std::io::Write;

use exporters::printable;

use super::args::{FormatChoice, Opening, Top};
use super::error::CliError;
use super::open;
use super::output::{Destination, terminal_width};
use crate::engine::{Answer, EngineError, Parameters};
use crate::report::{Rows, health, top};

/// Runs the command.
pub fn run(args: &Top, opening: &Opening) -> Result<(), CliError> {
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let names = ["top_function", "capture_health"];
    let prepared = engine.prepare(sql::Kind::Report, &names, &Parameters::default())?;
    let mut answers = Vec::new();
    for prepared in prepared {
        answers.push(runtime.block_on(prepared.answer())?);
    }
    let [functions, health] = <[Answer; 2]>::try_from(answers).map_err(|answers| {
        EngineError::Query(format!("{} answers to two queries", answers.len()))
    })?;
    if args.format.is_some() || args.output.is_some() {
        let format =
            destination.format(args.format.map_or(FormatChoice::Auto, FormatChoice::Named))?;
        let mut encoder =
            format.encoder(&functions.schema, destination.writer(), destination.target())?;
        for batch in &functions.batches {
            encoder.batch(batch)?;
        }
        encoder.finish()?;
        return destination.commit();
    }
    let health = health::lines(&Rows::new(health.batches));
    let layout = top::Layout { limit: args.limit, width: terminal_width() };
    let functions = Rows::new(functions.batches);
    let mut out = destination.writer();
    top::draw(&mut out, &health, &functions, layout)
        .and_then(|()| writeln!(out, "\n{}", next_step(&functions)))
        .and_then(|()| out.flush())
        .map_err(|source| CliError::System { action: "write to standard output", source })
}

/// Where to go from the report.
fn next_step(functions: &Rows) -> String {
    functions.iter().next().map_or_else(
        || {
            "No dispatch was timed. Capture with --device_profiling_mode=host-execution (CPU devices) or \
             dispatch-events (GPUs), and executable-metadata for names."
                .to_owned()
        },
        |first| {
            let key = first.text("key").replace('\'', "''");
            let query = format!("SELECT * FROM dispatches WHERE key = '{key}'");
            format!("Every run of the first: ireescope sql -c {} BUNDLE", quoted(&query))
        },
    )
}

/// A word of a shell's command line: nothing in it is expanded.
fn quoted(text: &str) -> String {
    if text.contains(|letter: char| {
        matches!(letter, '$' | '`' | '"' | '\\' | '!') || letter.is_control()
    }) {
        format!("'{}'", printable(text).replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}
