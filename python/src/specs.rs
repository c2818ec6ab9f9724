//! Tuning specs: the knobs of a model's dispatches, and the specs that set them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use ireescope::Workspace;
use ireescope::base::Pattern;
use ireescope::base::words::counted;
use ireescope::capture::Stop;
use ireescope::compiler::{CompilerError, read_spec};
use ireescope::tuning::attribute::Attribute;
use ireescope::tuning::configuration::{Dispatch, knobs_by_time};
use ireescope::tuning::dumps;
use ireescope::tuning::spec::{Change, Conflict, Spec, diff, merge, set_knobs, write as text_of};
use ireescope::workspace::FunctionTimes;
use pyo3::prelude::*;

use crate::database::Opening;
use crate::failure::{Done, Failure};
use crate::parameters::stop_urgently;
use crate::rows::Rows;
use crate::tables::{self, Cell};
use crate::trials::{Compiling, Tried, proved, replace, tried};
use crate::waiting::{Stopping, Teller, wait};

/// Returns the dispatches of models, and of dumps of their configurations.
fn dispatches(
    models: &[PathBuf],
    compiling: &Compiling,
    stop: &Arc<Stop>,
    teller: &Teller,
) -> Done<Vec<Dispatch>> {
    let mut all = Vec::new();
    let mut compiler = None;
    for model in models {
        if dumps::is_one(model) {
            all.extend(dumps::read(model)?);
            continue;
        }
        teller.tell(format!("compiling {}", model.display()), None);
        let found = match compiler.take() {
            Some(found) => found,
            None => compiling.compiler(stop)?,
        };
        all.extend(found.configurations(model, None, None)?.dispatches);
        compiler = Some(found);
    }
    Ok(all)
}

/// The columns of knobs.
const KNOBS: [(&str, &str); 12] = [
    ("dispatch", "Name of the dispatch."),
    ("target", "What the compiler runs it with."),
    ("operation", "Root operation."),
    ("shapes", "Shapes of operands and result."),
    ("types", "Element types."),
    ("pipeline", "Pipeline of passes that the compiler chose."),
    ("dispatch_count", "Number of dispatches in the profile; NULL without one."),
    ("total_ns", "Their time; NULL without a profile."),
    ("mean_ns", "Mean time of a dispatch; NULL without a profile."),
    ("share", "Share of the time of all functions, of 1; NULL without a profile."),
    ("knob", "Name of the knob; NULL if there is none."),
    ("value", "Its value as the compiler chose it."),
];

fn knob_rows(
    dispatches: &[Dispatch],
    times: Option<&HashMap<String, FunctionTimes>>,
) -> Done<Rows> {
    let times_of = |dispatch: &str| times.and_then(|times| times.get(dispatch));
    let knobs = knobs_by_time(dispatches, |dispatch| times_of(dispatch)?.total_ns);
    let rows = knobs.into_iter().map(|it| {
        let times = times_of(&it.dispatch);
        let number = |of: fn(&FunctionTimes) -> Option<f64>| Cell::Number(times.and_then(of));
        [
            Cell::Text(it.dispatch.clone()),
            Cell::Text(it.target),
            Cell::Text(it.operation),
            Cell::Text(it.shapes),
            Cell::Text(it.types),
            Cell::Text(it.pipeline),
            Cell::Count(times.map(|it| it.dispatch_count)),
            number(|it| it.total_ns),
            number(|it| it.mean_ns),
            number(|it| it.share),
            Cell::Text(it.knob),
            Cell::Text(it.value),
        ]
    });
    tables::of_cells(KNOBS, rows)
}

/// What was joined.
#[derive(IntoPyObject)]
struct Merged {
    conflicts: Rows,
    repeated: Vec<(PathBuf, String)>,
    matchers: usize,
    is_written: bool,
    reason: Option<String>,
    tried: Option<Tried>,
}

const CONFLICTS: [(&str, &str); 8] = [
    ("spec", "File of the matcher that is tried first."),
    ("matcher", "Its name."),
    ("hidden_spec", "File of the matcher that it hides."),
    ("hidden_matcher", "The name of that."),
    ("matches", "`same` if both match the same, `more` if the first matches more."),
    ("knob", "Knob that they set differently."),
    ("value", "Its value in the first."),
    ("hidden_value", "Its value in the hidden one."),
];

fn conflict_rows(conflicts: &[Conflict], paths: &[PathBuf]) -> Done<Rows> {
    let path = |nth: usize| paths.get(nth).map(|it| it.display().to_string()).unwrap_or_default();
    let rows = conflicts.iter().flat_map(|it| {
        it.knobs.iter().map(move |(knob, first, hidden)| {
            let extent = if it.is_same { "same" } else { "more" };
            let names = [&it.first, &it.hidden].map(|(nth, name)| [path(*nth), name.clone()]);
            let [[spec, matcher], [hidden_spec, hidden_matcher]] = names;
            let values = [extent, knob, first, hidden].map(str::to_owned);
            let [extent, knob, first, hidden] = values;
            [spec, matcher, hidden_spec, hidden_matcher, extent, knob, first, hidden]
        })
    });
    tables::of_texts(CONFLICTS, rows)
}

/// What is joined, and into which file.
struct Merging {
    paths: Vec<PathBuf>,
    output: PathBuf,
    prefer: Option<String>,
    model: Option<PathBuf>,
}

fn merged(of: Merging, compiling: &Compiling, stop: &Arc<Stop>, teller: &Teller) -> Done<Merged> {
    let Merging { mut paths, output, prefer, model } = of;
    let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if prefer.as_deref() == Some("last") {
        paths.reverse();
    }
    let specs = paths.iter().map(|path| compiling.spec(path, stop));
    let specs = specs.collect::<Done<Vec<Spec>>>()?;
    let merged = merge(&specs);
    let repeated = merged
        .repeated
        .iter()
        .filter_map(|(nth, matcher)| Some((paths.get(*nth)?.clone(), matcher.clone())));
    let mut result = Merged {
        conflicts: conflict_rows(&merged.conflicts, &paths)?,
        repeated: repeated.collect(),
        matchers: merged.spec.entries.len(),
        is_written: false,
        reason: None,
        tried: None,
    };
    if !merged.conflicts.is_empty() && prefer.is_none() {
        let conflicts = counted(merged.conflicts.len() as u64, "conflict");
        let what = "so nothing is written; prefer=\"first\" or prefer=\"last\" decides";
        result.reason = Some(format!("{conflicts}, {what}"));
        return Ok(result);
    }
    let comment = format!("Joined by ireescope from {}.", named.join(", "));
    let text = text_of(&merged.spec, &comment);
    match model {
        None => replace(&output, &text)?,
        Some(model) => {
            let compiler = compiling.compiler(stop)?;
            teller.tell(format!("compiling {}", model.display()), None);
            let before = compiler.configurations(&model, None, None)?;
            teller.tell("compiling with the spec", None);
            let with = (&compiler, compiling);
            let tried = proved(with, &model, (&text, &merged.spec), &output, &before)?;
            result.reason.clone_from(&tried.reason);
            result.tried = Some(tried);
        }
    }
    result.is_written = result.reason.is_none();
    Ok(result)
}

/// What is asked of a spec and a model.
struct Verifying {
    spec: PathBuf,
    model: PathBuf,
}

fn verified(
    of: &Verifying,
    compiling: &Compiling,
    stop: &Arc<Stop>,
    teller: &Teller,
) -> Done<Tried> {
    let Verifying { spec: path, model } = of;
    let read = read_spec(path, compiling.tool_folder.as_deref(), || Ok(Arc::clone(stop)));
    // The compiler's own words on a spec are better than ours, where it has any.
    let (spec, problem) = match read {
        Ok(spec) => (spec, None),
        Err(error @ CompilerError::Read { .. }) => return Err(error.into()),
        Err(problem) => (Spec::default(), Some(problem)),
    };
    let compiler = compiling.compiler(stop)?;
    teller.tell(format!("compiling {}", model.display()), None);
    let before = compiler.configurations(model, None, None)?;
    teller.tell("compiling with the spec", None);
    let with = (&compiler, compiling);
    let tried = tried(with, model, (path, &spec, path), &before)?;
    match problem {
        Some(problem) if !tried.is_refused => Err(problem.into()),
        _ => Ok(tried),
    }
}

/// A dispatch of a model, the values of its knobs, and the file of the spec.
struct Writing {
    model: PathBuf,
    output: PathBuf,
    dispatch: String,
    values: Vec<(String, Attribute)>,
}

fn written(of: &Writing, compiling: &Compiling, stop: &Arc<Stop>, teller: &Teller) -> Done<Tried> {
    let compiler = compiling.compiler(stop)?;
    teller.tell(format!("compiling {}", of.model.display()), None);
    let before = compiler.configurations(&of.model, None, None)?;
    let set = set_knobs(&before.dispatches, &of.dispatch, &of.values);
    let (spec, text) = set.map_err(|error| Failure::Usage(error.to_string()))?;
    teller.tell("compiling with the spec", None);
    proved((&compiler, compiling), &of.model, (&text, &spec), &of.output, &before)
}

/// Parses a knob and its value.
fn knob((knob, value): (String, String)) -> Done<(String, Attribute)> {
    let parsed = Attribute::parse(&value);
    let value = parsed.map_err(|error| Failure::Usage(format!("the value of {knob}: {error}")))?;
    Ok((knob, value))
}

const SHOWN: [(&str, &str); 8] = [
    ("matcher", "Name of the matcher."),
    ("operation", "Operation that it matches."),
    ("shapes", "Shapes of operands and result."),
    ("types", "Element types."),
    ("pipeline", "Pipeline of passes that it sets."),
    ("knob", "Name of a knob that it sets; NULL if there is none."),
    ("value", "Value of the knob."),
    ("conditions", "What it asks for besides, if it matches by conditions."),
];

const CHANGES: [(&str, &str); 5] = [
    ("change", "`added`, `removed`, `changed` or `moved`."),
    ("matcher", "Name of the matcher."),
    ("knob", "Knob whose value changed, or `place`."),
    ("before", "Value before."),
    ("after", "Value after."),
];

/// Runs something that Ctrl-C stops.
fn stoppable<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Arc<Stop>, &Teller) -> Done<T> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(Stop::default());
    let own = Arc::clone(&stop);
    let ask = || stop_urgently(&stop);
    wait(py, &Stopping::By(&ask), progress, move |teller| work(&own, teller))
}

/// Functions of tuning specs.
#[pymodule(submodule, name = "specs")]
pub mod module {
    #[pymodule_export]
    use super::{differences, joined, knobs, show, verify, write};
}

/// Lists the dispatches of models with the knobs that the compiler chose.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
#[pyo3(signature = (models, *, profile, filter, opening, compiling, progress))]
fn knobs(
    py: Python<'_>,
    models: Vec<PathBuf>,
    profile: Vec<String>,
    filter: String,
    opening: Opening,
    compiling: Compiling,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Rows> {
    let (options, warnings) = opening.options();
    let rows = stoppable(py, progress.map(Bound::as_unbound), move |stop, teller| {
        let mut dispatches = dispatches(&models, &compiling, stop, teller)?;
        let times = match profile.as_slice() {
            [] => None,
            bundles => Some(Workspace::open(bundles, &options)?.function_times()?),
        };
        let pattern = Pattern::new(&filter);
        dispatches.retain(|dispatch| pattern.matches(&dispatch.name));
        knob_rows(&dispatches, times.as_ref())
    })?;
    warnings.issue(py)?;
    Ok(rows)
}

/// Shows what a spec matches and sets.
#[pyfunction]
fn show(py: Python<'_>, spec: PathBuf, compiling: Compiling) -> PyResult<Rows> {
    stoppable(py, None, move |stop, _| {
        tables::of_texts(SHOWN, compiling.spec(&spec, stop)?.rows().into_iter())
    })
}

/// Compares two specs.
#[pyfunction(name = "diff")]
fn differences(
    py: Python<'_>,
    base: PathBuf,
    new: PathBuf,
    compiling: Compiling,
) -> PyResult<Rows> {
    stoppable(py, None, move |stop, _| {
        let (base, new) = (compiling.spec(&base, stop)?, compiling.spec(&new, stop)?);
        tables::of_texts(CHANGES, diff(&base, &new).iter().map(Change::texts))
    })
}

/// Compiles a model with a spec, and tells which of its matchers were applied.
#[pyfunction]
fn verify(
    py: Python<'_>,
    spec: PathBuf,
    model: PathBuf,
    compiling: Compiling,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tried> {
    let of = Verifying { spec, model };
    stoppable(py, progress.map(Bound::as_unbound), move |stop, teller| {
        verified(&of, &compiling, stop, teller)
    })
}

/// Writes a spec that sets knobs of a dispatch, if it is good.
#[pyfunction]
#[pyo3(signature = (model, output, *, dispatch, values, compiling, progress))]
fn write(
    py: Python<'_>,
    model: PathBuf,
    output: PathBuf,
    dispatch: String,
    values: Vec<(String, String)>,
    compiling: Compiling,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tried> {
    let values = values.into_iter().map(knob).collect::<Done<_>>()?;
    let of = Writing { model, output, dispatch, values };
    stoppable(py, progress.map(Bound::as_unbound), move |stop, teller| {
        written(&of, &compiling, stop, teller)
    })
}

/// Joins specs into one.
#[pyfunction(name = "merge")]
#[pyo3(signature = (specs, output, *, prefer, model, compiling, progress))]
fn joined(
    py: Python<'_>,
    specs: Vec<PathBuf>,
    output: PathBuf,
    prefer: Option<String>,
    model: Option<PathBuf>,
    compiling: Compiling,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Merged> {
    let of = Merging { paths: specs, output, prefer, model };
    stoppable(py, progress.map(Bound::as_unbound), move |stop, teller| {
        merged(of, &compiling, stop, teller)
    })
}
