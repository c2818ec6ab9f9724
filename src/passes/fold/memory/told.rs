//! What pools tell of themselves in the events: the most bytes that they had reserved at one time, with those of before the
//! capture, such as weights.

use super::events::{Event, Kind, Step};
use crate::fold::shared::{Grouped, HeapBytes};

/// What one pool, or all pools of a device together, tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told {
    /// Reserved bytes before the first event.
    before: i128,
    /// By how much that has changed, and the maximum of it.
    change: i128,
    most: i128,
}

/// The pools that tell what they have reserved.
#[derive(Debug, Default)]
pub struct PoolTotals {
    /// By session, device and pool.
    pools: Grouped<3, Told>,
    /// By session and device.
    devices: Grouped<2, Told>,
}

impl Told {
    /// Returns the most reserved bytes at one time; `None` if they exceed 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        u64::try_from(self.before + self.most).ok()
    }

    /// Returns the reserved bytes of before the capture; `None` if they exceed 64 bits.
    pub fn before(&self) -> Option<u64> {
        u64::try_from(self.before).ok()
    }

    /// Adds bytes of before the capture, and a change since then.
    fn add(&mut self, before: i128, change: i128) {
        self.before += before;
        self.change += change;
        self.most = self.most.max(self.change);
    }
}

impl PoolTotals {
    /// Adds the bytes and the number of all reservations of its pool after an event of a session.
    pub fn add(&mut self, session: u64, event: &Event, stats: [u64; 2]) {
        let key = [session, event.device, event.pool_id];
        let is_new = self.pools.find(key).is_none();
        let Some(pool) = self.pools.at(key) else { return };
        let before = if is_new { before(event, stats) } else { 0 };
        let change = i128::from(stats[0]) - before - pool.before - pool.change;
        pool.add(before, change);
        if let Some(device) = self.devices.at([session, event.device]) {
            device.add(before, change);
        }
    }

    /// Returns what a pool tells, given with its session and device; `None` if it tells nothing.
    pub fn pool(&self, key: [u64; 3]) -> Option<&Told> {
        self.pools.find(key)
    }

    /// Returns what all pools of a device tell in a session; `None` if none tells anything.
    pub fn device(&self, key: [u64; 2]) -> Option<&Told> {
        self.devices.find(key)
    }

    /// Iterates over the devices, by session.
    pub fn devices(&self) -> impl Iterator<Item = (&[u64; 2], &Told)> {
        self.devices.iter()
    }
}

impl HeapBytes for PoolTotals {
    fn heap_bytes(&self) -> usize {
        self.pools.heap_bytes() + self.devices.heap_bytes()
    }
}

/// Returns the bytes that a pool had reserved before its first event, which may make or release a reservation itself.
fn before(event: &Event, [bytes, count]: [u64; 2]) -> i128 {
    let (bytes, own) = (i128::from(bytes), i128::from(event.length));
    let reserves = event.is_of_reservation();
    match event.step() {
        // A pool may round its own reservation up.
        Some((Kind::PoolReservation, Step::Open)) if reserves && count <= 1 => 0,
        Some((Kind::PoolReservation, Step::Open)) if reserves => (bytes - own).max(0),
        Some((Kind::PoolReservation, Step::Close)) => bytes + own,
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u64, pool_id: u64, length: u64) -> Event {
        Event {
            kind,
            flags: 1 << 3,
            id: 0,
            host_time_ns: 0,
            allocation_id: 1,
            pool_id,
            backing_id: 0,
            submission_id: 0,
            device: 0,
            queue: 0,
            memory_type: 0,
            buffer_usage: 0,
            length,
        }
    }

    const RESERVE: u64 = 3;
    const RELEASE: u64 = 5;

    #[test]
    fn what_pools_held_before_the_capture_counts_from_its_start() {
        let mut totals = PoolTotals::default();
        totals.add(1, &event(RESERVE, 7, 100), [128, 1]);
        totals.add(1, &event(RELEASE, 7, 100), [0, 0]);
        // This one held 1000 bytes all along.
        totals.add(1, &event(RESERVE, 8, 16), [1016, 3]);
        let told = |told: Option<&Told>| told.map(|told| (told.bytes(), told.before()));
        assert_eq!(told(totals.pool([1, 0, 7])), Some((Some(128), Some(0))));
        assert_eq!(told(totals.pool([1, 0, 8])), Some((Some(1016), Some(1000))));
        assert_eq!(told(totals.device([1, 0])), Some((Some(1128), Some(1000))));
        assert_eq!(told(totals.device([2, 0])), None);
    }

    #[test]
    fn a_first_event_may_release() {
        let mut totals = PoolTotals::default();
        totals.add(1, &event(RELEASE, 7, 100), [400, 2]);
        let told = totals.device([1, 0]).map(|told| (told.bytes(), told.before()));
        assert_eq!(told, Some((Some(500), Some(500))));
    }
}
