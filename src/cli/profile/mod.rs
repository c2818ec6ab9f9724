//! The commands of `iree-profile`, with the same flags and JSON lines but a different text layout.

pub mod args;
mod commands;
mod text;

use exporters::report_jsonl::{ReportJsonl, head};

use super::error::CliError;
use super::lines::{self, Rows};
use super::names::ReportFormat;
use super::open::{self, Opening};
use super::output::Destination;
use crate::engine::Parameters;

pub use commands::{Command, all};

use args::Profile;

/// Runs the command of this name.
pub fn run(name: &str, args: &Profile, opening: &Opening) -> Result<(), CliError> {
    let Some(command) = all().iter().find(|command| command.name == name) else {
        return Err(CliError::Usage(format!("unknown command {name}")));
    };
    command.check(args)?;
    let parameters = Parameters {
        filter: args.filter.clone(),
        id: u64::try_from(args.id).ok(),
        id_filter: args.id,
        by: command.by(),
        warmup: args.warmup.unwrap_or(match args.format {
            ReportFormat::Jsonl => 0,
            ReportFormat::Text => -1,
        }),
        events: args.dispatch_events || args.counter_samples,
        ..Parameters::default()
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
    let destination =
        Destination::new(args.output.as_deref(), engines.iter().map(|(engine, _)| engine))?;
    let groups = command.lines(args);
    destination.fill(|out| {
        for (engine, runtime) in &engines {
            let bundle = engine.bundles().first().filter(|_| engines.len() > 1);
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
    })
}
