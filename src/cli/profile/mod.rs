//! The commands of `iree-profile`, with the same flags and JSON lines but a different text layout.

pub mod args;
mod text;

use std::io::Write;

use args::Profile;
use exporters::Format;

use super::encode;
use super::error::CliError;
use super::flags::of_parameter;
use super::open::Opening;
use crate::engine::Warmup;
use crate::export::lines;
use crate::workspace::{Accepts, Command, ReportError, ReportRequest, Workspace, bundles_only};

/// Runs the command of this name.
pub fn run(name: &str, args: &Profile, opening: &Opening) -> Result<(), CliError> {
    run_sorted(name, ReportRequest::default().sort, args, opening)
}

/// Runs a command whose rows are sorted by a figure.
pub fn run_sorted(
    name: &str,
    sort: &'static str,
    args: &Profile,
    opening: &Opening,
) -> Result<(), CliError> {
    let Some(command) = Command::named(name) else {
        return Err(ReportError::Command(name.to_owned()).into());
    };
    let format = args.printing.of_report();
    let request = ReportRequest {
        filter: args.filter.clone(),
        id: args.id,
        warmup: args.warmup.unwrap_or(match format {
            Some(Format::Json | Format::Jsonl) => Warmup::Keep,
            _ => Warmup::Auto,
        }),
        dispatch_events: args.dispatch_events,
        counter_samples: args.counter_samples,
        rows: args.rows.clone(),
        sort,
    };
    check(command, args, &request)?;
    bundles_only(&args.bundles)?;
    match format {
        None => text::print(command, args, opening, &request),
        Some(Format::Json | Format::Jsonl) => jsonl(command, args, opening, &request),
        Some(format) => tables(command, args, opening, &request, format),
    }
}

/// Fails if a flag is given that the command or the format does not accept.
fn check(command: &Command, args: &Profile, request: &ReportRequest) -> Result<(), CliError> {
    let mut asked = request.asked();
    asked.extend(args.warmup.map(|_| Accepts::Warmup));
    ReportRequest::check(command, &asked)?;
    if args.printing.of_report().is_some() {
        return Ok(());
    }
    let is_events =
        |asked: &&Accepts| matches!(asked, Accepts::DispatchEvents | Accepts::CounterSamples);
    if let Some(flag) = asked.iter().find(is_events) {
        let flag = of_parameter(*flag);
        return Err(CliError::Usage(format!("{flag} prints JSON lines; add --format=jsonl")));
    }
    if !args.rows.is_empty() {
        return Err(CliError::Usage(
            "text has rows of all types; for --rows, choose another --format".into(),
        ));
    }
    Ok(())
}

/// Prints the JSON lines, or an array of them, of one bundle after the other, so that only one is in memory at a time.
fn jsonl(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    request: &ReportRequest,
) -> Result<(), CliError> {
    let opened = opening.open_each(&args.bundles)?;
    let destination = args.printing.destination(opened.iter().map(|it| it.engine.as_ref()))?;
    let (groups, parameters) = (request.reports(command)?, request.parameters(command));
    let print = |out: &mut dyn Write| {
        for workspace in &opened {
            let bundle = workspace.engine.bundles().first().filter(|_| opened.len() > 1);
            let label = bundle.map(|bundle| bundle.label.as_str());
            lines::write_command(workspace, &groups, &parameters, label, out)?;
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
    request: &ReportRequest,
    format: Format,
) -> Result<(), CliError> {
    let reports = request.reports(command)?.concat();
    if format.is_binary() && reports.len() > 1 {
        return Err(CliError::Usage(format!(
            "arrow and parquet can hold only one type of rows; choose one with --rows: {}",
            reports.join(", ")
        )));
    }
    let Workspace { engine, runtime } = opening.open(&args.bundles)?;
    let destination = args.printing.destination([engine.as_ref()])?;
    let format = destination.format(Some(format))?;
    let parameters = request.parameters(command);
    for prepared in engine.prepare_all(sql::Kind::Report, &reports, &parameters)? {
        let rows = prepared.stream()?;
        runtime.block_on(encode::write(&rows.schema(), rows, format, &destination))?;
    }
    destination.commit()
}
