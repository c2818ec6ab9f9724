//! Pairs the events that allocate and release memory.
//!
//! A release ends the latest live allocation of the same session, device, kind, pool and id. As in the ledger, queue
//! deallocations may omit their pool. Releases of memory that was allocated before the capture end nothing. Where no release
//! is recorded, the statistics of pools show some ([`pools`](super::pools)).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::FixedState;

use super::events::{Event, Kind, Step};

/// The allocations of a bundle.
pub struct Allocations {
    /// By start.
    pub spans: Vec<Span>,
    /// Releases of memory that was allocated before the capture.
    pub unmatched: Vec<(Kind, Moment)>,
}

/// An allocation: the event that begins it, and its end.
#[derive(Clone, Copy)]
pub struct Span {
    pub kind: Kind,
    pub begin: Moment,
    pub end: Option<End>,
    /// Whether it does not end in the capture, but its end may have been dropped.
    pub is_end_lost: bool,
    /// Whether its pool has statistics, which show releases that are not recorded.
    pub(crate) is_watched: bool,
}

/// The end of an allocation: the event that releases it, or the first one whose statistics show that it was released.
#[derive(Clone, Copy)]
pub struct End {
    pub host_time_ns: i64,
    pub byte_offset: u64,
    pub event_id: u64,
    /// Type of the event.
    pub event_type: u64,
    pub submission_id: u64,
    pub stats: Option<[u64; 2]>,
    pub(crate) shown_by: ShownBy,
}

/// What shows that an allocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownBy {
    Release,
    /// The release of the reservation that backs it.
    Reservation,
    PoolStatistics,
}

impl ShownBy {
    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Reservation => "reservation",
            Self::PoolStatistics => "pool statistics",
        }
    }
}

impl End {
    /// Creates the end at an event, which releases the allocation or shows that it was released.
    pub const fn at(moment: &Moment, shown_by: ShownBy) -> Self {
        let Moment { byte_offset, event, stats, .. } = *moment;
        Self {
            host_time_ns: event.host_time_ns,
            byte_offset,
            event_id: event.id,
            event_type: event.kind,
            submission_id: event.submission_id,
            stats,
            shown_by,
        }
    }
}

/// An event and its place in the file.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub session: u64,
    pub byte_offset: u64,
    pub event: Event,
    /// Bytes and number of all reservations of its pool after it.
    pub stats: Option<[u64; 2]>,
}

impl Moment {
    /// Returns the host time.
    pub const fn host_time_ns(&self) -> i64 {
        self.event.host_time_ns
    }

    /// Returns the key of its pool: session, device and pool.
    pub const fn pool(&self) -> [u64; 3] {
        [self.session, self.event.device, self.event.pool_id]
    }

    /// Returns the kind of memory that the event allocates (true) or releases (false); `None` if it does neither.
    pub fn change(&self) -> Option<(Kind, bool)> {
        let (kind, step) = self.event.step()?;
        match step {
            // A reservation without the flag is an attempt that reserved nothing.
            Step::Open if kind == Kind::PoolReservation && !self.event.is_of_reservation() => None,
            Step::Open => Some((kind, true)),
            Step::Close => Some((kind, false)),
            Step::Materialize | Step::Wait => None,
        }
    }
}

impl Span {
    /// Whether it may have been released without a record: nothing tells that it lived until the end.
    pub fn is_upper_bound(&self) -> bool {
        let is_of_queue = matches!(self.kind, Kind::QueueAllocation | Kind::PoolReservation);
        self.end.is_none() && (self.is_end_lost || is_of_queue && !self.is_watched)
    }
}

/// The index of the allocation that an event begins or ends.
#[derive(Debug, Clone, Copy)]
pub enum Link {
    Begins(usize),
    Ends(usize),
    None,
}

/// Pairs the events, which are in order of time, and returns what each of them does.
pub fn pair(moments: &[Moment]) -> (Allocations, Vec<Link>) {
    let mut found = Allocations { spans: Vec::new(), unmatched: Vec::new() };
    // The indices of the live allocations by session, device, kind and id, the latest last.
    let mut live: HashMap<[u64; 4], Vec<usize>, FixedState> = HashMap::default();
    let link = |moment: &Moment| {
        let Some((kind, opens)) = moment.change() else { return Link::None };
        let Event { device, allocation_id, pool_id, .. } = moment.event;
        let key = [moment.session, device, kind as u64, allocation_id];
        if opens {
            let (nth, begin) = (found.spans.len(), *moment);
            live.entry(key).or_default().push(nth);
            found.spans.push(Span {
                kind,
                begin,
                end: None,
                is_end_lost: false,
                is_watched: false,
            });
            return Link::Begins(nth);
        }
        let may_omit = kind == Kind::QueueAllocation && pool_id == 0;
        let is_of_pool = |nth: &usize| {
            let span = found.spans.get(*nth);
            may_omit || span.is_some_and(|span| span.begin.event.pool_id == pool_id)
        };
        if let Entry::Occupied(mut of_key) = live.entry(key)
            && let Some(place) = of_key.get().iter().rposition(is_of_pool)
        {
            let nth = of_key.get_mut().remove(place);
            // What lives no more takes no memory, which makes lookups faster.
            if of_key.get().is_empty() {
                of_key.remove();
            }
            if let Some(span) = found.spans.get_mut(nth) {
                span.end = Some(End::at(moment, ShownBy::Release));
            }
            return Link::Ends(nth);
        }
        found.unmatched.push((kind, *moment));
        Link::None
    };
    let links = moments.iter().map(link).collect();
    (found, links)
}
