//! How many queue operations there are, and whether their queues are known.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::DataType::UInt64;
use schemas::enums::QUEUE_EVENT_TYPE;

use super::blocks::{Block, Wanted, blocks};
use super::{Call, Columns, Fold, Output, Parameter, Pattern};
use crate::bundle::{BundleError, Fault};

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[Output {
    name: "queue_operation_totals",
    doc: "How many queue events, device events and host spans match by type and submission, and what their chunks lack; one row a bundle.",
    arguments: &[Parameter::Filter, Parameter::Id],
    columns: &[
        ("queue_events", UInt64),
        ("queue_device_events", UInt64),
        ("host_execution_events", UInt64),
        ("truncated_chunks", UInt64),
        ("dropped_records", UInt64),
    ],
}];

const COLUMNS: &[&str] =
    &["type_value", "submission_id", "physical_device_ordinal", "queue_ordinal", "stream_id"];

const WANTED: &[Wanted] = &[
    Wanted::of("queue_events", COLUMNS),
    Wanted::of("queue_device_events", COLUMNS),
    Wanted::of("host_execution_events", COLUMNS),
];

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let mut totals = Totals { matching: Matching::new(call.pattern()), ..Totals::default() };
    blocks(call.bundle, WANTED, |block| {
        totals.add(call, block).map_err(|fault| call.bundle.damaged(fault))
    })?;
    let [host_queue, device, host_spans] = totals.matched;
    let numbers = [host_queue, device, host_spans, totals.truncated_chunks, totals.dropped_records];
    Ok(vec![numbers.map(|number| Arc::new(UInt64Array::from(vec![number])) as ArrayRef).into()])
}

#[derive(Default)]
struct Totals {
    matching: Matching,
    matched: [u64; 3],
    truncated_chunks: u64,
    dropped_records: u64,
    checked_place: Option<[u64; 3]>,
}

impl Totals {
    fn add(&mut self, call: &Call<'_>, block: &Block<'_>) -> Result<(), Fault> {
        if block.starts_chunk && block.header.is_truncated {
            self.truncated_chunks += 1;
            self.dropped_records =
                self.dropped_records.wrapping_add(block.header.dropped_record_count);
        }
        let [kinds, submissions, devices, queues, streams] =
            [0, 1, 2, 3, 4].map(|nth| block.column(nth));
        let id = call.id();
        let places = devices.iter().zip(queues).zip(streams);
        for (row, ((kind, submission), ((device, queue), stream))) in
            kinds.iter().zip(submissions).zip(places).enumerate()
        {
            if id.is_some_and(|id| id != *submission) || !self.matching.matches(*kind) {
                continue;
            }
            if let Some(matched) = self.matched.get_mut(block.wanted) {
                *matched += 1;
            }
            let place = [*device, *queue, *stream];
            if self.checked_place != Some(place)
                && !call.metadata.has_queue(*device, *queue, *stream)
            {
                return Err(block.unknown_queue(row, *device, *queue, *stream));
            }
            self.checked_place = Some(place);
        }
        Ok(())
    }
}

/// Which types of queue operation a pattern matches.
#[derive(Default)]
struct Matching {
    pattern: Option<Pattern>,
    last: Option<(u64, bool)>,
}

impl Matching {
    fn new(pattern: Pattern) -> Self {
        Self { pattern: (!pattern.matches_all()).then_some(pattern), last: None }
    }

    #[inline]
    fn matches(&mut self, kind: u64) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        if let Some((known, matches)) = self.last
            && known == kind
        {
            return matches;
        }
        let name = u32::try_from(kind).map_or("unknown", |kind| QUEUE_EVENT_TYPE.name_of(kind));
        let matches = pattern.matches(name);
        self.last = Some((kind, matches));
        matches
    }
}
