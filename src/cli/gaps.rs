//! `gaps`: reports which questions captures answer, and which captures would answer the others.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemas::questions::{QUESTIONS, Question, mode, question};

use super::error::{CliError, exit};
use super::format::ReportFormat;
use super::lines;
use super::open::{self, Opening};
use super::output::Destination;
use crate::engine::Parameters;
use crate::report::{Row, Rows, gaps};

/// The value of `--for` that stands for all questions.
const ALL: &str = "all";

#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Gaps {
    /// Bundles to check
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Only these questions, separated by commas; may be repeated
    #[arg(long = "for", value_name = "QUESTION", value_delimiter = ',', value_parser = known)]
    pub questions: Vec<String>,
    /// Exit with 1 if a question is not answered completely
    #[arg(long)]
    pub check: bool,
    /// Output format: text, or jsonl (the rows of `report.gap`)
    #[arg(long, default_value = "text", value_name = "FORMAT", value_enum)]
    pub format: ReportFormat,
    /// Write to this file, atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command. With `--check`, the exit code is [`exit::NO`] if a question has a gap.
pub fn run(args: &Gaps, opening: &Opening) -> Result<u8, CliError> {
    let (engine, runtime) = open::salvaging(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let mut parameters = Parameters::default();
    if !args.questions.is_empty() && !args.questions.iter().any(|name| name == ALL) {
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

/// Parses the name of a question.
fn known(name: &str) -> Result<String, String> {
    if name == ALL {
        return Ok(name.to_owned());
    }
    question(name).map(|question| question.name.to_owned()).ok_or_else(|| {
        let names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
        format!("the questions are all, {}", names.join(", "))
    })
}

/// Returns the list of questions for the help text.
fn help() -> String {
    let lines = QUESTIONS.iter().map(|known| format!("  {:<18} {}", known.name, known.asks));
    format!("Questions:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// How a bundle or capture set answers a question.
#[derive(Debug)]
pub struct Gap {
    pub question: &'static Question,
    /// Whether the question is answered in full.
    pub is_closed: bool,
    /// The label of the bundle that answers best.
    pub bundle: String,
    /// Modes that close the gap; empty if the driver records none of them.
    pub modes: Vec<&'static str>,
    /// The command line that answers, without the program name; empty if the question cannot be answered.
    pub answer: Vec<String>,
}

/// The gaps of one bundle or capture set.
#[derive(Debug)]
pub struct Found {
    pub gaps: Vec<Gap>,
    /// The label of each bundle, with the driver of its first session.
    pub drivers: Vec<(String, Option<String>)>,
}

/// Determines the gaps of one bundle or capture set.
pub fn found(
    subject: &str,
    questions: &[&'static Question],
    opening: &Opening,
) -> Result<Found, CliError> {
    let (engine, runtime) = open::salvaging(&[subject.to_owned()], opening)?;
    let names: Vec<&str> = questions.iter().map(|question| question.name).collect();
    let parameters = Parameters { filter: names.join(","), ..Parameters::default() };
    let gaps = runtime.block_on(engine.report("gap", &parameters))?;
    let gap = |row: Row<'_>| {
        let listed = row.text("modes");
        // `clock` is empty if something that the answer needs is missing; there is no answer then.
        let answer = Some(row.text("answer")).filter(|_| !row.text("clock").is_empty());
        let words = answer.and_then(|answer| shlex::split(&answer)).unwrap_or_default();
        Some(Gap {
            question: question(&row.text("question"))?,
            is_closed: row.text("answerable") == "yes",
            bundle: row.text("bundle"),
            modes: listed.split(',').filter_map(|name| Some(mode(name)?.name)).collect(),
            answer: words.into_iter().skip(1).collect(),
        })
    };
    let drivers = engine.bundles().iter().map(|bundle| {
        let session = bundle.directory.sessions.first();
        let driver = session.map(|it| String::from_utf8_lossy(&it.name).into_owned());
        (bundle.label.clone(), driver)
    });
    let gaps = Rows::new(gaps.batches).iter().filter_map(gap).collect();
    Ok(Found { gaps, drivers: drivers.collect() })
}
