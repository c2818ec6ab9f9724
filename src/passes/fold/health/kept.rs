//! Measures how long producers kept records before they dropped some.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::shared::blocks;

/// The families with times of the host that producers drop records of.
const TIMES: [Places<1>; 4] = [
    Places::new("queue_events", ["host_time_ns"]),
    Places::new("memory_events", ["host_time_ns"]),
    Places::new("host_execution_events", ["start_host_time_ns"]),
    Places::new("command_region_events", ["start_host_time_ns"]),
];

/// Returns the shortest time that the records of a truncated chunk cover, in nanoseconds: what is kept is what was recorded
/// before the first one was dropped. `None` if no chunk with times is truncated.
pub fn shortest_kept_ns(bundle: &Arc<Bundle>) -> Result<Option<u64>, BundleError> {
    if !bundle.directory.entries.iter().any(|entry| entry.is_lossy) {
        return Ok(None);
    }
    // First and last time of each truncated chunk.
    let mut kept: Vec<[u64; 2]> = Vec::new();
    blocks(bundle, &TIMES.map(|places| places.table), |block| {
        let Some(places) = TIMES.get(block.table).filter(|_| block.header.is_truncated) else {
            return Ok(());
        };
        if block.starts_chunk {
            kept.push([u64::MAX, 0]);
        }
        let Some([first, last]) = kept.last_mut() else { return Ok(()) };
        for row in block.rows() {
            let [time] = row.numbers(places);
            (*first, *last) = (time.min(*first), time.max(*last));
        }
        Ok(())
    })?;
    Ok(kept.into_iter().filter_map(|[first, last]| last.checked_sub(first)).min())
}
