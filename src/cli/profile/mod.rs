//! The commands of `iree-profile`, with the same flags and JSON lines but a different text layout.

pub mod args;
mod commands;
mod text;

use std::io::Write;

use exporters::report_jsonl::{ReportJsonl, head};
use tokio::runtime::Runtime;

use super::error::CliError;
use super::format::ReportFormat;
use super::lines::{self, Rows};
use super::open::{self, Opening};
use super::output::Destination;
use crate::engine::{Engine, Parameters, Prepared};

pub use commands::{Command, all, find};

use args::Profile;
use commands::Flags;

/// Runs a command.
pub fn run(command: &'static Command, args: &Profile, opening: &Opening) -> Result<(), CliError> {
    command.check(args)?;
    let parameters = Parameters {
        filter: args.filter.clone(),
        id: u64::try_from(args.id).ok(),
        id_filter: args.id,
        by: command.by,
        events: args.dispatch_events || args.counter_samples,
    };
    match args.format {
        ReportFormat::Jsonl => jsonl(command, args, opening, &parameters),
        ReportFormat::Text => text::print(command, args, opening, &parameters),
    }
}

/// Prints the JSON lines of one bundle after the other, so that only one is in memory at a time.
fn jsonl(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
) -> Result<(), CliError> {
    let engines = open::each(&args.bundles, opening)?;
    let bundles: Vec<&Engine> = engines.iter().map(|(engine, _)| engine).collect();
    let destination = Destination::beside(args.output.as_deref(), &bundles)?;
    let mut out = destination.writer();
    let several = engines.len() > 1;
    for (engine, runtime) in &engines {
        let label =
            engine.bundles().first().map(|bundle| bundle.label.as_str()).filter(|_| several);
        print(command, args, engine, runtime, parameters, label, &mut out)?;
    }
    out.flush().map_err(|source| CliError::System { action: "write the output", source })?;
    drop(out);
    destination.commit()
}

fn print(
    command: &Command,
    args: &Profile,
    engine: &Engine,
    runtime: &Runtime,
    parameters: &Parameters,
    label: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let flags =
        Flags { dispatch_events: args.dispatch_events, counter_samples: args.counter_samples };
    let groups = (command.lines)(flags);
    let prepared = engine.prepare_all(sql::Kind::Report, &groups.concat(), parameters)?;
    let mut prepared = prepared.into_iter();
    runtime.block_on(async {
        for reports in groups {
            let prepared = prepared.by_ref().take(reports.len());
            print_together(reports, prepared, label, out).await?;
        }
        Ok(())
    })
}

/// Prints the rows of several reports, merged by their hidden columns.
async fn print_together(
    reports: &[&str],
    prepared: impl Iterator<Item = Prepared>,
    label: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut rows = Vec::new();
    for (report, prepared) in reports.iter().zip(prepared) {
        let head = head(report, label.map(|label| ("bundle", label)));
        let encoder = ReportJsonl::new(head, lines::keys(sql::report(report)));
        rows.push(Rows { encoder, partitions: prepared.partitions()? });
    }
    lines::print(rows, out, &mut |_| {}).await
}
