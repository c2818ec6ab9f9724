//! `gaps`: which questions captures answer, and what would capture the rest.

use std::io::Write;

use schemas::questions::{QUESTIONS, question};

use super::args::{Gaps, Opening};
use super::error::{CliError, exit};
use super::lines;
use super::open;
use super::output::Destination;
use crate::engine::Parameters;
use crate::report::{Rows, gaps};

/// Runs the command; with `--check`, the answer is no where a question has a gap.
pub fn run(args: &Gaps, opening: &Opening) -> Result<u8, CliError> {
    let (engine, runtime) = open::salvaging(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let mut parameters = Parameters::default();
    if !args.questions.is_empty() {
        parameters.filter = args.questions.join(",");
    }
    let questions = runtime.block_on(engine.report("gap", &parameters))?;
    let failed = |source| CliError::System { action: "write the output", source };
    let mut out = destination.writer();
    if args.format.is_jsonl() {
        lines::print_whole("gap", &questions.batches, &mut out)?;
    }
    let questions = Rows::new(questions.batches);
    if !args.format.is_jsonl() {
        gaps::draw(&mut out, &questions).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    destination.commit()?;
    Ok(if args.check && gaps::has_gap(&questions) { exit::NO } else { exit::FINE })
}

/// A question by name.
pub fn known(name: &str) -> Result<String, String> {
    question(name).map(|question| question.name.to_owned()).ok_or_else(|| {
        let names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
        format!("the questions are {}", names.join(", "))
    })
}

/// The questions, for the help text.
pub fn help() -> String {
    let lines = QUESTIONS.iter().map(|known| format!("  {:<18} {}", known.name, known.asks));
    format!("Questions:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
