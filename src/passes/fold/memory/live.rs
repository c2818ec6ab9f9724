//! Lists the changes to live memory: allocations, recorded releases, and events that show a release.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use schemas::enums::MEMORY_EVENT_TYPE;

use super::allocations::{Allocations, Moment, ShownBy, Span};
use super::events::Kind;
use crate::fold::shared::{ABSENT, Arrays, Columns, HeapBytes, Slices};

/// A change to the memory of a kind, device and pool.
pub struct Change {
    session: u64,
    device: u64,
    kind: Kind,
    pool: u64,
    allocation_id: u64,
    host_time_ns: i64,
    byte_offset: u64,
    event_id: u64,
    event_type: u64,
    length: u64,
    effect: Effect,
    is_upper_bound: bool,
    pool_bytes: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Allocates,
    Releases,
    /// The event shows that the memory was released before.
    ShowsRelease,
    /// The event releases memory that was allocated before the capture.
    ReleasesOther,
}

/// All changes by time. What an event shows comes before what it allocates.
pub struct Changes {
    found: Arc<Allocations>,
    /// The numbers of changes, see [`numbered`], in their order.
    order: OnceLock<Vec<usize>>,
}

impl Changes {
    /// The changes of these allocations.
    pub const fn of(found: Arc<Allocations>) -> Self {
        Self { found, order: OnceLock::new() }
    }

    fn order(&self) -> &[usize] {
        self.order.get_or_init(|| {
            let all = 0..2 * self.found.spans.len() + self.found.unmatched.len();
            let keyed = all.filter_map(|nth| {
                let it = numbered(&self.found, nth)?;
                let shows_release = it.effect == Effect::ShowsRelease;
                Some((it.host_time_ns, it.byte_offset, !shows_release, nth))
            });
            let mut keyed: Vec<_> = keyed.collect();
            keyed.sort_unstable();
            keyed.into_iter().map(|(.., nth)| nth).collect()
        })
    }
}

impl HeapBytes for Changes {
    fn heap_bytes(&self) -> usize {
        2 * self.found.spans.len() * size_of::<usize>()
    }
}

impl Slices for Changes {
    fn rows(&self) -> usize {
        self.order().len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let order = self.order().get(range.clone()).unwrap_or_default();
        let changes: Vec<Change> =
            order.iter().filter_map(|nth| numbered(&self.found, *nth)).collect();
        columns().arrays_from(range.start as u64, &changes)
    }
}

/// Returns a change by number: first come the starts of all allocations, then their ends, then other releases.
fn numbered(found: &Allocations, nth: usize) -> Option<Change> {
    let count = found.spans.len();
    match nth.checked_sub(2 * count) {
        Some(other) => {
            found.unmatched.get(other).map(|(kind, moment)| Change::other(*kind, moment))
        }
        None if nth < count => found.spans.get(nth).map(Change::begin),
        None => found.spans.get(nth - count).and_then(Change::end),
    }
}

impl Change {
    fn of(kind: Kind, moment: &Moment, effect: Effect) -> Self {
        let event = &moment.event;
        Self {
            session: moment.session,
            device: event.device,
            kind,
            pool: event.pool_id,
            allocation_id: event.allocation_id,
            host_time_ns: event.host_time_ns,
            byte_offset: moment.byte_offset,
            event_id: event.id,
            event_type: event.kind,
            length: event.length,
            effect,
            is_upper_bound: false,
            pool_bytes: moment.stats.map(|[bytes, _]| bytes),
        }
    }

    fn begin(span: &Span) -> Self {
        let is_upper_bound = span.is_upper_bound();
        Self { is_upper_bound, ..Self::of(span.kind, &span.begin, Effect::Allocates) }
    }

    fn end(span: &Span) -> Option<Self> {
        let end = span.end?;
        let effect = match end.shown_by {
            ShownBy::Release => Effect::Releases,
            ShownBy::Reservation | ShownBy::PoolStatistics => Effect::ShowsRelease,
        };
        Some(Self {
            host_time_ns: end.host_time_ns,
            byte_offset: end.byte_offset,
            event_id: end.event_id,
            event_type: end.event_type,
            pool_bytes: end.stats.map(|[bytes, _]| bytes),
            ..Self::of(span.kind, &span.begin, effect)
        })
    }

    fn other(kind: Kind, moment: &Moment) -> Self {
        Self::of(kind, moment, Effect::ReleasesOther)
    }

    fn delta_bytes(&self) -> Option<i64> {
        let length = i64::try_from(self.length).ok()?;
        match self.effect {
            Effect::Allocates => Some(length),
            Effect::Releases | Effect::ShowsRelease => Some(-length),
            Effect::ReleasesOther => None,
        }
    }
}

/// The columns of `allocation_changes`.
pub fn columns() -> Columns<Change> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    Columns::<Change>::new()
        .position()
        .number("session_id", |change| change.session)
        .word("physical_device_ordinal", move |change| ordinal(change.device))
        .number("pool_id", |change| change.pool)
        .text("kind", |change| Kind::name(change.kind as u64))
        .signed("host_time_ns", |change| change.host_time_ns)
        .number("event_id", |change| change.event_id)
        .text("type", |change| {
            u32::try_from(change.event_type)
                .map_or("unknown", |kind| MEMORY_EVENT_TYPE.name_of(kind))
        })
        .optional_number("allocation_id", |change| Some(change.allocation_id).filter(|id| *id != 0))
        .optional_signed("delta_bytes", Change::delta_bytes)
        .flag("is_recorded", |change| change.effect != Effect::ShowsRelease)
        .flag("is_upper_bound", |change| change.is_upper_bound)
        .optional_number("pool_bytes_reserved", |change| change.pool_bytes)
        .number("byte_offset", |change| change.byte_offset)
}
