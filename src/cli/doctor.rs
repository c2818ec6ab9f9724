//! `doctor`: checks whether captures are complete, and reports problems.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::error::{CliError, exit};
use super::format::ReportFormat;
use super::lines;
use super::open::{self, Opening};
use super::output::Destination;
use crate::engine::Parameters;
use crate::report::{Rows, doctor};

const NEXT: &str = "\nFull evidence: ireescope sql -c 'SQL' BUNDLE; commands that capture what is missing: ireescope gaps BUNDLE";

#[derive(Debug, Args)]
#[command(
    after_help = "The exit code is 1 if an error is found. The findings are also rows of the view `doctor`."
)]
pub struct Doctor {
    /// Bundles to check
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Output format: text, or jsonl (the rows of `report.doctor`)
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Write to this file, atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command. The exit code is [`exit::NO`] if an error was found.
pub fn run(args: &Doctor, opening: &Opening) -> Result<u8, CliError> {
    let (engine, runtime) = open::salvaging(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let findings = runtime.block_on(engine.report("doctor", &Parameters::default()))?;
    let failed = |source| CliError::System { action: "write the output", source };
    let mut out = destination.writer();
    if args.format.is_jsonl() {
        lines::print_whole("doctor", &findings.batches, &mut out)?;
    }
    let findings = Rows::new(findings.batches);
    if !args.format.is_jsonl() {
        doctor::draw(&mut out, &findings).map_err(failed)?;
        writeln!(out, "{NEXT}").map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    destination.commit()?;
    Ok(if doctor::has_error(&findings) { exit::NO } else { exit::FINE })
}
