//! The ledger of memory events: balances of devices, pools and allocations, in order of first appearance.

use std::collections::HashMap;

use crate::fold::memory::balance::{Balance, Life, Open};
use crate::fold::memory::events::{Event, Kind, Step};
use crate::fold::memory::lifetimes::Operations;
use crate::fold::shared::{Grouped, Groups};

/// The sums of a device.
#[derive(Debug, Clone, Default)]
pub struct Device {
    pub events: u64,
    /// Number of events of each type, from type 1 on.
    pub types: [u64; 12],
    /// Balances by [`Kind`].
    pub(crate) lifecycles: [Balance; 5],
    pub materialized: Balance,
}

/// The sums of a pool.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    pub buffer_usage: u64,
    pub events: u64,
    pub waits: u64,
    pub materializes: u64,
    pub(crate) lifecycle: Balance,
    pub materialized: Balance,
    pub stats: PoolStats,
}

/// Statistics that events report of their pool.
#[derive(Debug, Clone, Copy, Default)]
pub struct PoolStats {
    pub samples: u64,
    /// The last values: bytes reserved, free and committed, budget limit, reservations, slabs.
    pub last: [u64; 6],
    /// The maximum of each value; of the free bytes, the minimum.
    pub extreme: [u64; 6],
}

/// The sums of an allocation.
#[derive(Debug, Clone)]
pub struct Allocation {
    pub backing_id: u64,
    pub(crate) is_externally_owned: bool,
    pub memory_type: u64,
    pub buffer_usage: u64,
    pub events: u64,
    pub waits: u64,
    pub materializes: u64,
    pub first: Moment,
    pub last: Moment,
    pub(crate) first_submission: Submission,
    pub(crate) last_submission: Submission,
    pub(crate) lifecycle: Life,
    pub materialized: Life,
}

/// An event and its time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moment {
    pub event_id: u64,
    pub host_time_ns: i64,
}

/// A submission and its queue ordinal. Id 0 and ordinal `u32::MAX` mean absent.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    pub submission_id: u64,
    pub queue: u32,
}

/// The ledger. Each list is indexed by the group numbers of its keys.
#[derive(Debug, Default)]
pub struct Ledger {
    pub total_events: u64,
    pub matched_events: u64,
    pub truncated_chunks: u64,
    pub dropped_records: u64,
    pub truncated_matched_events: u64,
    pub devices: Grouped<1, Device>,
    /// By kind, device, pool and memory type.
    pub pools: Grouped<4, Pool>,
    /// By kind, device and pool.
    pub(crate) owner_keys: Groups<3>,
    /// By number of the owner and allocation id.
    pub allocations: Grouped<2, Allocation>,
    /// The pool of the latest queue allocation by device and id; built when an event first omits its pool.
    latest_pools: Option<HashMap<[u64; 2], u64>>,
    pub operations: Operations,
}

impl Ledger {
    /// Adds an event, with the statistics of its pool if it has some. If a sum overflows 64 bits, returns whose.
    pub fn add(&mut self, event: &Event, stats: Option<[u64; 6]>) -> Result<(), &'static str> {
        // An event counts for its device, for its pool if its type is known, and for its allocation if it concerns
        // one.
        let change = Change::of(event, || self.is_materialized(event));
        let kind = change.known.map(|(kind, _)| kind);
        let pool_id = kind.map_or(event.pool_id, |kind| self.pool_id(event, kind));
        let device = self.devices.at([event.device]);
        if device.is_some_and(|device| !device.add(event, &change)) {
            return Err("device");
        }
        if let Some(kind) = kind {
            let key = [kind as u64, event.device, pool_id, event.memory_type];
            if self.pools.at(key).is_some_and(|pool| !pool.add(event, &change)) {
                return Err("pool");
            }
        }
        if let Some(stats) = stats.filter(|_| event.pool_id != 0) {
            let kind = Kind::PoolReservation as u64;
            let key = [kind, event.device, event.pool_id, event.memory_type];
            if let Some(pool) = self.pools.at(key) {
                pool.buffer_usage |= event.buffer_usage;
                pool.stats.add(stats);
            }
        }
        match kind {
            Some(kind) if change.opens => self.add_to_allocation(event, kind, pool_id, &change),
            _ => Ok(()),
        }
    }

    fn add_to_allocation(
        &mut self,
        event: &Event,
        kind: Kind,
        pool_id: u64,
        change: &Change,
    ) -> Result<(), &'static str> {
        let owner = self.owner_keys.number([kind as u64, event.device, pool_id]);
        let known = self.allocations.at([owner as u64, event.allocation_id]);
        let Some(known) = known else { return Ok(()) };
        if known.events == 0
            && kind == Kind::QueueAllocation
            && let Some(latest) = &mut self.latest_pools
        {
            latest.insert([event.device, event.allocation_id], pool_id);
        }
        if known.add(event, change) { Ok(()) } else { Err("allocation") }
    }

    /// Returns the pool of an event. A queue deallocation may omit it; then, as in `iree-profile`, the pool of the
    /// latest queue allocation with the same device and id is used.
    #[inline]
    fn pool_id(&mut self, event: &Event, kind: Kind) -> u64 {
        if event.pool_id != 0 || kind != Kind::QueueAllocation {
            return event.pool_id;
        }
        let (owners, allocations) = (&self.owner_keys, self.allocations.keys());
        let latest = self.latest_pools.get_or_insert_with(|| latest_pools(owners, allocations));
        latest.get(&[event.device, event.allocation_id]).copied().unwrap_or(event.pool_id)
    }

    /// Whether the reservation of an event is materialized.
    #[inline]
    fn is_materialized(&self, event: &Event) -> bool {
        let kind = Kind::PoolReservation as u64;
        let owner = self.owner_keys.find([kind, event.device, event.pool_id]);
        let known =
            owner.and_then(|owner| self.allocations.find([owner as u64, event.allocation_id]));
        known.is_some_and(|known| known.materialized.is_open())
    }
}

/// Returns the pools of the queue allocations so far, by device and id. Later allocations replace earlier ones.
fn latest_pools(owners: &Groups<3>, allocations: &[[u64; 2]]) -> HashMap<[u64; 2], u64> {
    let of_queues = allocations.iter().filter_map(|[owner, id]| {
        let [kind, device, pool_id] = *owners.keys().get(usize::try_from(*owner).ok()?)?;
        (kind == Kind::QueueAllocation as u64).then_some(([device, *id], pool_id))
    });
    of_queues.collect()
}

/// The change of an event to each balance in which it counts.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Kind and step of the event, if its type is known.
    pub known: Option<(Kind, Step)>,
    /// Whether the event concerns one allocation, so that an opening step counts. Events of pools do only if they
    /// concern one reservation.
    pub opens: bool,
    length: u64,
    /// Whether it releases a reservation that is materialized.
    pub(crate) closes_materialized: bool,
}

impl Change {
    /// Returns the change of an event. `is_materialized` says whether its reservation is materialized.
    #[inline]
    pub fn of(event: &Event, is_materialized: impl FnOnce() -> bool) -> Self {
        let known = event.step();
        let is_reserved = event.is_of_reservation();
        let releases = known == Some((Kind::PoolReservation, Step::Close));
        Self {
            known,
            opens: known.is_some_and(|(kind, _)| kind != Kind::PoolReservation || is_reserved),
            length: event.length,
            closes_materialized: releases && is_reserved && is_materialized(),
        }
    }

    fn is(&self, step: Step) -> bool {
        self.known.is_some_and(|(_, known)| known == step)
    }

    /// Applies the change. Returns false if a sum overflows 64 bits.
    #[inline]
    fn apply<T: Open>(&self, lifecycle: &mut T, materialized: &mut T) -> bool {
        match self.known.map(|(_, step)| step) {
            Some(Step::Open) => !self.opens || lifecycle.open(self.length),
            Some(Step::Materialize) => materialized.open(self.length),
            Some(Step::Close) => {
                lifecycle.close(self.length)
                    && (!self.closes_materialized || materialized.close(self.length))
            }
            Some(Step::Wait) | None => true,
        }
    }
}

impl Submission {
    /// Returns the submission; `None` if it or its queue is absent.
    pub fn found(self) -> Option<Self> {
        Some(self).filter(|known| known.submission_id != 0 && known.queue != u32::MAX)
    }
}

impl Device {
    /// Returns the balance of one kind.
    pub(crate) const fn lifecycle(&self, kind: Kind) -> &Balance {
        let [slab, reservation, queue, buffer, imported] = &self.lifecycles;
        match kind {
            Kind::Slab => slab,
            Kind::PoolReservation => reservation,
            Kind::QueueAllocation => queue,
            Kind::BufferAllocation => buffer,
            Kind::ImportedBuffer => imported,
        }
    }

    /// Returns the number of waits for a pool.
    pub const fn waits(&self) -> u64 {
        self.types[5]
    }

    /// Adds an event. Returns false if a sum overflows 64 bits.
    pub fn add(&mut self, event: &Event, change: &Change) -> bool {
        self.events += 1;
        let nth = usize::try_from(event.kind).ok().and_then(|kind| kind.checked_sub(1));
        if let Some(count) = nth.and_then(|nth| self.types.get_mut(nth)) {
            *count += 1;
        }
        let balance = change.known.and_then(|(kind, _)| self.lifecycles.get_mut(kind as usize));
        balance.is_none_or(|balance| change.apply(balance, &mut self.materialized))
    }
}

impl Pool {
    fn add(&mut self, event: &Event, change: &Change) -> bool {
        self.events += 1;
        self.waits += u64::from(change.is(Step::Wait));
        self.materializes += u64::from(change.is(Step::Materialize));
        self.buffer_usage |= event.buffer_usage;
        change.apply(&mut self.lifecycle, &mut self.materialized)
    }
}

/// Index of the free bytes, whose minimum is kept.
const FREE: usize = 1;

impl PoolStats {
    fn add(&mut self, stats: [u64; 6]) {
        for (nth, (extreme, now)) in self.extreme.iter_mut().zip(stats).enumerate() {
            *extreme = match nth {
                FREE if self.samples == 0 => now,
                FREE => now.min(*extreme),
                _ => now.max(*extreme),
            };
        }
        self.last = stats;
        self.samples += 1;
    }
}

impl Default for Allocation {
    fn default() -> Self {
        let none = Submission { submission_id: 0, queue: u32::MAX };
        Self {
            backing_id: 0,
            is_externally_owned: false,
            memory_type: 0,
            buffer_usage: 0,
            events: 0,
            waits: 0,
            materializes: 0,
            first: Moment::default(),
            last: Moment::default(),
            first_submission: none,
            last_submission: none,
            lifecycle: Life::default(),
            materialized: Life::default(),
        }
    }
}

impl Allocation {
    fn add(&mut self, event: &Event, change: &Change) -> bool {
        let moment = Moment { event_id: event.id, host_time_ns: event.host_time_ns };
        if self.first.event_id == 0 {
            self.first = moment;
        }
        self.last = moment;
        if event.submission_id != 0 {
            let queue = u32::try_from(event.queue).unwrap_or(u32::MAX);
            let submission = Submission { submission_id: event.submission_id, queue };
            if self.first_submission.submission_id == 0 {
                self.first_submission = submission;
            }
            self.last_submission = submission;
        }
        if self.backing_id == 0 {
            self.backing_id = event.backing_id;
        }
        self.is_externally_owned |= event.is_externally_owned();
        self.memory_type |= event.memory_type;
        self.buffer_usage |= event.buffer_usage;
        self.events += 1;
        self.waits += u64::from(change.is(Step::Wait));
        self.materializes += u64::from(change.is(Step::Materialize));
        change.apply(&mut self.lifecycle, &mut self.materialized)
    }

    /// Returns the time from the first event to the last; 0 if the last is earlier.
    pub fn duration_ns(&self) -> i64 {
        let (first, last) = (self.first.host_time_ns, self.last.host_time_ns);
        if last >= first { last.wrapping_sub(first) } else { 0 }
    }

    /// Whether bytes are still held after the last event.
    pub(crate) const fn is_open_at_end(&self) -> bool {
        self.lifecycle.holds_bytes() || self.materialized.holds_bytes()
    }
}
