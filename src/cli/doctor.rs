//! `doctor`: checks whether captures are complete, and reports problems.

use std::io::Write;

use clap::Args;

use super::error::{CliError, exit};
use super::open::Opening;
use super::printed;
use super::printing::Printing;
use super::suggest::suggest;
use crate::engine::Parameters;
use crate::report::next::{Next, always};
use crate::report::{Row, doctor, rows};

/// The commands that are suggested below the findings.
const NEXT: &[Next] = &[
    Next {
        shows: "The evidence of the first finding",
        words: &["sql", "-c", "{}"],
        of: &[("doctor", "evidence")],
    },
    always("What captures lack, and the commands that capture it", &["gaps"]),
];

#[derive(Debug, Args)]
#[command(
    after_help = "The exit code is 1 if an error is found. The findings are also rows of the view `doctor`."
)]
pub struct Doctor {
    /// Bundles to check
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command. The exit code is [`exit::NO`] if an error was found.
pub fn run(args: &Doctor, opening: &Opening) -> Result<u8, CliError> {
    let every = Parameters::default();
    let bundles = (args.bundles.as_slice(), opening);
    let draw = |out: &mut dyn Write, findings: &[Row<'_>]| {
        doctor::draw(out, findings)?;
        suggest(out, NEXT, &args.bundles, |_, column| {
            let mut problems = findings.iter().filter(|row| row.text("severity") != "info");
            problems.find_map(|row| Some(row.text(column)).filter(|text| !text.is_empty()))
        })
    };
    let findings = printed::print("doctor", &every, bundles, &args.printing, draw)?;
    Ok(if doctor::has_error(&rows(&findings)) { exit::NO } else { exit::FINE })
}
