//! `doctor`: checks whether captures are complete, and reports problems.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::error::{CliError, exit};
use super::names::ReportFormat;
use super::open::Opening;
use super::printed;
use crate::engine::Parameters;
use crate::report::{Row, doctor, rows};

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
    let every = Parameters::default();
    let bundles = (args.bundles.as_slice(), opening);
    let draw = |out: &mut dyn Write, findings: &[Row<'_>]| {
        doctor::draw(out, findings)?;
        writeln!(out, "{NEXT}")
    };
    let findings =
        printed::print("doctor", &every, bundles, args.format, args.output.as_deref(), draw)?;
    Ok(if doctor::has_error(&rows(&findings)) { exit::NO } else { exit::FINE })
}
