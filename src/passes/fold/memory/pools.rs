//! Finds releases that no event records by the statistics of pools: the host frees the results of calls without an event, but
//! the next event tells how many reservations its pool still has, and of how many bytes.
//!
//! What an event itself reserves or releases is known. If the pool has fewer reservations than before it and that, some were
//! released in between. Of those without a recorded release, the oldest of the missing size is taken. Further, the pool
//! never has more reservations, nor more bytes, than it tells; the oldest ones beyond that were released. Such an end is not
//! later than the event that shows it.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::allocations::{Allocations, End, Link, Moment, ShownBy, Span};
use super::events::Kind;

/// What a pool may add to the size of a reservation: up to a page, or else as much again.
const PAGE: u64 = 4096;

/// The reservations of a pool at a time.
#[derive(Default)]
struct Pool {
    /// Bytes and number of all, by the latest statistics and the events since; `None` before the first.
    all: Option<[i128; 2]>,
    /// Those whose release is recorded later.
    held: [i128; 2],
    /// The indices and sizes of those without a recorded release, the oldest first.
    open: VecDeque<(usize, u64)>,
    open_bytes: i128,
}

/// Ends the spans whose release the statistics of their pools show, and marks those that have statistics.
pub fn watch(moments: &[Moment], links: &[Link], found: &mut Allocations) {
    let mut pools: HashMap<[u64; 3], Pool, FixedState> = HashMap::default();
    for (moment, link) in moments.iter().zip(links) {
        let pool = pools.entry(moment.pool()).or_default();
        let mut own = None;
        if let Some((Kind::PoolReservation, opens)) = moment.change() {
            let size = moment.event.length;
            pool.add(size, if opens { 1 } else { -1 });
            let of = |nth: usize| found.spans.get(nth);
            match *link {
                Link::Begins(nth) if of(nth).is_some_and(|span| span.end.is_none()) => {
                    own = Some((nth, size));
                }
                Link::Begins(_) => pool.hold(size, 1),
                Link::Ends(nth) => pool.hold(of(nth).map_or(0, |span| span.begin.event.length), -1),
                Link::None => {}
            }
        }
        for nth in moment.stats.map(|stats| pool.compare(stats, own)).unwrap_or_default() {
            if let Some(span) = found.spans.get_mut(nth) {
                span.end = Some(End::at(moment, ShownBy::PoolStatistics));
            }
        }
        if let Some((nth, size)) = own {
            pool.open(nth, size);
        }
    }
    pools.retain(|_, pool| pool.all.is_some());
    for span in &mut found.spans {
        span.is_watched = pools.contains_key(&span.begin.pool());
    }
    end_queue_allocations(found);
}

/// Ends the queue allocations without a recorded release with the reservations that back them: those of their pool and id.
fn end_queue_allocations(found: &mut Allocations) {
    let id = |span: &Span| (span.begin.pool(), span.begin.event.allocation_id);
    let reserved: HashMap<_, Option<End>, FixedState> =
        of_kind(found, Kind::PoolReservation).map(|(_, span)| (id(span), span.end)).collect();
    for span in found.spans.iter_mut().filter(|span| span.kind == Kind::QueueAllocation) {
        let reservation = reserved.get(&id(span)).copied();
        let is_later = |end: &End| end.host_time_ns >= span.begin.host_time_ns();
        let shown = || {
            let end = reservation.flatten().filter(is_later)?;
            let is_release = end.shown_by == ShownBy::Release;
            Some(if is_release { End { shown_by: ShownBy::Reservation, ..end } } else { end })
        };
        span.end = span.end.or_else(shown);
        span.is_watched = span.is_watched && reservation.is_some();
    }
}

fn of_kind(found: &Allocations, kind: Kind) -> impl Iterator<Item = (usize, &Span)> {
    found.spans.iter().enumerate().filter(move |(_, span)| span.kind == kind)
}

impl Pool {
    /// Adds a reservation without a recorded release.
    fn open(&mut self, nth: usize, size: u64) {
        self.open.push_back((nth, size));
        self.open_bytes += i128::from(size);
    }

    /// Counts a reservation (1) or a release (-1) among all.
    fn add(&mut self, size: u64, count: i128) {
        if let Some([bytes, number]) = &mut self.all {
            *bytes += count * i128::from(size);
            *number += count;
        }
    }

    /// Counts a reservation (1) or a release (-1) among those whose release is recorded.
    fn hold(&mut self, size: u64, count: i128) {
        let [bytes, number] = &mut self.held;
        *bytes += count * i128::from(size);
        *number += count;
    }

    /// Compares with the statistics of the pool after an event, which made a reservation of its own or not. Returns the
    /// reservations that were released without an event.
    fn compare(&mut self, stats: [u64; 2], own: Option<(usize, u64)>) -> Vec<usize> {
        let now = stats.map(i128::from);
        let mut released = Vec::new();
        if let Some([bytes, number]) = self.all {
            let mut missing = bytes - now[0];
            for _ in 0..(number - now[1]).max(0) {
                let Some((nth, size)) = self.take(missing) else { break };
                missing -= i128::from(size);
                released.push(nth);
            }
        }
        self.all = Some(now);
        let [bytes, number] = self.held;
        let own = own.map_or([0, 0], |(_, size)| [i128::from(size), 1]);
        let most = [now[0] - bytes - own[0], now[1] - number - own[1]].map(|most| most.max(0));
        while self.open_bytes > most[0] || self.count() > most[1] {
            let Some((nth, size)) = self.open.pop_front() else { break };
            self.open_bytes -= i128::from(size);
            released.push(nth);
        }
        released
    }

    /// Returns the number of reservations without a recorded release.
    fn count(&self) -> i128 {
        i128::try_from(self.open.len()).unwrap_or(i128::MAX)
    }

    /// Takes the oldest reservation that `missing` bytes may be, or be part of.
    fn take(&mut self, missing: i128) -> Option<(usize, u64)> {
        let fits = |(_, size): &(usize, u64)| {
            let more = missing - i128::from(*size);
            (0..=i128::from(PAGE.max(*size))).contains(&more)
        };
        let exact = self.open.iter().position(|(_, size)| i128::from(*size) == missing);
        let taken = self.open.remove(exact.or_else(|| self.open.iter().position(fits))?)?;
        self.open_bytes -= i128::from(taken.1);
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reserves and compares: the size of each reservation, and the pool's bytes and number after it.
    fn released(steps: &[(u64, [u64; 2])]) -> Vec<Vec<usize>> {
        let mut pool = Pool::default();
        let step = |(nth, (size, stats)): (usize, &(u64, [u64; 2]))| {
            pool.add(*size, 1);
            let released = pool.compare(*stats, Some((nth, *size)));
            pool.open(nth, *size);
            released
        };
        steps.iter().enumerate().map(step).collect()
    }

    #[test]
    fn a_pool_that_has_one_reservation_has_lost_those_before() {
        let steps = [(16, [16, 1]), (16, [16, 1]), (16, [16, 1])];
        assert_eq!(released(&steps), [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn what_was_reserved_before_the_capture_does_not_hide_a_release() {
        let steps = [(16, [9016, 5]), (32, [9032, 5]), (32, [9064, 6]), (8, [72, 3])];
        assert_eq!(released(&steps), [vec![], vec![0], vec![], vec![]]);
    }

    #[test]
    fn of_several_the_one_of_the_missing_size_was_released() {
        let steps = [(16, [16, 1]), (64, [80, 2]), (16, [32, 2])];
        assert_eq!(released(&steps), [vec![], vec![], vec![1]]);
    }

    #[test]
    fn a_pool_rounds_sizes_up() {
        assert_eq!(released(&[(4, [64, 1]), (4, [64, 1])]), [vec![], vec![0]]);
    }
}
