//! The flags of how sides are judged, and of how that is printed, for `compare` and `history check`.

mod error;

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use exporters::Format;

use super::encode;
use super::error::CliError;
use super::names;
use super::output::Destination;
use super::values::share;
use crate::bundle::Files;
use crate::compare::{Budget, Comparison, Gate, GateResult, Rule, UnusedLimit};
use crate::comparison::{self, CompareOptions, Sides};
use crate::report::comparison::{Terms, broken, junit, markdown, passed, text, unjudged};
use crate::statistics::Summary;
use crate::workspace::similar;

pub use error::unmatched;

/// How the sides are judged, and how that is printed.
#[derive(Debug, Args)]
pub struct Judging {
    /// How the iterations of a run are summarized
    #[arg(long, value_enum, default_value_t = Stat::Median)]
    pub stat: Stat,
    /// Differences up to this share do not matter, e.g. 1% (default: estimated from how halves of the baseline's runs differ)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub noise_floor: Option<f64>,
    /// Maximum number of functions in text and Markdown
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Exit with 1 if a function or the total is `slower` (by more than a share: `slower:2%`), or the `total` is (`total:1%`),
    /// and with 5 if that cannot be judged; may be repeated
    #[arg(long, value_name = "RULE", value_parser = str::parse::<Rule>)]
    pub fail_on: Vec<Rule>,
    /// Exit with 1 if a function exceeds a limit of this TOML file, and with 5 if that cannot be judged (docs/compare.md)
    #[arg(long, value_name = "FILE")]
    pub budget: Option<PathBuf>,
    /// With --fail-on or --budget: whether a total that is ambiguous or likely slower fails, too
    #[arg(long, value_enum, default_value_t = Ambiguous::Pass)]
    pub ambiguous: Ambiguous,
    /// Output format: text, markdown (for a pull request), junit, or the rows as box, csv, tsv, json, jsonl, line, arrow or
    /// parquet
    #[arg(long, default_value = "text", value_name = "FORMAT", value_parser = shape)]
    pub format: Shape,
    /// Write to this file or object (docs/objects.md), atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How the iterations of a run are summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stat {
    Median,
    Min,
    Mean,
}

/// Whether an ambiguous total fails a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ambiguous {
    Pass,
    Fail,
}

/// A value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Markdown,
    Junit,
    Rows(Format),
}

fn shape(name: &str) -> Result<Shape, String> {
    match name {
        "text" => Ok(Shape::Text),
        "markdown" => Ok(Shape::Markdown),
        "junit" => Ok(Shape::Junit),
        name => {
            let names = ["text", "junit"].into_iter().chain(Format::names());
            names::found(name, Format::named(name), "formats", names).map(Shape::Rows)
        }
    }
}

impl Judging {
    /// Adds the flags to the options of a comparison.
    pub fn options(&self, options: CompareOptions) -> CompareOptions {
        let summary = match self.stat {
            Stat::Median => Summary::Median,
            Stat::Min => Summary::Min,
            Stat::Mean => Summary::Mean,
        };
        CompareOptions { summary, noise_floor: self.noise_floor, ..options }
    }

    /// Compares the first side with the others, prints that, and fails if the gate does.
    pub fn judge(
        &self,
        sides: Sides,
        options: &CompareOptions,
        files: &Files,
    ) -> Result<(), CliError> {
        let gate = self.gate()?;
        let all = sides.compare(options)?;
        self.print(&all, &gate, files)?;
        self.check(&all, &gate)
    }

    fn gate(&self) -> Result<Gate, CliError> {
        let wrong = |what: String| CliError::Usage(format!("{}: {what}", self.terms().budget));
        let budget = self.budget.as_ref().map(|path| {
            let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
            text.parse::<Budget>().map_err(|error| wrong(error.to_string()))
        });
        Ok(Gate {
            rules: self.fail_on.clone(),
            budget: budget.transpose()?,
            fails_if_ambiguous: self.ambiguous == Ambiguous::Fail,
        })
    }

    /// Returns the names of the flags.
    fn terms(&self) -> Terms {
        let budget = self.budget.as_ref().map(|path| format!("--budget {}", path.display()));
        Terms {
            noise_floor: "--noise-floor".to_owned(),
            summary: "--stat".to_owned(),
            summary_by_mean: "--stat=mean".to_owned(),
            rule: "--fail-on".to_owned(),
            budget: budget.unwrap_or_default(),
            ambiguous: "--ambiguous=fail".to_owned(),
        }
    }

    fn print(&self, all: &[Comparison], gate: &Gate, files: &Files) -> Result<(), CliError> {
        let destination = Destination::new(self.output.as_deref(), [])?.of_files(files);
        let (limit, terms) = (self.limit, self.terms());
        match self.format {
            Shape::Text => {
                let width = destination.target().width;
                destination.text(|out| text::draw(out, all, (limit, width), &terms))
            }
            Shape::Markdown => destination
                .fill(|out| markdown::draw(out, all, limit, &terms).map_err(CliError::output)),
            Shape::Junit => destination
                .fill(|out| junit::draw(out, all, gate, &terms).map_err(CliError::output)),
            Shape::Rows(format) => {
                let batch = comparison::batch(all)?;
                encode::write_all(&batch.schema(), vec![batch], format, destination)
            }
        }
    }

    /// Fails with the limit that is exceeded, or that cannot be judged. Says on standard error that none is exceeded.
    fn check(&self, all: &[Comparison], gate: &Gate) -> Result<(), CliError> {
        let terms = self.terms();
        match gate.check(all).map_err(|error| unused(&error, all, &terms))? {
            GateResult::Broken(limit) => Err(CliError::No(broken(&limit, &terms))),
            GateResult::Unjudged(limit) => Err(CliError::Unjudged(unjudged(&limit, &terms))),
            GateResult::Passed { uncertain } => {
                if !gate.is_open() {
                    eprintln!("ireescope: {}", passed(gate, &uncertain, &terms));
                }
                Ok(())
            }
        }
    }
}

/// Adds the names that may be meant to an error about a pattern of the budget.
fn unused(error: &UnusedLimit, all: &[Comparison], terms: &Terms) -> CliError {
    let functions = all.iter().flat_map(Comparison::functions);
    let names: Vec<&str> = functions.map(|it| it.new.as_str()).collect();
    let near = similar(&error.pattern, &names).join(" or ");
    let meant = if near.is_empty() { near } else { format!("; did you mean {near}?") };
    CliError::Usage(format!("{}: {error}{meant}", terms.budget))
}
