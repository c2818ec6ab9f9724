//! `top`: lists the functions by total time.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use exporters::{Format, printable};

use super::encode;
use super::error::CliError;
use super::names::format;
use super::open::{self, Opening};
use super::output::{Destination, terminal_width};
use crate::bundle::set::shell_words;
use crate::engine::Parameters;
use crate::report::{Row, health, rows, top};

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
    let destination = Destination::new(args.output.as_deref(), [&engine])?;
    let [functions, health] = ["top_function", "capture_health"]
        .map(|report| runtime.block_on(engine.report(report, &Parameters::default())));
    let (functions, health) = (functions?, health?);
    if args.format.is_some() || args.output.is_some() {
        let format = destination.format(args.format)?;
        let batches = futures::stream::iter(functions.batches.into_iter().map(Ok));
        runtime.block_on(encode::write(&functions.schema, batches, format, &destination))?;
        return destination.commit();
    }
    let functions = rows(&functions.batches);
    let mut out = destination.writer();
    health::draw(&mut out, &health.batches)
        .and_then(|()| top::draw(&mut out, &functions, args.limit, terminal_width()))
        .and_then(|()| writeln!(out, "\n{}", next_step(functions.first())))
        .and_then(|()| out.flush())
        .map_err(|source| CliError::System { action: "write to standard output", source })
}

fn next_step(first: Option<&Row<'_>>) -> String {
    let Some(first) = first else {
        return "No dispatch was timed. Capture with --device_profiling_mode=host-execution (CPU devices) or \
                dispatch-events (GPUs), and executable-metadata for names."
            .to_owned();
    };
    let key = first.text("key").replace('\'', "''");
    let query = printable(&format!("SELECT * FROM dispatches WHERE key = '{key}'"));
    let words = ["ireescope", "sql", "-c", &query, "BUNDLE"];
    format!("All dispatches of the first function: {}", shell_words(words))
}
