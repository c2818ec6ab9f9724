//! The commands of `iree-profile`, with the same flags and JSON lines but a different text layout.

pub mod args;
mod commands;
mod text;

use std::io::Write;

use exporters::Format;
use exporters::report_jsonl::{ReportJsonl, head};

use super::encode;
use super::error::CliError;
use super::lines::{self, Rows};
use super::open::Opening;
use crate::engine::Parameters;
use crate::workspace::{Workspace, bundles_only};

pub use commands::{Command, all};

use args::Profile;

/// Runs the command of this name.
pub fn run(name: &str, args: &Profile, opening: &Opening) -> Result<(), CliError> {
    run_sorted(name, Parameters::default().sort, args, opening)
}

/// Runs a command whose rows are sorted by a figure.
pub fn run_sorted(
    name: &str,
    sort: &'static str,
    args: &Profile,
    opening: &Opening,
) -> Result<(), CliError> {
    let Some(command) = all().iter().find(|command| command.name == name) else {
        return Err(CliError::Usage(format!("unknown command {name}")));
    };
    command.check(args)?;
    bundles_only(&args.bundles)?;
    let format = args.printing.of_report();
    let parameters = Parameters {
        filter: args.filter.clone(),
        id: u64::try_from(args.id).ok(),
        id_filter: args.id,
        by: command.by(),
        warmup: args.warmup.unwrap_or(match format {
            Some(Format::Json | Format::Jsonl) => 0,
            _ => -1,
        }),
        events: args.dispatch_events || args.counter_samples,
        sort,
        ..Parameters::default()
    };
    match format {
        None => text::print(command, args, opening, &parameters),
        Some(Format::Json | Format::Jsonl) => jsonl(command, args, opening, &parameters),
        Some(format) => tables(command, args, opening, &parameters, format),
    }
}

/// Prints the JSON lines, or an array of them, of one bundle after the other, so that only one is in memory at a time.
fn jsonl(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
) -> Result<(), CliError> {
    let opened = opening.open_each(&args.bundles)?;
    let destination = args.printing.destination(opened.iter().map(|it| &it.engine))?;
    let groups = command.lines(args)?;
    let print = |out: &mut dyn Write| {
        for Workspace { engine, runtime } in &opened {
            let bundle = engine.bundles().first().filter(|_| opened.len() > 1);
            let label = bundle.map(|bundle| ("bundle", bundle.label.as_str()));
            let prepared = engine.prepare_all(sql::Kind::Report, &groups.concat(), parameters)?;
            let mut prepared = prepared.into_iter();
            runtime.block_on(async {
                for reports in &groups {
                    let mut rows = Vec::new();
                    for (report, prepared) in reports.iter().zip(prepared.by_ref()) {
                        let keys = lines::keys(sql::report(report));
                        let encoder = ReportJsonl::new(head(report, label), keys);
                        rows.push(Rows { encoder, partitions: prepared.partitions()? });
                    }
                    lines::print(rows, out, &mut |_| {}).await?;
                }
                Ok::<_, CliError>(())
            })?;
        }
        Ok(())
    };
    destination.lines(args.printing.of_report() == Some(Format::Json), print)
}

/// Prints the rows of all bundles together, a table for each type of rows, as SQL over `report.<type>` would.
fn tables(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
    format: Format,
) -> Result<(), CliError> {
    let reports = command.lines(args)?.concat();
    if format.is_binary() && reports.len() > 1 {
        return Err(CliError::Usage(format!(
            "arrow and parquet can hold only one type of rows; choose one with --rows: {}",
            reports.join(", ")
        )));
    }
    let Workspace { engine, runtime } = opening.open(&args.bundles)?;
    let destination = args.printing.destination([&engine])?;
    let format = destination.format(Some(format))?;
    for prepared in engine.prepare_all(sql::Kind::Report, &reports, parameters)? {
        let rows = prepared.stream()?;
        runtime.block_on(encode::write(&rows.schema(), rows, format, &destination))?;
    }
    destination.commit()
}
