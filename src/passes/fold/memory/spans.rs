//! The relations of allocations: the time span in which each lives, and the changes that they make.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use read::table::table_of;

use crate::fold::memory::allocations::{Allocations, Moment, ShownBy, Span, pair};
use crate::fold::memory::events::{EVENT, Event, Kind, STATS};
use crate::fold::memory::live::Changes;
use crate::fold::memory::peaks::Peaks;
use crate::fold::memory::{PoolTotals, live, peaks, pools};
use crate::fold::pass::{Call, Output, Parameter, Pass};
use crate::fold::shared::{ABSENT, Arrays, Columns, HeapBytes, Relation, Slices, blocks};

/// The pass over all allocations.
pub static ALL: Pass = Pass::of(OUTPUTS, all).without_metadata();

/// The pass over the allocations that live at one time.
pub static AT: Pass = Pass::of(OUTPUTS_AT, at).taking(&[Parameter::Time]).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "allocation_spans",
        "The allocations of a capture with the time span of each, by start.",
        || columns().fields(),
    ),
    Output::of(
        "allocation_changes",
        "The events that allocate or release memory, and those that show a release, by time.",
        || live::columns().fields(),
    ),
    Output::of(
        "allocation_peaks",
        "The allocations that are live when the memory of their kind is highest on its device, and in its pool.",
        || peaks::columns().fields(),
    ),
];

/// All allocations by start. They are read once; what follows from them is found when it is asked for.
struct Spans(Arc<Allocations>);

impl HeapBytes for Spans {
    fn heap_bytes(&self) -> usize {
        self.0.spans.len() * size_of::<Span>()
    }
}

impl Slices for Spans {
    fn rows(&self) -> usize {
        self.0.spans.len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let spans = self.0.spans.get(range.clone()).unwrap_or_default();
        columns().arrays_from(range.start as u64, spans)
    }
}

static OUTPUTS_AT: &[Output] = &[Output::of(
    "memory_at",
    "The allocations that are live at a host time, after the events of that nanosecond; columns as in `memory_lifetimes`.",
    || columns().fields(),
)];

fn all(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let moments = moments(call)?;
    let found = Arc::new(found(call, &moments)?);
    let mut told = PoolTotals::default();
    for moment in &moments {
        if let Some(stats) = moment.stats {
            told.add(moment.session, &moment.event, stats);
        }
    }
    Ok(vec![
        Relation::Sliced(Arc::new(Spans(Arc::clone(&found)))),
        Relation::Sliced(Arc::new(Changes::of(Arc::clone(&found)))),
        Relation::Sliced(Arc::new(Peaks::of(found, told))),
    ])
}

fn at(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let time = call.signed();
    let found = read(call)?;
    let lives = |span: &&Span| {
        let starts = time.is_some_and(|time| span.begin.event.host_time_ns <= time);
        starts && span.end.is_none_or(|end| time.is_some_and(|time| time < end.host_time_ns))
    };
    Ok(vec![columns().relation(found.spans.iter().filter(lives))])
}

/// Reads the allocations.
fn read(call: &Call<'_>) -> Result<Allocations, BundleError> {
    found(call, &moments(call)?)
}

/// Reads the events that allocate or release memory, or tell how much of their pool is reserved, by host time.
pub fn moments(call: &Call<'_>) -> Result<Vec<Moment>, BundleError> {
    let mut moments = Vec::new();
    blocks(call.bundle, &[EVENT.table], |block| {
        let session = block.header.session_id;
        moments.extend(block.rows().filter_map(|row| {
            let event = Event::of(row);
            let has_stats = event.has_stats() && event.pool_id != 0;
            let stats = has_stats.then(|| {
                let [bytes, _, _, _, count, _] = row.numbers(&STATS);
                [bytes, count]
            });
            let moment = Moment { session, byte_offset: row.byte_offset, event, stats };
            (moment.change().is_some() || has_stats).then_some(moment)
        }));
        Ok(())
    })?;
    moments.sort_by_key(Moment::host_time_ns);
    Ok(moments)
}

/// Finds the allocations of these events.
pub fn found(call: &Call<'_>, moments: &[Moment]) -> Result<Allocations, BundleError> {
    let (mut found, links) = pair(moments);
    pools::watch(moments, &links, &mut found);
    let lossy = lossy_sessions(call.bundle)?;
    for span in &mut found.spans {
        span.is_end_lost = span.end.is_none() && lossy.contains(&span.begin.session);
    }
    Ok(found)
}

/// Returns the sessions of which the producer dropped memory events.
fn lossy_sessions(bundle: &Bundle) -> Result<HashSet<u64>, BundleError> {
    let directory = &bundle.directory;
    let mut lossy = HashSet::new();
    for entry in directory.entries.iter().filter(|entry| entry.is_lossy) {
        let family = directory.content_types.get(usize::from(entry.content_type));
        let header = bundle.record_header(entry)?;
        let has_dropped = header.dropped_record_count > 0;
        if has_dropped && family.and_then(|name| table_of(name)) == Some(EVENT.table) {
            lossy.insert(header.session_id);
        }
    }
    Ok(lossy)
}

fn columns() -> Columns<Span> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    let id = |id: u64| (id != 0).then_some(id);
    let released = |span: &Span| span.end.filter(|end| end.shown_by != ShownBy::PoolStatistics);
    Columns::<Span>::new()
        .number("session_id", |span| span.begin.session)
        .word("physical_device_ordinal", move |span| ordinal(span.begin.event.device))
        .text("kind", |span| Kind::name(span.kind as u64))
        .number("pool_id", |span| span.begin.event.pool_id)
        .optional_number("allocation_id", move |span| id(span.begin.event.allocation_id))
        .number("bytes", |span| span.begin.event.length)
        .signed("start_ns", |span| span.begin.event.host_time_ns)
        .optional_signed("end_ns", |span| span.end.map(|end| end.host_time_ns))
        .word("queue_ordinal", move |span| ordinal(span.begin.event.queue))
        .optional_number("start_submission_id", move |span| id(span.begin.event.submission_id))
        .optional_number("end_submission_id", move |span| id(released(span)?.submission_id))
        .number("backing_id", |span| span.begin.event.backing_id)
        .number("memory_type", |span| span.begin.event.memory_type)
        .number("buffer_usage", |span| span.begin.event.buffer_usage)
        .flag("is_externally_owned", |span| span.begin.event.is_externally_owned())
        .optional_text("end_shown_by", |span| span.end.map(|end| end.shown_by.name()))
        .flag("is_upper_bound", Span::is_upper_bound)
        .flag("is_end_lost", |span| span.is_end_lost)
        .number("byte_offset", |span| span.begin.byte_offset)
        .optional_number("end_byte_offset", |span| span.end.map(|end| end.byte_offset))
}
