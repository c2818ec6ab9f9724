//! `top`: lists the functions by total time.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use exporters::{Format, printable};

use super::error::CliError;
use super::format::{FormatChoice, format};
use super::open::{self, Opening};
use super::output::{Destination, terminal_width};
use crate::engine::Parameters;
use crate::report::{Rows, health, top};

#[derive(Debug, Args)]
pub struct Top {
    /// Bundles to open; functions with the same name are aggregated over all bundles
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Maximum number of functions per clock
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Print all rows of `report.top_function` in this format instead: box, markdown, csv, tsv, json, jsonl, line, arrow
    /// or parquet
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,
    /// Write to this file, atomically; its extension selects the format
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Top, opening: &Opening) -> Result<(), CliError> {
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let [functions, health] = ["top_function", "capture_health"]
        .map(|report| runtime.block_on(engine.report(report, &Parameters::default())));
    let (functions, health) = (functions?, health?);
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

/// Suggests the next command.
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
            format!("All dispatches of the first function: ireescope sql -c {} BUNDLE", quoted(&query))
        },
    )
}

/// Quotes a word for a shell, so that nothing in it is expanded.
fn quoted(text: &str) -> String {
    if text.contains(|letter: char| {
        matches!(letter, '$' | '`' | '"' | '\\' | '!') || letter.is_control()
    }) {
        format!("'{}'", printable(text).replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}
