//! Feeds a timeline with the rows of the views `timeline_*` in file order, and of the caller's queries.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::execution::SendableRecordBatchStream;
use engine::{Engine, EngineError, Parameters};
use exporters::EncodeError;
use exporters::perfetto::{Rows, Sequence};
use futures::StreamExt;
use tokio::sync::mpsc::{Receiver, channel};

use super::empty;
use super::error::TimelineError;
use super::event::Event;
use super::spec::TimelineSpec;
use crate::{Progress, Workspace};

/// Number of batches that a task may be ahead.
const AHEAD: usize = 2;

/// The meaning of the rows of a view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Tracks,
    Rows(Rows),
    /// Rows that may become GPU packets instead.
    Gpu {
        usual: Rows,
        packets: Rows,
    },
}

const CLOCKS: Part = Part::Rows(Rows::Clocks);
const SLICES: Part = Part::Rows(Rows::Slices);
const INSTANTS: Part = Part::Rows(Rows::Instants);
const COUNTERS: Part = Part::Rows(Rows::Counters);
const DISPATCHES: Part = Part::Gpu { usual: Rows::Slices, packets: Rows::Stages };
const GPU_COUNTERS: Part = Part::Gpu { usual: Rows::Counters, packets: Rows::GpuCounters };

/// A view, the meaning of its rows, and whether it may have any.
type View = (&'static str, Part, fn(&Engine) -> bool);

/// The views of the default timeline, in order of execution. Views with many rows and views that take long to plan come
/// early, because each view is planned while its predecessor is drawn. Tracks precede their counters, because the
/// filter of counters needs the names of the tracks.
const VIEWS: &[View] = &[
    ("timeline_clocks", CLOCKS, |it| it.has_rows("clock_correlations")),
    ("timeline_dispatches", DISPATCHES, |it| it.has_rows("dispatch_events")),
    ("timeline_tracks", Part::Tracks, |_| true),
    ("timeline_allocated_bytes", COUNTERS, |it| it.has_rows("memory_events")),
    ("timeline_queue_device_events", SLICES, |it| it.has_rows("queue_device_events")),
    ("timeline_host_executions", SLICES, |it| it.has_rows("host_execution_events")),
    ("timeline_counter_tracks", Part::Tracks, |it| {
        it.has_rows("counter_samples") || it.has_rows("device_metric_samples")
    }),
    ("timeline_queue_events", INSTANTS, |it| it.has_rows("queue_events")),
    ("timeline_queue_ready", INSTANTS, |it| it.has_rows("queue_events")),
    ("timeline_command_operations", INSTANTS, |it| {
        it.has_rows("command_operations") && it.has_rows("host_execution_events")
    }),
    ("timeline_memory_events", INSTANTS, |it| it.has_rows("memory_events")),
    ("timeline_partial_metrics", INSTANTS, |it| it.has_rows("device_metric_samples")),
    ("timeline_diagnostics", INSTANTS, Engine::has_losses),
    ("timeline_clock_correlations", INSTANTS, |it| it.has_rows("clock_correlations")),
    ("timeline_counter_samples", GPU_COUNTERS, |it| it.has_rows("counter_samples")),
    ("timeline_device_metrics", GPU_COUNTERS, |it| it.has_rows("device_metric_samples")),
];

/// The column of these views that only serves to order the rows.
pub const POSITION: &str = "byte_offset";

/// Feeds all rows of a timeline to `sequence`. The next view is executed while the rows of one are drawn.
pub fn feed(
    Workspace { engine, runtime }: &Workspace,
    spec: &TimelineSpec,
    sequence: &mut Sequence,
    listener: &mut dyn FnMut(Event),
) -> Result<(), TimelineError> {
    let views = views(engine, spec);
    let bytes: u64 = engine.bundles().iter().map(|bundle| bundle.directory.end).sum();
    let total = views.len() as u64 * bytes;
    runtime.block_on(async {
        let mut at = |done| listener(Event::Progress(Progress { done, total }));
        at(0);
        let mut finished: u64 = 0;
        let mut names = views.iter().map(|(name, _)| *name);
        let mut next = start(engine, names.next()).await?;
        for (view, part) in &views {
            let Some(mut batches) = next.take() else { break };
            let category = category(view);
            next = start(engine, names.next()).await?;
            while let Some(batch) = batches.next().await? {
                at(finished.saturating_add(position(&batch).unwrap_or(0)));
                part.feed(batch, category, spec, sequence)?;
            }
            finished += bytes;
        }
        if spec.gpu_packets && !spec.only_queries {
            for batch in engine.report("gpu_log", &Parameters::default()).await?.batches {
                sequence.logs(&batch)?;
            }
        }
        for (rows, statement) in &spec.queries {
            let (before, mut count) = (sequence.counts(), 0);
            let mut batches = engine.run(statement).await?;
            while let Some(batch) = batches.next().await {
                let batch = batch.map_err(EngineError::from)?;
                count += batch.num_rows();
                sequence.rows(*rows, rows.noun(), &batch)?;
            }
            if let Some(reason) = empty::query(spec, count, [&before, &sequence.counts()]) {
                listener(Event::EmptyQuery { rows: *rows, reason });
            }
        }
        Ok(())
    })
}

/// Plans a view and starts its execution.
async fn start(engine: &Engine, view: Option<&str>) -> Result<Option<Merged>, EngineError> {
    let Some(view) = view else { return Ok(None) };
    let prepared = engine.prepare(sql::Kind::View, view, &Parameters::default()).await?;
    Ok(Some(Merged::start(prepared.partitions()?)))
}

impl Part {
    fn feed(
        self,
        mut batch: RecordBatch,
        category: &str,
        spec: &TimelineSpec,
        sequence: &mut Sequence,
    ) -> Result<(), EncodeError> {
        match self {
            Self::Tracks => {
                if spec.only_queries {
                    // Without this column, tracks are shown only if events refer to them.
                    drop_column(&mut batch, "is_shown");
                }
                sequence.tracks(&batch)
            }
            Self::Rows(rows) => {
                drop_column(&mut batch, POSITION);
                sequence.rows(rows, category, &batch)
            }
            Self::Gpu { usual, packets } => {
                let rows = if spec.gpu_packets { packets } else { usual };
                Self::Rows(rows).feed(batch, category, spec, sequence)
            }
        }
    }
}

/// Returns the category of the events of a view: its name after `timeline_`. Those of queries are called as their rows.
fn category(view: &str) -> &str {
    view.strip_prefix("timeline_").unwrap_or(view)
}

/// Returns the views that may have rows, in order of execution.
fn views(engine: &Engine, spec: &TimelineSpec) -> Vec<(&'static str, Part)> {
    let is_wanted = |part: Part| match part {
        Part::Tracks | CLOCKS => true,
        Part::Rows(_) | Part::Gpu { .. } => !spec.only_queries,
    };
    let views = VIEWS.iter().filter(|(_, part, may_have)| is_wanted(*part) && may_have(engine));
    views.map(|(view, part, _)| (*view, *part)).collect()
}

/// Returns the file offset of the first row of a batch.
fn position(batch: &RecordBatch) -> Option<u64> {
    let positions = batch.column_by_name(POSITION)?.as_primitive_opt::<UInt64Type>()?;
    positions.iter().next().flatten()
}

/// Removes a column from a batch, if it is there.
pub(crate) fn drop_column(batch: &mut RecordBatch, name: &str) {
    if let Ok(position) = batch.schema_ref().index_of(name) {
        batch.remove_column(position);
    }
}

/// Returns the start and the end of the capture in nanoseconds.
pub async fn span(engine: &Engine) -> Result<(i64, i64), TimelineError> {
    let every = Parameters::default();
    let answer = engine.prepare(sql::Kind::View, "timeline_span", &every).await?.answer().await?;
    let mut moments = None;
    for batch in answer.batches {
        let time = |name: &str| {
            let times = batch.column_by_name(name)?.as_primitive_opt::<Int64Type>()?;
            (!times.is_empty() && times.is_valid(0)).then(|| times.value(0))
        };
        moments = moments.or(time("start_ns").zip(time("end_ns")));
    }
    Ok(moments.unwrap_or((0, 0)))
}

/// The batches of one partition.
type Batches = Receiver<Result<RecordBatch, EngineError>>;

/// Merges the batches of several partitions by the file offsets of their first rows. Each batch holds consecutive rows
/// that its partition has claimed, so the order depends only on the file.
struct Merged {
    sources: Vec<(Batches, Option<RecordBatch>)>,
}

impl Merged {
    fn start(partitions: Vec<SendableRecordBatchStream>) -> Self {
        let start = |mut batches: SendableRecordBatchStream| {
            let (sender, receiver) = channel(AHEAD);
            tokio::spawn(async move {
                while let Some(batch) = batches.next().await {
                    // The receiver is gone only if drawing has failed already.
                    if sender.send(batch.map_err(EngineError::from)).await.is_err() {
                        return;
                    }
                }
            });
            (receiver, None)
        };
        Self { sources: partitions.into_iter().map(start).collect() }
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        for (receiver, head) in &mut self.sources {
            while head.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
                *head = receiver.recv().await.transpose()?;
                if head.is_none() {
                    break;
                }
            }
        }
        let first = self
            .sources
            .iter_mut()
            .filter(|(_, head)| head.is_some())
            .min_by_key(|(_, head)| head.as_ref().and_then(position));
        Ok(first.and_then(|(_, head)| head.take()))
    }
}
