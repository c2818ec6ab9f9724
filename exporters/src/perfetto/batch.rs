//! Converts the rows of a batch to events: a sort key with track and clock, and an encoded payload.

use arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, ListArray, RecordBatch, StringViewArray,
    UInt64Array,
};
use arrow::compute::kernels::numeric::add_wrapping;
use arrow::datatypes::{ArrowNativeType, DataType, Int64Type, UInt64Type};

use super::annotations::{Annotations, Form};
use super::columns::{at, column};
use super::intern::{Interner, Kind as Interned};
use super::rows::{ROWS, Rows};
use super::sequence::Sequence;
use super::sorter::Event;
use super::stages::{self, Stages};
use super::wire::{self, event, gpu_counter, stage};
use crate::encoder::EncodeError;
use crate::repeats::{NONE, Remembered};

/// The columns of a batch, cast to the types in which they are read.
struct Batch {
    rows: Rows,
    track: Option<StringViewArray>,
    name: Option<StringViewArray>,
    clock: Option<StringViewArray>,
    start: Int64Array,
    end: Option<Int64Array>,
    whole_value: Option<Int64Array>,
    value: Option<Float64Array>,
    ticks: Option<UInt64Array>,
    flows: Option<ListArray>,
    /// The encoded category of the events.
    category: Vec<u8>,
    stages: Option<Stages>,
    annotations: Annotations,
}

impl Batch {
    /// Casts the columns of `batch`. Fails if a required column is missing or a column cannot be cast.
    fn new(
        rows: Rows,
        category: &str,
        batch: &RecordBatch,
        interner: &mut Interner,
    ) -> Result<Self, EncodeError> {
        let text = |name| column(batch, name, &DataType::Utf8View);
        let time = |name| column::<Int64Array>(batch, name, &DataType::Int64);
        let first = if rows.are_spans() { "start_ns" } else { "time_ns" };
        let Some(start) = time(first)? else {
            return Err(unsupported(format!("{} need a column {first}", rows.noun())));
        };
        let end = match (time("end_ns")?, time("duration_ns")?) {
            _ if !rows.are_spans() => None,
            (Some(end), _) => Some(end),
            (None, Some(length)) => {
                Some(add_wrapping(&start, &length)?.as_primitive::<Int64Type>().clone())
            }
            _ => return Err(unsupported("slices need a column end_ns or duration_ns".into())),
        };
        let value = column(batch, "value", &DataType::Float64)?;
        let whole_value = time("whole_value")?;
        if rows.are_values() && value.is_none() && whole_value.is_none() {
            return Err(unsupported("counters need a column value".into()));
        }
        let form = if rows == Rows::Stages { Form::Extra } else { Form::Debug };
        Ok(Self {
            rows,
            track: text("track")?,
            name: text("name")?,
            clock: text("clock")?,
            start,
            end,
            whole_value,
            value,
            ticks: column(batch, "device_tick", &DataType::UInt64)?,
            flows: column(batch, "flows", &DataType::new_list(DataType::UInt64, true))?,
            category: categorized(rows, category, interner),
            stages: (rows == Rows::Stages).then(|| Stages::new(batch)).transpose()?,
            annotations: Annotations::new(&annotated(rows, batch), form, interner)?,
        })
    }

    /// Adds the selected rows to the sequence.
    fn add_to(mut self, sequence: &mut Sequence) -> Result<(), EncodeError> {
        let mut names = Remembered::default();
        let mut tracks = Remembered::default();
        let mut clocks = Remembered::default();
        for row in 0..self.start.len() {
            let Some((time, end)) = self.place(row) else {
                sequence.counts.skipped += 1;
                continue;
            };
            if let Some(time) = time {
                sequence.epoch = Some(sequence.epoch.map_or(time, |known| known.min(time)));
            }
            if self.is_outside(sequence.selection.window, time, end) {
                continue;
            }
            let (view, path) = text(self.track.as_ref(), row);
            let path = path.unwrap_or(self.rows.noun());
            let track = *tracks.of(view, || match self.rows {
                Rows::Counters => sequence.tracks.holding(path, true),
                Rows::Slices | Rows::Instants => sequence.tracks.holding(path, false),
                Rows::Stages | Rows::GpuCounters | Rows::Clocks => sequence.tracks.at(path),
            });
            let (view, name) = text(self.clock.as_ref(), row);
            let clock = *clocks.of(view, || name.map_or(0, |name| sequence.clock(name)));
            let (view, name) = text(self.name.as_ref(), row);
            let name = names
                .of(view, || Named::new(name.unwrap_or(""), self.rows, &self.category, sequence));
            let is_left_out = match (&sequence.selection.names, self.rows) {
                (None, _) | (_, Rows::Clocks) => false,
                (Some(wanted), rows) if rows.are_values() => {
                    !sequence.tracks.get(track).is_some_and(|track| wanted(&track.name))
                }
                _ => !name.is_wanted,
            };
            if is_left_out {
                continue;
            }
            let start = sequence.sorter.buffer().len();
            self.carry(row, name, sequence);
            match self.rows {
                Rows::Slices | Rows::Stages => sequence.counts.slices += 1,
                Rows::Instants => sequence.counts.instants += 1,
                Rows::Counters | Rows::GpuCounters => sequence.counts.counters += 1,
                Rows::Clocks => {}
            }
            if matches!(self.rows, Rows::Stages | Rows::GpuCounters) {
                sequence.tracks.note_packets(track, self.rows);
            }
            // Events without a time sort first.
            let time = time.unwrap_or(i64::MIN);
            sequence.sorter.push(Event { time, end, track, clock, kind: self.rows }, start)?;
        }
        Ok(())
    }

    /// Returns the start of a row, which an instant may lack, and the end of a slice (`i64::MIN` for other events).
    /// Returns `None` if the row cannot be drawn.
    fn place(&self, row: usize) -> Option<(Option<i64>, i64)> {
        let start = at(Some(&self.start), row);
        let is_drawn = match self.rows {
            Rows::Slices | Rows::Stages => {
                let (start, end) = (start?, at(self.end.as_ref(), row)?);
                // An empty slice is drawn with a length of one nanosecond, so that it is visible.
                return (end >= start).then(|| (Some(start), end.max(start.saturating_add(1))));
            }
            Rows::Instants => true,
            Rows::Counters | Rows::GpuCounters => {
                let (whole, value) = self.values(row);
                start.is_some() && (whole.is_some() || value.is_some())
            }
            Rows::Clocks => start.is_some(),
        };
        is_drawn.then_some((start, i64::MIN))
    }

    /// Returns the value of a counter, as an integer and as a fraction.
    fn values(&self, row: usize) -> (Option<i64>, Option<f64>) {
        (at(self.whole_value.as_ref(), row), at(self.value.as_ref(), row))
    }

    /// True if an event is outside the window. Clock readings and events without a time are always inside.
    fn is_outside(&self, window: Option<(i64, i64)>, time: Option<i64>, end: i64) -> bool {
        let (Some((from, until)), Some(time)) = (window, time) else { return false };
        let is_before = if self.rows.are_spans() { end <= from } else { time < from };
        self.rows != Rows::Clocks && (time >= until || is_before)
    }

    /// Appends the payload of a row's event to the buffer: name or value, flows and annotations. The payload of a clock
    /// reading is its tick.
    fn carry(&mut self, row: usize, name: &Named, sequence: &mut Sequence) {
        let (ids, buffer) = (sequence.ids, sequence.sorter.buffer());
        match self.rows {
            Rows::Clocks => {
                buffer.extend(at(self.ticks.as_ref(), row).unwrap_or(0).to_le_bytes());
                return;
            }
            Rows::Counters | Rows::GpuCounters => {
                let [whole, fraction] = match self.rows {
                    Rows::Counters => [event::WHOLE_VALUE, event::VALUE],
                    _ => [gpu_counter::WHOLE_VALUE, gpu_counter::VALUE],
                };
                match self.values(row) {
                    (Some(value), _) => wire::number(buffer, whole, value.cast_unsigned()),
                    (None, value) => wire::eight(buffer, fraction, value.unwrap_or(0.0).to_bits()),
                }
            }
            Rows::Slices | Rows::Instants | Rows::Stages => buffer.extend_from_slice(&name.bytes),
        }
        let flows = self.flows.as_ref().into_iter().flat_map(|flows| numbers(flows, row));
        let flows = flows.map(|flow| ids.flow(flow));
        match (&self.stages, at(self.end.as_ref(), row)) {
            (Some(stages), Some(end)) => {
                let duration = end.wrapping_sub(self.start.value(row)).cast_unsigned();
                stages.encode(row, duration, &flows.collect::<Vec<_>>(), buffer);
            }
            _ => flows.for_each(|flow| wire::eight(buffer, event::FLOW, flow)),
        }
        self.annotations.encode(row, &mut sequence.interner, buffer);
    }
}

/// Returns the numbers in the list of a row.
fn numbers(lists: &ListArray, row: usize) -> impl Iterator<Item = u64> {
    let numbers = lists.values().as_primitive::<UInt64Type>();
    let offset = |nth: usize| lists.value_offsets().get(nth).map_or(0, |at| at.as_usize());
    let range = if lists.is_valid(row) { offset(row)..offset(row + 1) } else { 0..0 };
    range.filter(|nth| numbers.is_valid(*nth)).map(|nth| numbers.value(nth))
}

/// Returns the columns that become annotations.
fn annotated(rows: Rows, batch: &RecordBatch) -> Vec<(&str, &ArrayRef)> {
    // The format has no annotations of GPU counters.
    if matches!(rows, Rows::Clocks | Rows::GpuCounters) {
        return Vec::new();
    }
    let schema = batch.schema_ref();
    let columns = schema.fields().iter().zip(batch.columns());
    columns
        .map(|(field, array)| (field.name().as_str(), array))
        // `duration_ns` is not an annotation if it defines the end of the slices.
        .filter(|(name, _)| {
            !rows.are_spans() || *name != "duration_ns" || schema.index_of("end_ns").is_ok()
        })
        .filter(|(name, _)| rows != Rows::Stages || !stages::FIELDS.contains(name))
        .filter(|(name, _)| ROWS.iter().all(|(known, _)| known != name))
        .collect()
}

/// Returns the encoded category of the events of rows; nothing for rows whose events have none in the format.
fn categorized(rows: Rows, category: &str, interner: &mut Interner) -> Vec<u8> {
    let mut bytes = Vec::new();
    if matches!(rows, Rows::Slices | Rows::Instants)
        && let Some(number) = interner.number(Interned::Category, category)
    {
        wire::number(&mut bytes, event::CATEGORY_ID, number);
    }
    bytes
}

const fn unsupported(what: String) -> EncodeError {
    EncodeError::Unsupported(what)
}

/// An encoded event name, after the category.
#[derive(Debug, Default)]
struct Named {
    bytes: Vec<u8>,
    /// True if the selection includes events of this name.
    is_wanted: bool,
}

impl Named {
    fn new(name: &str, rows: Rows, category: &[u8], sequence: &mut Sequence) -> Self {
        let is_wanted = sequence.selection.names.as_ref().is_none_or(|wanted| wanted(name));
        let mut bytes = category.to_vec();
        if is_wanted && rows == Rows::Stages {
            match sequence.interner.number(Interned::Stage, name) {
                Some(number) => wire::number(&mut bytes, stage::STAGE_ID, number),
                None => wire::bytes(&mut bytes, stage::NAME, name.as_bytes()),
            }
        }
        if is_wanted && matches!(rows, Rows::Slices | Rows::Instants) {
            match sequence.interner.number(Interned::Name, name) {
                Some(number) => wire::number(&mut bytes, event::NAME_ID, number),
                None => wire::bytes(&mut bytes, event::NAME, name.as_bytes()),
            }
        }
        Self { bytes, is_wanted }
    }
}

/// Returns the view and the text of a row. The view identifies the text within its column; it is [`NONE`] for NULL.
#[inline]
fn text(texts: Option<&StringViewArray>, row: usize) -> (u128, Option<&str>) {
    let Some(texts) = texts.filter(|texts| texts.is_valid(row)) else { return (NONE, None) };
    (texts.views().get(row).copied().unwrap_or(NONE), Some(texts.value(row)))
}

impl Sequence {
    /// Adds a batch of rows. Their slices and instants have this category.
    pub fn rows(
        &mut self,
        rows: Rows,
        category: &str,
        batch: &RecordBatch,
    ) -> Result<(), EncodeError> {
        Batch::new(rows, category, batch, &mut self.interner)?.add_to(self)
    }
}
