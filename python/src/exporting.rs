//! Exports bundles for other tools, draws timelines, and writes rows to files.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exporters::perfetto::{Counts, Rows as Kind};
use exporters::{Output, Target};
use flate2::Compression;
use flate2::write::GzEncoder;
use ireescope::Workspace;
use ireescope::capture::Stop;
use ireescope::engine::{self, Engine, EngineError};
use ireescope::export::{
    DatasetPlan, DatasetRequest, ExportError, TableRequest, write_ireeperf, write_table,
};
use ireescope::report::absence;
use ireescope::timeline::{
    self, DrawnBundle, EmptyQuery, EmptyTimeline, Event, TimelineError, TimelineSpec, TraceClock,
    TraceDetail,
};
use ireescope::workspace::{Progress, Unmatched};
use pyo3::prelude::*;

use crate::database::Opening;
use crate::failure::{Done, Failure, whole};
use crate::rows::{Rows, of_reading};
use crate::saving::{Saving, format};
use crate::waiting::{Stopping, Teller, wait};

/// The shortest time between two reports of progress.
const PAUSE: Duration = Duration::from_millis(50);

/// Tells the progress, but not too often.
struct Pace {
    teller: Teller,
    text: &'static str,
    told: Option<Instant>,
    total: u64,
}

impl Pace {
    fn of(teller: &Teller, text: &'static str) -> Self {
        Self { teller: teller.clone(), text, told: None, total: 0 }
    }

    fn at(&mut self, Progress { done, total }: Progress) {
        self.total = total;
        if self.told.is_none_or(|at| at.elapsed() >= PAUSE) && done < total {
            self.told = Some(Instant::now());
            self.teller.tell(self.text, Some((done, total)));
        }
    }

    /// Tells that all is done.
    fn end(&self) {
        self.teller.tell(self.text, Some((self.total, self.total)));
    }
}

/// What was exported.
#[derive(IntoPyObject)]
struct Exported {
    bundles: Vec<String>,
    replaced: Vec<String>,
    rows: Option<usize>,
}

impl Exported {
    fn of<'a>(engines: impl IntoIterator<Item = &'a Engine>, rows: Option<usize>) -> Self {
        let bundles = engines.into_iter().flat_map(Engine::bundles);
        let bundles = bundles.map(|bundle| bundle.label.clone()).collect();
        Self { bundles, replaced: Vec::new(), rows }
    }
}

/// What was drawn.
#[derive(IntoPyObject)]
struct Drawn {
    bytes: u64,
    /// The numbers of slices, instants, counter values and rows that cannot be drawn, of each bundle by its label.
    counts: Vec<(String, [u64; 4])>,
    /// The first host time of each bundle by its label, in nanoseconds.
    begins: Vec<(String, Option<i64>)>,
    warnings: Vec<String>,
}

/// Functions of `exporting`.
#[pymodule(submodule, name = "exporting")]
pub mod module {
    #[pymodule_export]
    use super::{dataset, ireeperf, render, table, write};
}

/// Writes a folder of Parquet files.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn dataset(
    py: Python<'_>,
    bundles: Vec<String>,
    folder: PathBuf,
    tables: Vec<String>,
    condition: Option<String>,
    opening: Opening,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Exported> {
    let (options, warnings) = opening.options();
    let request = DatasetRequest { bundles, folder, relations: tables, condition };
    let plan =
        wait(py, &Stopping::Abandoned, None, move |_| Ok(DatasetPlan::new(&request, &options)?))?;
    warnings.issue(py)?;
    let stop = Arc::new(Stop::default());
    let asked = Arc::clone(&stop);
    let ask = || {
        stop.ask();
    };
    let staged = wait(py, &Stopping::By(&ask), progress.map(Bound::as_unbound), move |teller| {
        let mut pace = Pace::of(teller, "exporting");
        let staged = plan.stage(&asked, &mut |progress| pace.at(progress))?;
        pace.end();
        Ok(staged)
    })?;
    // From here on, it is not given up.
    let done = wait(py, &Stopping::By(&|| {}), None, move |_| Ok(staged.publish()?))?;
    let bundles = done.bundles.into_iter().map(|it| it.bundle).collect();
    Ok(Exported { bundles, replaced: done.replaced, rows: None })
}

/// Writes the records of all bundles as JSON lines.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn ireeperf(
    py: Python<'_>,
    bundles: Vec<String>,
    path: PathBuf,
    opening: Opening,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Exported> {
    let (options, warnings) = opening.options();
    let files = options.files.clone();
    let opened = open(py, move || Ok(Workspace::open_each(&bundles, &options)?))?;
    warnings.issue(py)?;
    let exported = Exported::of(opened.iter().map(|it| it.engine.as_ref()), None);
    let saving = Saving::new(&path, opened.iter().map(|it| it.engine.as_ref()))?;
    let out = saving.writer();
    let is_gzip = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    wait(py, &Stopping::Abandoned, progress.map(Bound::as_unbound), move |teller| {
        let mut pace = Pace::of(teller, "exporting");
        lines(opened, out, is_gzip, &mut |progress| pace.at(progress))?;
        pace.end();
        Ok(())
    })?;
    saving.commit(&files)?;
    Ok(exported)
}

/// Writes the rows of a table or view.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn table(
    py: Python<'_>,
    bundles: Vec<String>,
    path: PathBuf,
    name: Option<&str>,
    relation: String,
    condition: Option<String>,
    opening: Opening,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Exported> {
    let format = format(&path, name)?;
    let (options, warnings) = opening.options();
    let files = options.files.clone();
    let opened = open(py, move || Ok(Workspace::open_any(&bundles, &options)?))?;
    warnings.issue(py)?;
    let mut exported = Exported::of([opened.engine.as_ref()], None);
    let saving = Saving::new(&path, [opened.engine.as_ref()])?;
    let out = saving.writer();
    let target = Target { file: true, ..Target::default() };
    let request = TableRequest { relation, condition, format, target };
    let rows = wait(py, &Stopping::Abandoned, progress.map(Bound::as_unbound), move |teller| {
        teller.tell("exporting", None);
        Ok(write_table(&opened, &request, out)?)
    })?;
    saving.commit(&files)?;
    exported.rows = Some(rows);
    Ok(exported)
}

/// Draws a timeline.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn render(
    py: Python<'_>,
    bundles: Vec<String>,
    path: PathBuf,
    window: Option<&str>,
    filter: Option<String>,
    queries: Vec<(String, String)>,
    only_queries: bool,
    gpu_packets: bool,
    traces: Option<&str>,
    zero: &str,
    opening: Opening,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Drawn> {
    let spec = TimelineSpec {
        window: window.map(str::parse).transpose().map_err(Failure::from)?,
        filter,
        queries: statements(&queries)?,
        only_queries,
        gpu_packets,
        traces: traces.map(detail).transpose()?,
        clock: clock(zero)?,
    };
    let (options, warnings) = opening.options();
    let (with, of_opening) = (spec.clone(), options.clone());
    let opened = open(py, move || Ok(timeline::open(&bundles, &with, &of_opening)?))?;
    warnings.issue(py)?;
    let saving = Saving::new(&path, opened.iter().map(|it| it.engine.as_ref()))?;
    let (out, with) = (saving.writer(), spec.clone());
    let (drawn, mut said) =
        wait(py, &Stopping::Abandoned, progress.map(Bound::as_unbound), move |teller| {
            draw(opened, &with, out, teller)
        })?;
    saving.commit(&options.files)?;
    said.extend(spec.check_traces(options.traces.take_outcome()).err().map(|it| it.to_string()));
    let counts = |it: &Counts| [it.slices, it.instants, it.counters, it.skipped];
    let of = |it: &DrawnBundle| (it.label.clone(), counts(&it.counts));
    Ok(Drawn {
        bytes: drawn.bytes,
        counts: drawn.bundles.iter().map(of).collect(),
        begins: drawn.bundles.iter().map(|it| (it.label.clone(), it.first_ns)).collect(),
        warnings: said,
    })
}

/// Writes rows to a file, in a format that its extension chooses if none is named. Returns their number.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn write(py: Python<'_>, rows: &Rows, path: PathBuf, name: Option<&str>) -> PyResult<usize> {
    let format = format(&path, name)?;
    let mut reader = rows.reader()?;
    let schema = reader.schema();
    if schema.fields().is_empty() {
        return Err(Failure::Usage("there is no result to write".into()).into());
    }
    let saving = Saving::new(&path, [])?;
    let target = Target { file: true, ..Target::default() };
    let mut encoder = format.encoder(&schema, saving.writer(), target).map_err(Failure::from)?;
    let mut count = 0;
    while let Some(batch) = py.detach(|| reader.next()) {
        let batch = batch.map_err(|error| of_reading(py, &error))?;
        count += batch.num_rows();
        py.detach(|| encoder.batch(&batch)).map_err(Failure::from)?;
    }
    py.detach(|| encoder.finish()).map_err(Failure::from)?;
    saving.commit(&ireescope::bundle::Files::default())?;
    Ok(count)
}

/// Opens something on another thread.
fn open<T: Send + 'static>(
    py: Python<'_>,
    open: impl FnOnce() -> Done<T> + Send + 'static,
) -> PyResult<T> {
    wait(py, &Stopping::Abandoned, None, move |_| open())
}

/// Writes JSON lines, compressed or not.
fn lines(
    opened: Vec<Workspace>,
    mut out: Output,
    is_gzip: bool,
    listener: &mut dyn FnMut(Progress),
) -> Done<()> {
    let failed = |error| Failure::from(exporters::EncodeError::Io(error));
    if is_gzip {
        // The level of the command: the lines are so repetitive that a higher one gains little.
        let mut packed = GzEncoder::new(out, Compression::fast());
        write_ireeperf(opened, &mut packed, listener)?;
        out = packed.finish().map_err(failed)?;
    } else {
        write_ireeperf(opened, &mut out, listener)?;
    }
    out.flush().map_err(failed)
}

/// Draws workspaces. Returns what was drawn, and why nothing was where nothing was.
fn draw(
    opened: Vec<Workspace>,
    spec: &TimelineSpec,
    out: Output,
    teller: &Teller,
) -> Done<(timeline::Drawn, Vec<String>)> {
    let mut said = Vec::new();
    let mut pace = Pace::of(teller, "drawing");
    let mut listener = |event| match event {
        Event::Progress(progress) => pace.at(progress),
        Event::EmptyTimeline { bundle, reason } => {
            let filter = spec.filter.as_deref().unwrap_or("*");
            said.push(format!("{bundle}: nothing is drawn. {}", of_timeline(&reason, filter)));
        }
        Event::Unplaced { bundle } => {
            said.push(format!("{bundle}: nothing is drawn. It has no host times for clock=host."));
        }
        Event::EmptyQuery { rows, reason } => {
            said.push(format!("a query of {} draws nothing: {}", rows.noun(), of_query(reason)));
        }
    };
    let drawn = timeline::draw(opened, spec, out, &mut listener)?;
    pace.end();
    Ok((drawn, said))
}

/// Says why a timeline is empty.
fn of_timeline(reason: &EmptyTimeline, filter: &str) -> String {
    match reason {
        EmptyTimeline::Unmatched(names) => {
            let noun = "slice name";
            let there = Unmatched::among(noun, filter, names.iter().map(String::as_str));
            there.map_or_else(String::new, |it| {
                absence::unmatched(noun, &[format!("filter={filter}")], &it.known, &it.similar)
            })
        }
        EmptyTimeline::OutsideWindow => "No event lies within the window.".into(),
        EmptyTimeline::NoEvents => "It has no events with a time.".into(),
    }
}

/// Says why a query draws nothing.
const fn of_query(reason: EmptyQuery) -> &'static str {
    match reason {
        EmptyQuery::NoRows => "its result has no rows",
        EmptyQuery::Incomplete => "its rows lack a time or a value, or end before they start",
        EmptyQuery::OutsideWindow => "none of its rows lies within the window",
        EmptyQuery::Unmatched => "none of its rows has a name that the filter matches",
    }
}

/// Parses the queries of a timeline, each with the kind of its rows.
fn statements(queries: &[(String, String)]) -> Done<Vec<(Kind, engine::Statement)>> {
    let mut all = Vec::new();
    for (kind, text) in queries {
        let kind = match kind.as_str() {
            "slices" => Kind::Slices,
            "instants" => Kind::Instants,
            "counters" => Kind::Counters,
            other => return Err(Failure::Internal(format!("rows of kind {other}"))),
        };
        all.extend(engine::parse(text)?.into_iter().map(|statement| (kind, statement)));
    }
    Ok(all)
}

fn detail(name: &str) -> Done<TraceDetail> {
    match name {
        "waves" => Ok(TraceDetail::Waves),
        "instructions" => Ok(TraceDetail::Instructions),
        _ => Err(Failure::Usage(format!("att is `waves` or `instructions`, not `{name}`"))),
    }
}

fn clock(name: &str) -> Done<TraceClock> {
    match name {
        "own" => Ok(TraceClock::Own),
        "host" => Ok(TraceClock::Host),
        _ => Err(Failure::Usage(format!("clock is `own` or `host`, not `{name}`"))),
    }
}

/// Adds a place to the text of a failed query.
fn within(place: &str, source: EngineError) -> Failure {
    match Failure::from(source) {
        Failure::Usage(text) => Failure::Usage(format!("{place}: {text}")),
        Failure::Resource(text) => Failure::Resource(format!("{place}: {text}")),
        other => other,
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Open(error) => error.into(),
            ExportError::Bundle(error) => error.into(),
            ExportError::Engine(error) => error.into(),
            ExportError::Condition { query, source } => within(&format!("in `{query}`"), source),
            ExportError::Encode(error) => error.into(),
            ExportError::NotOneCondition => Self::Usage("where takes one SQL condition".into()),
            ExportError::NotOneRelation => {
                Self::Usage("tables takes one name here, and where one SQL condition".into())
            }
            ExportError::Remote(error) => error.into(),
            ExportError::Write { .. } | ExportError::Stopped => Self::Resource(whole(&error)),
            ExportError::UnknownRelation(_)
            | ExportError::OtherFiles(_)
            | ExportError::OtherCapture { .. } => Self::Usage(error.to_string()),
        }
    }
}

impl From<TimelineError> for Failure {
    fn from(error: TimelineError) -> Self {
        match error {
            TimelineError::Engine(error) => error.into(),
            TimelineError::Encode(error) => error.into(),
            TimelineError::Undecoded(_) => Self::input(None, error.to_string()),
            other => Self::Usage(other.to_string()),
        }
    }
}
