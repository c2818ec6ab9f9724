//! `gaps`: which questions captures answer, and what would capture the rest.

use std::collections::BTreeMap;
use std::io::Write;

use schemas::questions::{MODES, QUESTIONS, Question, mode, question};

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

/// What `fill` has to know of gaps.
#[derive(Debug)]
pub struct Found {
    /// For each question that has a gap, the modes that close it.
    pub modes: BTreeMap<&'static str, Vec<&'static str>>,
    /// Modes that the driver is known not to record, and why.
    pub unsupported: BTreeMap<&'static str, String>,
}

/// The gaps of one bundle or capture set.
pub fn found(
    subject: &str,
    questions: &[&'static Question],
    opening: &Opening,
) -> Result<Found, CliError> {
    let (engine, runtime) = open::salvaging(&[subject.to_owned()], opening)?;
    let names: Vec<&str> = questions.iter().map(|question| question.name).collect();
    let parameters = Parameters { filter: names.join(","), ..Parameters::default() };
    let gaps = runtime.block_on(engine.report("gap", &parameters))?;
    let mut modes = BTreeMap::new();
    for row in Rows::new(gaps.batches).iter() {
        let (name, listed) = (row.text("question"), row.text("modes"));
        if let Some(question) = question(&name).filter(|_| !listed.is_empty()) {
            let listed = listed.split(',').filter_map(|name| Some(mode(name)?.name));
            modes.insert(question.name, listed.collect());
        }
    }
    let recorded = engine.prepare(sql::Kind::View, &["recorded_modes"], &Parameters::default())?;
    let mut recorded_rows = Vec::new();
    for view in recorded {
        recorded_rows.extend(runtime.block_on(view.answer())?.batches);
    }
    Ok(Found { modes, unsupported: unsupported(&Rows::new(recorded_rows)) })
}

/// Modes that no bundle's driver records.
fn unsupported(recorded: &Rows) -> BTreeMap<&'static str, String> {
    let state = |name: &str, is_it: bool| {
        let mut of_mode = recorded.iter().filter(move |row| row.text("mode") == name);
        of_mode.find(move |row| (row.text("state") == "unsupported") == is_it)
    };
    let modes = MODES.iter().filter(|mode| state(mode.name, false).is_none());
    modes.filter_map(|mode| Some((mode.name, state(mode.name, true)?.text("reason")))).collect()
}
