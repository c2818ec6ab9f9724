//! `doctor`: whether captures are whole, and what they are good for.

use std::io::Write;

use super::args::{Doctor, Opening};
use super::error::{CliError, exit};
use super::lines;
use super::open;
use super::output::Destination;
use crate::engine::Parameters;
use crate::report::{Rows, doctor};

const NEXT: &str = "\nThe evidence in full: ireescope sql -c 'SQL' BUNDLE; what would capture what is missing: ireescope gaps BUNDLE";

/// Runs the command; the answer is no where an error was found.
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
