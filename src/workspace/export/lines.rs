//! Writes JSON lines of one or several types of rows. Each partition is encoded by its own task, and the encoded lines
//! are merged in order.

use std::cmp::Ordering;
use std::io::Write;

use arrow::array::{RecordBatch, UInt64Array};
use datafusion::execution::SendableRecordBatchStream;
use engine::{EngineError, Parameters};
use exporters::EncodeError;
use exporters::report_jsonl::{Key, Lines, ReportJsonl, head};
use futures::StreamExt;
use read::bundle::limits;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::error::ExportError;
use crate::Workspace;

/// Lines per block, so few that a block stays in the second-level cache.
const LINES: usize = 1024;

/// Number of blocks that a task may be ahead of the writer: those of one batch. Tasks claim batches in turn, so while
/// the batch of one is written, another must be able to encode its batch without waiting.
const AHEAD: usize = limits::BATCH_ROWS / LINES;

/// The limit for more than [`FEW`] types of rows. Each type keeps its blocks in memory until its lines are due, so a
/// smaller limit saves memory at the cost of some waiting.
const AHEAD_OF_MANY: usize = AHEAD * 3 / 4;

/// Number of row types up to which [`AHEAD`] applies.
const FEW: usize = 4;

/// The rows of one type: sorted streams, and their encoder.
pub struct Rows {
    pub encoder: ReportJsonl,
    pub partitions: Vec<SendableRecordBatchStream>,
}

/// Writes rows, merged by their hidden columns. Calls `written` with the first hidden column of the last line so far.
pub async fn write(
    rows: Vec<Rows>,
    out: &mut dyn Write,
    written: &mut dyn FnMut(u64),
) -> Result<(), ExportError> {
    let mut sources = Vec::new();
    let ahead = if rows.len() > FEW { AHEAD_OF_MANY } else { AHEAD };
    for Rows { encoder, partitions } in rows {
        for partition in partitions {
            let (sender, receiver) = channel(ahead);
            let (used, reused) = channel(ahead + 1);
            tokio::spawn(encode(partition, encoder.clone(), sender, reused));
            sources.push(Source { receiver, used, head: None });
        }
    }
    merge(sources, out, written).await
}

/// Writes the rows of a command of `iree-profile` over one bundle, with the label of the bundle in each line if it is given.
/// Reports of one group are merged.
pub fn write_command(
    workspace: &Workspace,
    groups: &[Vec<&'static str>],
    parameters: &Parameters,
    label: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let label = label.map(|label| ("bundle", label));
    let Workspace { engine, runtime } = workspace;
    let prepared = engine.prepare_all(sql::Kind::Report, &groups.concat(), parameters)?;
    let mut prepared = prepared.into_iter();
    runtime.block_on(async {
        for reports in groups {
            let mut rows = Vec::new();
            for (report, prepared) in reports.iter().zip(prepared.by_ref()) {
                let encoder = ReportJsonl::new(head(report, label), keys(sql::report(report)));
                rows.push(Rows { encoder, partitions: prepared.partitions()? });
            }
            write(rows, out, &mut |_| {}).await?;
        }
        Ok(())
    })
}

/// Returns the columns of a query as keys, without the bundle, which is in the head of the lines if anywhere.
pub fn keys(query: Option<&sql::View>) -> Vec<Key> {
    let columns = query.map_or(&[][..], |query| query.header().columns.as_slice());
    columns.iter().filter(|column| column.name != "bundle").map(key).collect()
}

/// Writes the rows of a report over several bundles that are in memory. Each line names its bundle.
pub fn write_report(
    report: &str,
    batches: &[RecordBatch],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let columns = sql::report(report).map_or(&[][..], |report| report.header().columns.as_slice());
    let encoder = ReportJsonl::new(head(report, None), columns.iter().map(key).collect());
    let mut lines = Lines::default();
    for batch in batches {
        encoder.start(batch)?.encode(0..batch.num_rows(), &mut lines);
        out.write_all(&lines.bytes).map_err(EncodeError::from)?;
    }
    Ok(())
}

fn key(column: &sql::ColumnDoc) -> Key {
    Key {
        name: column.name.clone(),
        digits: column.print.digits,
        optional: column.print.optional,
        hidden: column.print.hidden,
    }
}

async fn encode(
    mut batches: SendableRecordBatchStream,
    encoder: ReportJsonl,
    sender: Sender<Result<Lines, ExportError>>,
    mut reused: Receiver<Lines>,
) {
    while let Some(batch) = batches.next().await {
        // Encodes each batch without its first column, which is the bundle.
        let started =
            batch.map_err(EngineError::from).map_err(ExportError::from).and_then(|batch| {
                let columns: Vec<usize> = (1..batch.num_columns()).collect();
                let batch = batch.project(&columns).map_err(EncodeError::from)?;
                Ok((encoder.start(&batch)?, batch.num_rows()))
            });
        let (mut encoding, rows) = match started {
            Ok(started) => started,
            Err(error) => {
                // The receiver is gone only if the writer has failed already.
                let _ = sender.send(Err(error)).await;
                return;
            }
        };
        for start in (0..rows).step_by(LINES) {
            let mut lines = reused.try_recv().unwrap_or_default();
            encoding.encode(start..rows.min(start + LINES), &mut lines);
            // The receiver is gone if the writer has failed, for example on a closed pipe.
            if sender.send(Ok(lines)).await.is_err() {
                return;
            }
        }
    }
}

/// The lines of one task.
struct Source {
    receiver: Receiver<Result<Lines, ExportError>>,
    /// Returns written blocks to the task, which reuses their buffers.
    used: Sender<Lines>,
    /// The current block.
    head: Option<Head>,
}

/// A block that is written up to the line `next`.
struct Head {
    lines: Lines,
    next: usize,
}

impl Head {
    fn is_done(&self) -> bool {
        self.next >= self.lines.ends.len()
    }

    /// Writes the lines before `end`.
    fn write(&mut self, end: usize, out: &mut dyn Write) -> std::io::Result<()> {
        let ends = &self.lines.ends;
        let place = |line: usize| {
            line.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0)
        };
        let bytes = self.lines.bytes.get(place(self.next)..place(end)).unwrap_or_default();
        self.next = end;
        out.write_all(bytes)
    }

    /// Returns the first hidden column of the line before `end`.
    fn place(&self, end: usize) -> Option<u64> {
        self.lines.order.first()?.values().get(end.checked_sub(1)?).copied()
    }
}

/// Compares two lines by their hidden columns.
fn compare(left: &[UInt64Array], row: usize, right: &[UInt64Array], other: usize) -> Ordering {
    left.iter()
        .zip(right)
        .map(|(left, right)| left.values().get(row).cmp(&right.values().get(other)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Writes the lines of all sources in the order of the hidden columns.
///
/// This is a k-way merge of sorted runs. Consecutive lines mostly come from one source, so it does not merge line by
/// line: one write takes all lines of a block that precede the next line of every other source.
async fn merge(
    mut sources: Vec<Source>,
    out: &mut dyn Write,
    written: &mut dyn FnMut(u64),
) -> Result<(), ExportError> {
    loop {
        for source in &mut sources {
            while source.head.as_ref().is_none_or(Head::is_done) {
                if let Some(written) = source.head.take() {
                    // The send fails if the task has ended or its queue is full; the buffer is dropped then.
                    let _ = source.used.try_send(written.lines);
                }
                match source.receiver.recv().await {
                    Some(lines) => source.head = Some(Head { lines: lines?, next: 0 }),
                    None => break,
                }
            }
        }
        sources.retain(|source| source.head.as_ref().is_some_and(|head| !head.is_done()));
        let Some(first) = smallest(&sources, None) else { return Ok(()) };
        let rival = smallest(&sources, Some(first));
        let end = run_end(&sources, first, rival);
        if let Some(head) = sources.get_mut(first).and_then(|source| source.head.as_mut()) {
            head.write(end, out).map_err(EncodeError::from)?;
            if let Some(place) = head.place(end) {
                written(place);
            }
        }
    }
}

/// Returns the source other than `but` whose next line is the smallest.
fn smallest(sources: &[Source], but: Option<usize>) -> Option<usize> {
    let heads =
        sources.iter().enumerate().filter_map(|(nth, source)| Some((nth, source.head.as_ref()?)));
    heads
        .filter(|(nth, _)| Some(*nth) != but)
        .min_by(|(_, left), (_, right)| {
            compare(&left.lines.order, left.next, &right.lines.order, right.next)
        })
        .map(|(nth, _)| nth)
}

/// Returns the end of the lines of `first` that precede the next line of `rival`.
fn run_end(sources: &[Source], first: usize, rival: Option<usize>) -> usize {
    let head = |nth: usize| sources.get(nth).and_then(|source| source.head.as_ref());
    let Some(first) = head(first) else { return 0 };
    let end = first.lines.ends.len();
    let Some(rival) = rival.and_then(head) else { return end };
    // Binary search for the first line that is greater than the next line of the rival.
    let (mut low, mut high) = (first.next + 1, end);
    while low < high {
        let middle = low.midpoint(high);
        if compare(&first.lines.order, middle, &rival.lines.order, rival.next).is_le() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
