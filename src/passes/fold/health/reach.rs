//! Tells how far each family reaches whose records a producer dropped: up to which submission, and up to which call.
//!
//! A producer that is full drops new records until it is flushed, so a family is whole up to the first chunk that says that
//! records were dropped. Other families may go on.

use std::collections::BTreeMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::clocks::correlations::read_clocks;
use crate::fold::dispatches::best_clock::BestClocks;
use crate::fold::dispatches::{OnDevice, OnHost, Timed};
use crate::fold::health::chunks::{ByTable, Chunks};
use crate::fold::invocations::invocation::Invocations;
use crate::fold::shared::blocks;

/// The families whose records have submissions.
const SUBMISSIONS: [Places<1>; 6] = [
    Places::new("dispatch_events", ["submission_id"]),
    Places::new("queue_events", ["submission_id"]),
    Places::new("queue_device_events", ["submission_id"]),
    Places::new("host_execution_events", ["submission_id"]),
    Places::new("memory_events", ["submission_id"]),
    Places::new("command_region_events", ["submission_id"]),
];

/// How far a family reaches in a session.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    pub session_id: u64,
    pub table: &'static str,
    /// The last submission before records were dropped.
    pub submission: u64,
    /// Number of calls up to there, and of all calls with recorded dispatches.
    pub calls: [u64; 2],
}

/// Returns the reach of each family that lost records.
pub fn reaches(bundle: &Arc<Bundle>, chunks: &ByTable) -> Result<Vec<Reach>, BundleError> {
    let is_lossy = |table| chunks.get(&Some(table)).is_some_and(Chunks::is_lossy);
    let lossy: Vec<&Places<1>> =
        SUBMISSIONS.iter().filter(|places| is_lossy(places.table)).collect();
    if lossy.is_empty() {
        return Ok(Vec::new());
    }
    // The last submission, and whether records were dropped after it.
    let mut found: BTreeMap<(u64, &'static str), (u64, bool)> = BTreeMap::new();
    let tables: Vec<&str> = lossy.iter().map(|places| places.table).collect();
    let mut is_read = false;
    blocks(bundle, &tables, |block| {
        let Some(places) = lossy.get(block.table) else { return Ok(()) };
        let (last, has_ended) = found.entry((block.header.session_id, places.table)).or_default();
        if block.starts_chunk {
            is_read = !*has_ended;
            *has_ended |= block.header.is_truncated;
        }
        if is_read {
            let submissions = block.rows().map(|row| row.numbers(places)[0]);
            *last = submissions.fold(*last, u64::max);
        }
        Ok(())
    })?;
    let calls = calls(bundle)?;
    let reach = |((session_id, table), (submission, has_ended)): (_, (u64, bool))| {
        let of_session = || calls.iter().filter(|(session, _)| *session == session_id);
        let before = of_session().filter(|(_, last)| *last <= submission).count() as u64;
        let calls = [before, of_session().count() as u64];
        has_ended.then_some(Reach { session_id, table, submission, calls })
    };
    Ok(found.into_iter().filter_map(reach).collect())
}

/// Returns the sessions of each call, and its last submission in each.
fn calls(bundle: &Arc<Bundle>) -> Result<Vec<(u64, u64)>, BundleError> {
    let clocks = read_clocks(bundle)?;
    let best = BestClocks::read(bundle, &clocks)?;
    let invocations = Invocations::read(bundle, &clocks, &best, None)?;
    let mut calls: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    let mut add = |key: [u64; 6]| {
        if let Some(nth) = invocations.index(key) {
            let last = calls.entry((nth, key[0])).or_default();
            *last = key[5].max(*last);
        }
    };
    OnDevice::each(bundle, |key, _| add(key))?;
    OnHost::each(bundle, |key, _| add(key))?;
    Ok(calls.into_iter().map(|((_, session), last)| (session, last)).collect())
}
