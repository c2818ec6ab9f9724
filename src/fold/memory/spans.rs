//! Pairs the events that allocate and release memory: the time span in which each allocation lives.
//!
//! A release ends the latest live allocation of the same session, device, kind, pool and id. As in the ledger, queue
//! deallocations may omit their pool. Releases of memory that was allocated before the capture end nothing.

use std::collections::{HashMap, HashSet};

use crate::bundle::{Bundle, BundleError};
use crate::fold::memory::events::{EVENT, Event, Kind, Step};
use crate::fold::pass::{Call, Output, Parameter, Pass};
use crate::fold::shared::{ABSENT, Columns, Relation, blocks};
use crate::table::table_of;

/// The pass over all allocations.
pub static ALL: Pass = Pass::of(OUTPUTS, all).without_metadata();

/// The pass over the allocations that live at one time.
pub static AT: Pass = Pass::of(OUTPUTS_AT, at).taking(&[Parameter::Time]).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "allocation_spans",
    "The allocations of a capture with the time span of each, by start.",
    || columns().fields(),
)];

static OUTPUTS_AT: &[Output] = &[Output::of(
    "memory_at",
    "The allocations that are live at a host time, after the events of that nanosecond; columns as in `memory_lifetimes`.",
    || columns().fields(),
)];

fn all(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    Ok(vec![columns().relation(&read(call)?)])
}

fn at(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let time = call.signed();
    let spans = read(call)?;
    let lives = |span: &&Span| {
        let starts = time.is_some_and(|time| span.begin.host_time_ns <= time);
        starts && span.end.is_none_or(|end| time.is_some_and(|time| time < end.host_time_ns))
    };
    Ok(vec![columns().relation(spans.iter().filter(lives))])
}

/// An allocation: the event that begins it, and its end.
struct Span {
    session: u64,
    kind: Kind,
    begin: Event,
    begin_offset: u64,
    end: Option<End>,
    /// Whether it does not end in the capture, but its end may have been dropped.
    is_end_lost: bool,
}

#[derive(Clone, Copy)]
struct End {
    host_time_ns: i64,
    submission_id: u64,
    byte_offset: u64,
}

/// An event that begins or ends an allocation.
struct Change {
    session: u64,
    byte_offset: u64,
    kind: Kind,
    opens: bool,
    event: Event,
}

/// Returns the allocations by start.
fn read(call: &Call<'_>) -> Result<Vec<Span>, BundleError> {
    let mut changes = Vec::new();
    blocks(call.bundle, &[EVENT.table], |block| {
        let session = block.header.session_id;
        changes.extend(block.rows().filter_map(|row| {
            let event = Event::of(row);
            let (kind, step) = event.step()?;
            let opens = match step {
                // A reservation without the flag is an attempt that reserved nothing.
                Step::Open => kind != Kind::PoolReservation || event.is_of_reservation(),
                Step::Close => false,
                Step::Materialize | Step::Wait => return None,
            };
            let is_attempt = step == Step::Open && !opens;
            let byte_offset = row.byte_offset;
            (!is_attempt).then_some(Change { session, byte_offset, kind, opens, event })
        }));
        Ok(())
    })?;
    changes.sort_by_key(|change| change.event.host_time_ns);
    let (mut spans, lossy) = (pair(changes), lossy_sessions(call.bundle)?);
    for span in &mut spans {
        span.is_end_lost = span.end.is_none() && lossy.contains(&span.session);
    }
    Ok(spans)
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

fn pair(changes: Vec<Change>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    // The indices of the live allocations, the latest last.
    let mut live: HashMap<[u64; 5], Vec<usize>> = HashMap::new();
    for Change { session, byte_offset, kind, opens, event } in changes {
        let pool = if kind == Kind::QueueAllocation { 0 } else { event.pool_id };
        let key = [session, event.device, kind as u64, pool, event.allocation_id];
        if opens {
            live.entry(key).or_default().push(spans.len());
            spans.push(Span {
                session,
                kind,
                begin: event,
                begin_offset: byte_offset,
                end: None,
                is_end_lost: false,
            });
        } else if let Some(nth) = live.get_mut(&key).and_then(Vec::pop)
            && let Some(span) = spans.get_mut(nth)
        {
            let Event { host_time_ns, submission_id, .. } = event;
            span.end = Some(End { host_time_ns, submission_id, byte_offset });
        }
    }
    spans
}

fn columns() -> Columns<Span> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    let id = |id: u64| (id != 0).then_some(id);
    Columns::<Span>::new()
        .number("session_id", |span| span.session)
        .word("physical_device_ordinal", move |span| ordinal(span.begin.device))
        .text("kind", |span| Kind::name(span.kind as u64))
        .number("pool_id", |span| span.begin.pool_id)
        .optional_number("allocation_id", move |span| id(span.begin.allocation_id))
        .number("bytes", |span| span.begin.length)
        .signed("start_ns", |span| span.begin.host_time_ns)
        .optional_signed("end_ns", |span| span.end.map(|end| end.host_time_ns))
        .word("queue_ordinal", move |span| ordinal(span.begin.queue))
        .optional_number("start_submission_id", move |span| id(span.begin.submission_id))
        .optional_number("end_submission_id", move |span| id(span.end?.submission_id))
        .number("backing_id", |span| span.begin.backing_id)
        .number("memory_type", |span| span.begin.memory_type)
        .number("buffer_usage", |span| span.begin.buffer_usage)
        .flag("is_externally_owned", |span| span.begin.is_externally_owned())
        .flag("is_end_lost", |span| span.is_end_lost)
        .number("byte_offset", |span| span.begin_offset)
        .optional_number("end_byte_offset", |span| span.end.map(|end| end.byte_offset))
}
