//! Finds when the live memory of each kind is highest, on its device and in its pool, and which allocations live then.
//!
//! One sweep over the starts and ends of allocations in the order of time adds up live bytes; a second look at the allocations finds those
//! that the highest sum counts.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::allocations::{Allocations, Span};
use super::events::Kind;
use super::told::{PoolTotals, Told};
use crate::fold::shared::{ABSENT, Arrays, Columns, HeapBytes, Slices};

/// The allocations that live at peaks.
pub struct Peaks {
    found: Arc<Allocations>,
    told: PoolTotals,
    alive: OnceLock<Vec<AtPeak>>,
}

/// Session, device, kind, and pool; `None` for all memory of the device.
type Scope = (u64, u64, Kind, Option<u64>);

/// The highest sum of live bytes of a scope.
struct Peak {
    is_of_pool: bool,
    /// What its pools tell, if all do.
    told: Option<Told>,
    live: i128,
    bytes: i128,
    /// Host time and byte offset of the event that reaches it.
    place: (i64, u64),
}

/// An allocation that lives at a peak.
pub struct AtPeak {
    span: Span,
    is_of_pool: bool,
    told: Option<Told>,
    place: (i64, u64),
    bytes: i128,
}

impl Peaks {
    /// The peaks of these allocations, whose pools tell this.
    pub const fn of(found: Arc<Allocations>, told: PoolTotals) -> Self {
        Self { found, told, alive: OnceLock::new() }
    }

    fn alive(&self) -> &[AtPeak] {
        self.alive.get_or_init(|| alive(&self.found.spans, &self.told))
    }
}

impl HeapBytes for Peaks {
    fn heap_bytes(&self) -> usize {
        let alive = self.alive.get().map_or(0, |alive| alive.len() * size_of::<AtPeak>());
        self.told.heap_bytes() + alive
    }
}

impl Slices for Peaks {
    fn rows(&self) -> usize {
        self.alive().len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let alive = self.alive().get(range.clone()).unwrap_or_default();
        columns().arrays_from(range.start as u64, alive)
    }
}

fn alive(spans: &[Span], told: &PoolTotals) -> Vec<AtPeak> {
    let (all, scopes) = sweep(spans, told);
    let alive = spans.iter().zip(&scopes).flat_map(|(span, scopes)| {
        let own = scopes.iter().filter_map(|nth| all.get(*nth));
        own.filter(|peak| lives_at(span, peak.place)).map(|peak| AtPeak {
            span: *span,
            is_of_pool: peak.is_of_pool,
            told: peak.told,
            place: peak.place,
            bytes: peak.bytes,
        })
    });
    alive.collect()
}

/// Returns the peaks, and for each allocation the indices of that of its device and that of its pool.
fn sweep(spans: &[Span], told: &PoolTotals) -> (Vec<Peak>, Vec<[usize; 2]>) {
    let mut peaks: Vec<Peak> = Vec::new();
    let mut known: HashMap<Scope, usize> = HashMap::new();
    let silent = silent(spans, told);
    let mut nth_of = |scope: Scope| {
        *known.entry(scope).or_insert_with(|| {
            let told = told_of(scope, told).filter(|_| !silent.contains(&scope));
            let is_of_pool = scope.3.is_some();
            peaks.push(Peak { is_of_pool, told, live: 0, bytes: -1, place: (0, 0) });
            peaks.len() - 1
        })
    };
    let scopes: Vec<[usize; 2]> = spans
        .iter()
        .map(|span| {
            let [session, device, pool] = span.begin.pool();
            [None, Some(pool)].map(|pool| nth_of((session, device, span.kind, pool)))
        })
        .collect();
    // Of one event, what it shows to be released comes before what it allocates.
    let mut changes: Vec<((i64, u64), bool, usize)> = Vec::with_capacity(spans.len() * 2);
    for (nth, span) in spans.iter().enumerate() {
        changes.push((start_of(span), true, nth));
        changes.extend(end_of(span).map(|place| (place, false, nth)));
    }
    changes.sort_unstable();
    for (place, opens, nth) in changes {
        let (Some(span), Some(own)) = (spans.get(nth), scopes.get(nth)) else { continue };
        let bytes = i128::from(span.begin.event.length);
        for scope in own {
            let Some(peak) = peaks.get_mut(*scope) else { continue };
            peak.live += if opens { bytes } else { -bytes };
            if peak.live > peak.bytes && opens {
                (peak.bytes, peak.place) = (peak.live, place);
            }
        }
    }
    (peaks, scopes)
}

/// Returns the scopes of devices with allocations of pools that tell nothing.
fn silent(spans: &[Span], told: &PoolTotals) -> HashSet<Scope> {
    let of_silent = spans.iter().filter(|span| told.pool(span.begin.pool()).is_none());
    let scope = |span: &Span| {
        let [session, device, _] = span.begin.pool();
        (session, device, span.kind, None)
    };
    of_silent.map(scope).collect()
}

/// Returns what the pools of a scope tell, if its memory is reserved from pools.
fn told_of((session, device, kind, pool): Scope, told: &PoolTotals) -> Option<Told> {
    if !matches!(kind, Kind::PoolReservation | Kind::QueueAllocation) {
        return None;
    }
    match pool {
        Some(pool) => told.pool([session, device, pool]).copied(),
        None => told.device([session, device]).copied(),
    }
}

const fn start_of(span: &Span) -> (i64, u64) {
    (span.begin.host_time_ns(), span.begin.byte_offset)
}

fn end_of(span: &Span) -> Option<(i64, u64)> {
    span.end.map(|end| (end.host_time_ns, end.byte_offset))
}

fn lives_at(span: &Span, place: (i64, u64)) -> bool {
    start_of(span) <= place && end_of(span).is_none_or(|end| end > place)
}

/// The columns of `allocation_peaks`.
pub fn columns() -> Columns<AtPeak> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    let id = |id: u64| (id != 0).then_some(id);
    Columns::<AtPeak>::new()
        .number("session_id", |it| it.span.begin.session)
        .word("physical_device_ordinal", move |it| ordinal(it.span.begin.event.device))
        .text("kind", |it| Kind::name(it.span.kind as u64))
        .optional_number("pool_id", |it| it.is_of_pool.then_some(it.span.begin.event.pool_id))
        .signed("peak_ns", |it| it.place.0)
        .number("peak_byte_offset", |it| it.place.1)
        .optional_number("peak_bytes", |it| u64::try_from(it.bytes).ok())
        .optional_number("allocation_id", move |it| id(it.span.begin.event.allocation_id))
        .number("bytes", |it| it.span.begin.event.length)
        .signed("start_ns", |it| it.span.begin.event.host_time_ns)
        .optional_signed("end_ns", |it| it.span.end.map(|end| end.host_time_ns))
        .optional_number("start_submission_id", move |it| id(it.span.begin.event.submission_id))
        .flag("is_upper_bound", |it| it.span.is_upper_bound())
        .optional_number("told_bytes", |it| it.told.and_then(|told| told.bytes()))
        .optional_number("told_before_bytes", |it| it.told.and_then(|told| told.before()))
        .number("byte_offset", |it| it.span.begin.byte_offset)
}
