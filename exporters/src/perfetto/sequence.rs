//! Rows that are collected for a trace.

use arrow::array::{RecordBatch, StringViewArray};
use arrow::datatypes::DataType;

use super::columns::{at, column};
use super::gpu_proto::GpuLog;
use super::gpu_proto::gpu_log::Severity;
use super::ids::Ids;
use super::intern::Interner;
use super::sorter::Sorter;
use super::tracks::Tracks;
use crate::encoder::EncodeError;

/// Maximum number of device clocks. The format has 64 sequence-scoped clock ids, 64 to 127 (`ClockSnapshot` in
/// Perfetto's protos), of which the host takes one and each device two.
pub(crate) const DEVICE_CLOCKS: u8 = 31;

/// A predicate on names.
pub type NameTest = Box<dyn Fn(&str) -> bool + Send>;

/// A filter for the rows that are drawn.
#[derive(Default)]
pub struct Selection {
    /// A half-open time window in nanoseconds: draws only slices that overlap it, and other events inside it.
    pub window: Option<(i64, i64)>,
    /// Draws only events whose name passes the test; for counters, the name of the track is tested.
    pub names: Option<NameTest>,
}

/// The numbers of drawn events, and of rows that cannot be drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub slices: u64,
    pub instants: u64,
    pub counters: u64,
    /// Rows without a required time or counter value, and slices that end before they start.
    pub skipped: u64,
}

/// The collected rows of one bundle, encoded as events.
pub struct Sequence {
    pub(super) ids: Ids,
    pub(super) tracks: Tracks,
    pub(super) interner: Interner,
    pub(super) sorter: Sorter,
    /// The names of the device clocks.
    pub(super) clocks: Vec<String>,
    /// The start of the trace: the earliest time of all rows, drawn or excluded.
    pub(super) epoch: Option<i64>,
    pub(super) selection: Selection,
    pub(super) counts: Counts,
    pub(super) label: Option<String>,
    pub(super) logs: Vec<GpuLog>,
}

impl Sequence {
    /// Creates an empty sequence. All its tracks are below a root track of this name.
    pub(super) fn new(name: &str, ids: Ids, selection: Selection) -> Self {
        Self {
            ids,
            tracks: Tracks::new(name),
            interner: Interner::default(),
            sorter: Sorter::default(),
            clocks: Vec::new(),
            epoch: None,
            selection,
            counts: Counts::default(),
            label: None,
            logs: Vec::new(),
        }
    }

    /// Sets the text before the names of hardware queues and GPU counters, which have no track of the bundle above them.
    pub fn label(&mut self, label: &str) {
        self.label = Some(label.to_owned());
    }

    /// Adds lines to the description of the root track.
    pub fn describe(&mut self, lines: &str) {
        self.tracks.describe_root(lines);
    }

    /// Draws the rows that are added from now on whatever their names are.
    pub fn keep_all_names(&mut self) {
        self.selection.names = None;
    }

    /// Adds rows that become logs of a GPU: `severity`, `tag` and `message`.
    pub fn logs(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let texts = |name| column::<StringViewArray>(batch, name, &DataType::Utf8View);
        let [severities, tags, messages] = [texts("severity")?, texts("tag")?, texts("message")?];
        self.logs.extend((0..batch.num_rows()).map(|row| GpuLog {
            severity: Some(match at(severities.as_ref(), row) {
                Some("error") => Severity::LogSeverityError,
                Some("warning") => Severity::LogSeverityWarning,
                _ => Severity::LogSeverityInfo,
            } as i32),
            tag: at(tags.as_ref(), row).map(str::to_owned),
            log_message: at(messages.as_ref(), row).map(str::to_owned),
        }));
        Ok(())
    }

    /// Adds rows that describe tracks: `track`, `name`, `sort_order`, `description`, `unit`, `is_counter`, `is_shown`.
    pub fn tracks(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.tracks.declare(batch)
    }

    /// Returns the counts of the rows added so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the earliest time of the rows added so far, drawn or excluded; `None` if none has a time.
    pub const fn start(&self) -> Option<i64> {
        self.epoch
    }

    /// Leaves out all events that were added so far, and counts them as rows that cannot be drawn.
    pub fn leave_out_events(&mut self) {
        let Counts { slices, instants, counters, skipped } = self.counts;
        let skipped = skipped + slices + instants + counters;
        self.counts = Counts { skipped, ..Counts::default() };
        self.sorter = Sorter::default();
        self.logs.clear();
    }

    /// Returns the number of a device clock, and adds it if it is new; 0 if there are too many clocks.
    pub(super) fn clock(&mut self, name: &str) -> u8 {
        let known = self.clocks.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.clocks.push(name.to_owned());
            self.clocks.len() - 1
        });
        // 0 is the host clock, which stands in for device clocks beyond the limit of the format.
        u8::try_from(nth + 1).ok().filter(|clock| *clock <= DEVICE_CLOCKS).unwrap_or(0)
    }
}
