//! Open bundles, and what is asked of them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ireescope::bundle::{Access, Files};
use ireescope::engine::Parameters;
use ireescope::panel::{Subject, named as panel_of};
use ireescope::workspace::{Listener, Workspace, initialize, of_questions};
use ireescope::{GroupBy, ReportRequest, SortBy, TopRequest, Warmup, WorkspaceOptions};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;
use schemas::questions::{Question, question};

use crate::charts::Plot;
use crate::failure::{Done, Failure};
use crate::foreign;
use crate::rows::Rows;
use crate::waiting::{Stopping, wait};

/// How bundles are opened.
#[derive(Debug, Clone, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Opening {
    pub strict: bool,
    pub threads: Option<usize>,
    pub sources: Vec<PathBuf>,
    pub configurations: Vec<PathBuf>,
    pub calls: Option<u64>,
    pub device: Option<String>,
    pub memory_limit: Option<usize>,
    pub spill_folder: Option<PathBuf>,
    pub read_only_sql: bool,
    pub copied: bool,
    /// A file that runs the command, for traces.
    pub program: Option<PathBuf>,
}

/// Warnings, until Python takes them.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Returns them as warnings of Python.
    pub fn issue(&self, py: Python<'_>) -> PyResult<()> {
        let texts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let errors = py.import("ireescope.errors")?;
        texts.into_iter().try_for_each(|text| errors.call_method1("warn", (text,)).map(drop))
    }

    fn listener(&self) -> Listener {
        let texts = Arc::clone(&self.0);
        Listener::new(move |notice| {
            texts.lock().unwrap_or_else(PoisonError::into_inner).push(notice.to_string());
        })
    }
}

impl Opening {
    /// Returns the options of the library, and who keeps its warnings.
    pub fn options(&self) -> (WorkspaceOptions, Warnings) {
        let warnings = Warnings::default();
        let mut options = WorkspaceOptions {
            strict: self.strict,
            threads: self.threads,
            sources: self.sources.clone(),
            configurations: self.configurations.clone(),
            calls: self.calls,
            device: self.device.clone(),
            memory_limit: self.memory_limit,
            spill_folder: self.spill_folder.clone(),
            is_read_only: self.read_only_sql,
            access: if self.copied { Access::Copied } else { Access::Mapped },
            listener: warnings.listener(),
            ..WorkspaceOptions::default()
        };
        options.traces.program.clone_from(&self.program);
        (options, warnings)
    }
}

/// Parses the invocations that are left out.
pub fn warmup(text: &str) -> Done<Warmup> {
    Warmup::parse(text).ok_or_else(|| {
        Failure::Usage(format!("warmup is `auto`, `keep` or a number, not `{text}`"))
    })
}

/// Finds a value by its name.
pub fn named<T: Copy>(
    what: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    given: &str,
) -> Done<T> {
    all.iter().copied().find(|value| name(*value) == given).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        Failure::Usage(format!("{what} is one of {}, not `{given}`", known.join(", ")))
    })
}

/// Finds questions by their names; all, if there are none.
pub fn questions(names: &[String]) -> Done<Vec<&'static Question>> {
    let found = names.iter().map(|name| {
        question(name).ok_or_else(|| {
            Failure::Usage(format!(
                "there is no question `{name}`; `SELECT * FROM questions` lists them"
            ))
        })
    });
    if names.is_empty() {
        Ok(schemas::questions::QUESTIONS.iter().collect())
    } else {
        found.collect()
    }
}

/// Bundles, a dataset or a history.
#[pyclass(frozen, module = "ireescope._native")]
pub struct Database {
    pub workspace: Arc<Workspace>,
    arguments: Vec<String>,
    options: WorkspaceOptions,
    files: Files,
    /// The same with damaged chunks left out, for questions about damage; opened when one is asked.
    salvaged: Arc<OnceLock<Arc<Workspace>>>,
    warnings: Warnings,
    process: u32,
}

impl Database {
    /// Runs something on the open bundles.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Arc<Workspace>) -> Done<T> + Send + 'static,
    ) -> PyResult<T> {
        foreign::check_process(self.process)?;
        let (workspace, files) = (Arc::clone(&self.workspace), self.files.clone());
        wait(py, &Stopping::Abandoned, None, move |_| {
            let done = ask(&workspace);
            // What was read of a file that became shorter is wrong, whatever came of it.
            files.whole()?;
            done
        })
    }

    /// Runs something on the salvaged bundles.
    fn ask_salvaged<T: Send + 'static>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Workspace) -> Done<T> + Send + 'static,
    ) -> PyResult<T> {
        let (salvaged, arguments) = (Arc::clone(&self.salvaged), self.arguments.clone());
        let options = self.options.clone();
        let answer = self.ask(py, move |_| {
            if salvaged.get().is_none() {
                let opened = Workspace::salvage(&arguments, &options)?;
                let _ = salvaged.set(Arc::new(opened));
            }
            salvaged
                .get()
                .map_or_else(|| Err(Failure::Internal("nothing is open".into())), |it| ask(it))
        })?;
        self.warnings.issue(py)?;
        Ok(answer)
    }
}

#[pymethods]
impl Database {
    /// Opens what the arguments name.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
    fn open(py: Python<'_>, arguments: Vec<String>, opening: Opening) -> PyResult<Self> {
        let (options, warnings) = opening.options();
        let (names, with) = (arguments.clone(), options.clone());
        let workspace = wait(py, &Stopping::Abandoned, None, move |_| {
            let workspace = Workspace::open_stoppable(&names, &with)?;
            initialize(&workspace.engine, &workspace.runtime, &names, &with.listener)?;
            Ok(workspace)
        })?;
        warnings.issue(py)?;
        Ok(Self {
            workspace: Arc::new(workspace),
            arguments,
            files: options.files.clone(),
            options,
            salvaged: Arc::default(),
            warnings,
            process: std::process::id(),
        })
    }

    /// Runs the statements of a script but the last, and plans that one.
    fn sql(
        &self,
        py: Python<'_>,
        script: String,
        variables: Vec<(String, String)>,
    ) -> PyResult<Rows> {
        let files = self.files.clone();
        self.ask(py, move |workspace| {
            Ok(Rows::of_query(workspace.query(&script, &variables)?, files))
        })
    }

    /// Groups the dispatches by time.
    fn top(
        &self,
        py: Python<'_>,
        by: &str,
        sort: &str,
        filter: String,
        warm_up: &str,
    ) -> PyResult<Rows> {
        let request = TopRequest {
            by: named("by", &GroupBy::ALL, GroupBy::name, by)?,
            sort: named("sort", &SortBy::ALL, SortBy::name, sort)?,
            filter,
            warmup: warmup(warm_up)?,
        };
        self.ask(py, move |workspace| Ok(Rows::of(workspace.top_functions(&request)?)))
    }

    /// Returns the rows of a command of `iree-profile`.
    #[pyo3(signature = (command, *, filter, id, warm_up, dispatch_events, counter_samples, rows))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn report(
        &self,
        py: Python<'_>,
        command: String,
        filter: String,
        id: Option<u64>,
        warm_up: &str,
        dispatch_events: bool,
        counter_samples: bool,
        rows: Vec<String>,
    ) -> PyResult<Vec<(&'static str, Rows)>> {
        let request = ReportRequest {
            filter,
            id: id.and_then(|id| i64::try_from(id).ok()).unwrap_or(-1),
            warmup: warmup(warm_up)?,
            dispatch_events,
            counter_samples,
            rows,
            ..ReportRequest::default()
        };
        self.ask(py, move |workspace| {
            let answers = workspace.report(&command, &request)?;
            Ok(answers.into_iter().map(|(name, answer)| (name, Rows::of(answer))).collect())
        })
    }

    /// Returns the findings of `doctor`.
    fn doctor(&self, py: Python<'_>) -> PyResult<Rows> {
        self.ask_salvaged(py, |workspace| report(workspace, "doctor", &Parameters::default()))
    }

    /// Returns which questions are answered.
    #[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
    fn gaps(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Rows> {
        let parameters = of_questions(&questions(&names)?);
        self.ask_salvaged(py, move |workspace| report(workspace, "gap", &parameters))
    }

    /// Makes rows a table.
    fn register(&self, py: Python<'_>, name: String, rows: PyRecordBatchReader) -> PyResult<()> {
        let reader = rows.into_reader()?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>();
        let batches = batches.map_err(|error| Failure::Usage(error.to_string()))?;
        self.ask(py, move |workspace| Ok(workspace.engine.register(&name, schema, batches)?))
    }

    /// The names of all tables and views.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |workspace| Ok(workspace.engine.relation_names()?))
    }

    /// The paths of the open bundles, by their labels.
    #[getter]
    fn bundles(&self) -> HashMap<String, PathBuf> {
        let bundles = self.workspace.engine.bundles().iter();
        bundles.map(|bundle| (bundle.label.clone(), bundle.path.clone())).collect()
    }

    /// Draws a chart; `None` if there is nothing to draw.
    #[pyo3(signature = (what, function))]
    fn plot(
        &self,
        py: Python<'_>,
        what: String,
        function: Option<String>,
    ) -> PyResult<Option<Plot>> {
        self.ask(py, move |workspace| {
            let subject = Subject::of(workspace, function);
            let panel = panel_of(&what, &subject)?;
            let figures = panel.map(|panel| panel.charts).unwrap_or_default();
            Ok(figures.into_iter().find(|figure| !figure.chart.is_empty()).map(Plot::of))
        })
    }

    /// Returns a table for a session of DataFusion's Python package.
    fn datafusion_table<'py>(
        &self,
        session: &Bound<'py, PyAny>,
        name: String,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let offered = self.ask(session.py(), move |workspace| {
            Ok(workspace.runtime.block_on(workspace.engine.offered(&name))?)
        })?;
        foreign::provider(session, offered, self.workspace.runtime.handle().clone())
    }
}

/// Returns the rows of a report.
fn report(workspace: &Workspace, name: &str, parameters: &Parameters) -> Done<Rows> {
    Ok(Rows::of(workspace.runtime.block_on(workspace.engine.report(name, parameters))?))
}
