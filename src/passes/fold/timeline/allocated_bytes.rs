//! Computes the counters of memory: the running sum of allocated bytes on each queue, after each queue allocation and its
//! release, and the reserved bytes of each pool, as it tells itself.

use read::bundle::BundleError;

use crate::fold::memory::allocations::{Allocations, Moment};
use crate::fold::memory::events::Step;
use crate::fold::memory::{Kind, spans};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Groups, Relation};
use crate::fold::timeline::paths::{ALLOCATED, pool_path, queue_path};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "allocated_bytes",
    "Total bytes of queue allocations on a queue after each event that allocates, releases or shows a release, and the reserved bytes of a pool after each reservation and release, as it tells itself; in file order.",
    || columns().fields(),
)];

/// A value of a counter.
struct Change {
    track: usize,
    host_time_ns: i64,
    byte_offset: u64,
    /// At first the change in bytes; after [`Changes::sum`] the bytes allocated after it.
    bytes: i128,
}

#[derive(Default)]
struct Changes {
    /// In file order.
    all: Vec<Change>,
    /// Track numbers by device, queue and pool; 0 is no pool.
    tracks: Groups<3>,
}

/// A change, and the path of its track.
type Row<'a> = (&'a Change, &'a str);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let moments = spans::moments(call)?;
    let mut changes = Changes::of(&spans::found(call, &moments)?);
    changes.sum();
    changes.add_pools(&moments);
    changes.all.sort_by_key(|change| change.byte_offset);
    let paths: Vec<String> = changes.tracks.keys().iter().map(path).collect();
    let rows: Vec<Row<'_>> = changes
        .all
        .iter()
        .filter_map(|change| Some((change, paths.get(change.track)?.as_str())))
        .collect();
    Ok(vec![columns().relation(&rows)])
}

/// Returns the path of a track.
fn path([device, queue, pool]: &[u64; 3]) -> String {
    if *pool != 0 {
        return pool_path(*device, *pool);
    }
    let queue = Some(*queue).filter(|queue| *queue != ABSENT);
    format!("{}/{ALLOCATED}", queue_path(*device, queue))
}

#[expect(clippy::cast_precision_loss, reason = "another column has the exact numbers")]
fn columns<'a>() -> Columns<Row<'a>> {
    Columns::<Row<'_>>::new()
        .text("track", |(_, track)| track)
        .signed("time_ns", |(change, _)| change.host_time_ns)
        .float("value", |(change, _)| change.bytes as f64)
        .optional_signed("whole_value", |(change, _)| i64::try_from(change.bytes).ok())
        .number("byte_offset", |(change, _)| change.byte_offset)
}

/// Returns the device of an event. Events without a device belong to device 0, as in `iree-profile-render`.
const fn device_of(device: u64) -> u64 {
    if device == ABSENT { 0 } else { device }
}

impl Changes {
    fn of(found: &Allocations) -> Self {
        let mut changes = Self::default();
        for span in found.spans.iter().filter(|span| span.kind == Kind::QueueAllocation) {
            let event = &span.begin.event;
            let track = changes.tracks.number([device_of(event.device), event.queue, 0]);
            let bytes = i128::from(event.length);
            let begin = (event.host_time_ns, span.begin.byte_offset, bytes);
            let end = span.end.map(|end| (end.host_time_ns, end.byte_offset, -bytes));
            let each = [Some(begin), end].into_iter().flatten();
            changes.all.extend(each.map(|(host_time_ns, byte_offset, bytes)| Change {
                track,
                host_time_ns,
                byte_offset,
                bytes,
            }));
        }
        changes
    }

    /// Replaces each change by the running sum of its queue, in order of time. What an event shows to be released comes
    /// before what it allocates.
    fn sum(&mut self) {
        self.all.sort_by_key(|it| (it.host_time_ns, it.byte_offset, it.bytes > 0));
        let mut totals = vec![0; self.tracks.len()];
        for change in &mut self.all {
            if let Some(total) = totals.get_mut(change.track) {
                *total += change.bytes;
                change.bytes = *total;
            }
        }
    }

    /// Adds what pools tell after reservations and releases.
    fn add_pools(&mut self, moments: &[Moment]) {
        for moment in moments {
            let event = &moment.event;
            let is_change =
                matches!(event.step(), Some((Kind::PoolReservation, Step::Open | Step::Close)));
            let Some([bytes, _]) = moment.stats.filter(|_| is_change) else { continue };
            let track = [device_of(event.device), ABSENT, event.pool_id];
            self.all.push(Change {
                track: self.tracks.number(track),
                host_time_ns: event.host_time_ns,
                byte_offset: moment.byte_offset,
                bytes: i128::from(bytes),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(changes: &[(u64, i64, i128)]) -> Vec<i128> {
        let mut tracks = Groups::default();
        let each = changes.iter().zip(0..);
        let all = each.map(|((queue, host_time_ns, bytes), byte_offset)| Change {
            track: tracks.number([0, *queue, 0]),
            host_time_ns: *host_time_ns,
            byte_offset,
            bytes: *bytes,
        });
        let mut changes = Changes { all: all.collect(), tracks };
        changes.sum();
        changes.all.sort_by_key(|change| change.byte_offset);
        changes.all.iter().map(|change| change.bytes).collect()
    }

    #[test]
    fn time_decides_and_then_the_file_and_queues_are_apart() {
        assert_eq!(held(&[(0, 9, 1), (1, 5, 7), (0, 3, 2), (0, 9, -3)]), [3, 7, 2, 0]);
    }
}
