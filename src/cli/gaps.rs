//! `gaps`: reports which questions captures answer, and which captures would answer the others.

use clap::Args;
use schemas::questions::{Question, mode, question};

use super::error::{CliError, exit};
use super::names::{Asked, asked, list_of_questions, questions};
use super::open::Opening;
use super::printed;
use super::printing::Printing;
use crate::bundle::set::shell_words;
use crate::engine::Parameters;
use crate::fold::shortest_kept_ns;
use crate::report::{Row, gaps, rows};
use crate::workspace::Workspace;

#[derive(Debug, Args)]
#[command(after_help = list_of_questions())]
pub struct Gaps {
    /// Bundles to check
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Only these questions, separated by commas; may be repeated
    #[arg(
        long = "for",
        value_name = "QUESTION",
        value_delimiter = ',',
        value_parser = asked,
        default_value = "all",
        hide_default_value = true
    )]
    pub questions: Vec<Asked>,
    /// Functions to trace in the commands for `instructions`: `*` matches any characters, `?` matches one
    #[arg(long, value_name = "PATTERN", visible_alias = "function")]
    pub filter_function: Option<String>,
    /// Exit with 1 if a question is not answered completely
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command. With `--check`, the exit code is [`exit::NO`] if a question has a gap.
pub fn run(args: &Gaps, opening: &Opening) -> Result<u8, CliError> {
    let mut only = only(&questions(&args.questions));
    if let Some(pattern) = &args.filter_function {
        only.function = format!("function={}", shell_words([pattern.as_str()]));
    }
    let bundles = (args.bundles.as_slice(), opening);
    let gaps = printed::print("gap", &only, bundles, &args.printing, gaps::draw)?;
    Ok(if args.check && gaps::has_gap(&rows(&gaps)) { exit::NO } else { exit::FINE })
}

/// Restricts the report `gap` to these questions. The commas prevent matches of parts of names.
fn only(questions: &[&Question]) -> Parameters {
    let names: Vec<&str> = questions.iter().map(|question| question.name).collect();
    Parameters { filter: format!(",{},", names.join(",")), ..Parameters::default() }
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
    /// The shortest time for which a producer kept records before it dropped some.
    kept_ns: Option<u64>,
}

impl Found {
    /// Returns how often a tool flushes so that nothing is dropped: twice in the time for which records were kept.
    pub fn flush_interval_ms(&self) -> Option<u32> {
        let every = self.kept_ns? / 2_000_000;
        Some(u32::try_from(every.max(1)).unwrap_or(u32::MAX))
    }
}

/// Determines the gaps of one bundle or capture set.
pub fn found(
    subject: &str,
    questions: &[&'static Question],
    opening: &Opening,
) -> Result<Found, CliError> {
    let Workspace { engine, runtime } = opening.salvage(&[subject.to_owned()])?;
    let gaps = runtime.block_on(engine.report("gap", &only(questions)))?;
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
    let gaps = rows(&gaps.batches).into_iter().filter_map(gap).collect();
    let kept = engine.bundles().iter().map(shortest_kept_ns);
    let kept = kept.collect::<Result<Vec<_>, _>>()?;
    Ok(Found { gaps, drivers: drivers.collect(), kept_ns: kept.into_iter().flatten().min() })
}
