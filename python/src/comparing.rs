//! Comparisons: opens the sides, compares them, and says what a gate makes of it.
#![expect(clippy::needless_pass_by_value, reason = "Python passes values")]

use std::io;

use ireescope::bundle::Files;
use ireescope::compare::{Budget, Comparison as Compared, Gate, GateResult, Rule, UnusedLimit};
use ireescope::comparison::{
    self, CompareError, CompareOptions, CompareRequest, Selection, SideSource, Sides,
};
use ireescope::engine::comparison::MEASURES;
use ireescope::report::comparison::{Terms, broken, junit, markdown, passed, text, unjudged};
use ireescope::statistics::Summary;
use ireescope::workspace::similar;
use pyo3::prelude::*;

use crate::database::{Opening, named, warmup};
use crate::failure::{Done, Failure, whole};
use crate::rows::Rows;
use crate::waiting::{Stopping, wait};

/// Functions of `comparing`.
#[pymodule(submodule, name = "comparing")]
pub mod module {
    #[pymodule_export]
    use super::Comparison;
    #[pymodule_export]
    use super::compare;
}

/// Opens the sides and compares the first one with each of the others. Without sides, opens those of a race.
#[pyfunction]
#[pyo3(signature = (sides, race, measuring, judging, opening))]
fn compare(
    py: Python<'_>,
    sides: Vec<Side>,
    race: Option<String>,
    measuring: Measuring,
    judging: Judging,
    opening: Opening,
) -> PyResult<Comparison> {
    let (options, warnings) = opening.options();
    let selection = measuring.selection()?;
    let how = judging.options(measuring.options()?)?;
    let gate = judging.gate()?;
    let compared = wait(py, &Stopping::Abandoned, None, move |_| {
        let sides = if let Some(race) = race {
            let request = CompareRequest { sides: vec![race], selection, options: how.clone() };
            Sides::open(&request, &options)?
        } else {
            let named = sides.into_iter().enumerate().map(|(nth, side)| side.source(nth));
            let runs = named.map(|side| side.open(&selection, &options));
            Sides::of(runs.collect::<Result<_, _>>()?, selection.measure, &options.files)?
        };
        Comparison::of(sides, &how, gate, judging.terms(), &options.files)
    })?;
    warnings.issue(py)?;
    Ok(compared)
}

/// A side: its name, if it is given, and its bundles.
#[derive(Debug, FromPyObject)]
struct Side(Option<String>, Vec<String>);

impl Side {
    /// Returns what to open. A single bundle may name the side, as `NAME=PATH`.
    fn source(self, nth: usize) -> SideSource {
        let Self(name, bundles) = self;
        match (name, bundles.as_slice()) {
            (Some(name), _) => SideSource { name, bundles },
            (None, [only]) if SideSource::of(only).name != *only => SideSource::of(only),
            (None, _) => {
                let name = if nth == 0 { "base" } else { "new" };
                SideSource { name: name.into(), bundles }
            }
        }
    }
}

/// What is compared.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Measuring {
    measure: String,
    by: String,
    warmup: String,
    filter: String,
    control: Option<String>,
}

impl Measuring {
    fn selection(&self) -> Done<Selection> {
        Ok(Selection {
            measure: named("measure", &MEASURES, |measure| measure.name, &self.measure)?,
            warmup: warmup(&self.warmup)?,
            filter: self.filter.clone(),
        })
    }

    fn options(&self) -> Done<CompareOptions> {
        Ok(CompareOptions {
            by_iteration: named("by", &["iteration", "run"], |name| name, &self.by)? == "iteration",
            control: self.control.clone(),
            ..CompareOptions::default()
        })
    }
}

/// How sides are judged.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Judging {
    summary: String,
    noise_floor: Option<f64>,
    rules: Vec<String>,
    /// What texts call the budget, and its text.
    budget: Option<(String, String)>,
    fail_if_ambiguous: bool,
}

impl Judging {
    /// Adds how sides are judged to the options of a comparison.
    pub fn options(&self, options: CompareOptions) -> Done<CompareOptions> {
        let all = [("median", Summary::Median), ("min", Summary::Min), ("mean", Summary::Mean)];
        let (_, summary) = named("summary", &all, |(name, _)| name, &self.summary)?;
        if let Some(floor) = self.noise_floor.filter(|floor| !(0.0..1e4).contains(floor)) {
            return Err(Failure::Usage(format!(
                "noise_floor is a share such as 0.01, not {floor}"
            )));
        }
        Ok(CompareOptions { summary, noise_floor: self.noise_floor, ..options })
    }

    /// Fails if something is wrong.
    pub fn check(&self) -> Done<()> {
        self.options(CompareOptions::default())?;
        self.gate().map(drop)
    }

    /// Returns the limits.
    pub fn gate(&self) -> Done<Gate> {
        let rules = self.rules.iter().map(|text| {
            let wrong = |error| Failure::Usage(format!("fail_on: {error}, not {text}"));
            text.parse::<Rule>().map_err(wrong)
        });
        let budget = self.budget.iter().map(|(name, text)| {
            let wrong = |error| Failure::Usage(format!("{name}: {error}"));
            text.parse::<Budget>().map_err(wrong)
        });
        Ok(Gate {
            rules: rules.collect::<Done<_>>()?,
            budget: budget.collect::<Done<Vec<_>>>()?.pop(),
            fails_if_ambiguous: self.fail_if_ambiguous,
        })
    }

    /// Returns the names of the parameters.
    pub fn terms(&self) -> Terms {
        let budget = self.budget.as_ref().map(|(name, _)| name.clone());
        Terms {
            noise_floor: "noise_floor".into(),
            summary: "summary".into(),
            summary_by_mean: "summary=\"mean\"".into(),
            rule: "fail_on".into(),
            budget: budget.unwrap_or_default(),
            ambiguous: "fail_if_ambiguous".into(),
        }
    }
}

/// Sides that are compared.
#[pyclass(frozen, module = "ireescope._native")]
pub struct Comparison {
    all: Vec<Compared>,
    gate: Gate,
    result: GateResult,
    terms: Terms,
}

impl Comparison {
    /// Compares the first side with the others, and judges that.
    pub fn of(
        sides: Sides,
        options: &CompareOptions,
        gate: Gate,
        terms: Terms,
        files: &Files,
    ) -> Done<Self> {
        let all = sides.compare(options)?;
        let result = gate.check(&all).map_err(|error| unused(&error, &all, &terms))?;
        // What was read of a file that became shorter is wrong.
        files.whole()?;
        Ok(Self { all, gate, result, terms })
    }

    fn drawn(&self, draw: impl FnOnce(&mut Vec<u8>, &Self) -> io::Result<()>) -> Done<String> {
        let mut drawn = Vec::new();
        draw(&mut drawn, self).map_err(|error| Failure::Internal(error.to_string()))?;
        String::from_utf8(drawn).map_err(|error| Failure::Internal(error.to_string()))
    }
}

#[pymethods]
impl Comparison {
    /// The names of the sides, the baseline first.
    #[getter]
    fn sides(&self) -> Vec<&str> {
        let base = self.all.first().map(|it| it.base.name.as_str());
        base.into_iter().chain(self.all.iter().map(|it| it.new.name.as_str())).collect()
    }

    /// The total of each side, then its functions.
    #[getter]
    fn rows(&self) -> PyResult<Rows> {
        let batch = comparison::batch(&self.all).map_err(Failure::from)?;
        Ok(Rows::of_batches(batch.schema(), vec![batch]))
    }

    /// What the limits say, and that in words; `None` if there are none.
    #[getter]
    fn gate(&self) -> Option<(&'static str, String)> {
        let Self { gate, result, terms, .. } = self;
        if gate.is_open() {
            return None;
        }
        Some(match result {
            GateResult::Passed { uncertain } => ("passed", passed(gate, uncertain, terms)),
            GateResult::Broken(limit) => ("broken", broken(limit, terms)),
            GateResult::Unjudged(limit) => ("unjudged", unjudged(limit, terms)),
        })
    }

    /// Returns the comparison as text.
    #[pyo3(signature = (limit, width))]
    fn text(&self, limit: usize, width: Option<usize>) -> PyResult<String> {
        Ok(self.drawn(|out, it| text::draw(out, &it.all, (limit, width), &it.terms))?)
    }

    /// Returns the comparison as Markdown.
    fn markdown(&self, limit: usize) -> PyResult<String> {
        Ok(self.drawn(|out, it| markdown::draw(out, &it.all, limit, &it.terms))?)
    }

    /// Returns what the limits say as a file of `JUnit`.
    fn junit(&self) -> PyResult<String> {
        Ok(self.drawn(|out, it| junit::draw(out, &it.all, &it.gate, &it.terms))?)
    }
}

/// Returns the error of a limit of the budget that no function has.
fn unused(error: &UnusedLimit, all: &[Compared], terms: &Terms) -> Failure {
    let functions = all.iter().flat_map(Compared::functions);
    let names: Vec<String> = functions.map(|it| it.new.clone()).collect();
    Failure::Usage(format!("{}: {error}{}", terms.budget, meant(&error.pattern, &names)))
}

/// Returns the names that may be meant by a pattern that matches none, as the end of an error.
pub fn meant(pattern: &str, names: &[String]) -> String {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match similar(pattern, &known).join(" or ") {
        near if near.is_empty() => near,
        near => format!("; did you mean {near}?"),
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Open(error) => error.into(),
            CompareError::Bundle(error) => error.into(),
            CompareError::Engine(error) => error.into(),
            CompareError::NoTimes { .. } | CompareError::NoClock { .. } => {
                Self::Verdict(whole(&error))
            }
            CompareError::OneSide { argument, is_set } => {
                let what = if is_set { "has no runs of a race" } else { "is no capture set" };
                Self::Usage(format!("{argument} {what}; give base and new"))
            }
            CompareError::NoMatch { ref pattern, ref names, .. }
            | CompareError::NoControl { ref pattern, ref names } => {
                Self::Usage(format!("{error}{}", meant(pattern, names)))
            }
            CompareError::UnfinishedRace { .. }
            | CompareError::ControlOfRace
            | CompareError::Uncorrected { .. } => Self::Usage(error.to_string()),
        }
    }
}
