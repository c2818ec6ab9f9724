//! Reads the valid dispatches of each invocation, with the queue operation of each.

use std::collections::BTreeMap;

use read::bundle::BundleError;
use schemas::place::Places;

use crate::fold::clocks::{Clock, Clocks, Residuals, read_clocks};
use crate::fold::critical_path::chain::{Dispatch, HostClock, Request, Submission, Submissions};
use crate::fold::dispatches::rows::{OnDevice, OnHost, SubmissionKey, Timed};
use crate::fold::pass::Call;
use crate::fold::shared::{Grouped, Groups, blocks};

const OPERATION: Places<7> = Places::new(
    "queue_events",
    [
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "submission_id",
        "wait_count",
        "host_time_ns",
        "ready_host_time_ns",
    ],
);

/// By session, device, queue, stream and submission.
type Requests = Grouped<5, Request>;

/// What is known of submissions and devices.
struct Known {
    requests: Requests,
    clocks: Clocks,
    residuals: Residuals,
}

impl Known {
    /// Returns the clock of dispatches that a device timed.
    fn clock(&self, session: u64, device: u64) -> HostClock {
        let line = self.clocks.get(&[session, device]).and_then(Clock::host_line);
        HostClock::Fit { line, residual_ns: self.residuals.of_line(session, device) }
    }
}

/// Session, whether the device recorded the times, device, and index of the invocation.
pub type PathKey = [u64; 4];

/// The valid dispatches of each invocation on each device.
#[derive(Default)]
pub struct Dispatches {
    pub paths: BTreeMap<PathKey, Vec<Dispatch>>,
    pub submissions: Submissions,
    /// Executable and ordinal of each function.
    pub functions: Groups<2>,
}

/// Reads the dispatches.
pub fn read(call: &Call<'_>) -> Result<Dispatches, BundleError> {
    let (requests, clocks) = (requests(call)?, read_clocks(call.bundle)?);
    let known = Known { requests, residuals: Residuals::read(call.bundle, &clocks)?, clocks };
    let mut found = Dispatches::default();
    add::<OnDevice>(call, &known, &mut found)?;
    add::<OnHost>(call, &known, &mut found)?;
    Ok(found)
}

fn requests(call: &Call<'_>) -> Result<Requests, BundleError> {
    let mut requests = Requests::default();
    blocks(call.bundle, &[OPERATION.table], |block| {
        for row in block.rows() {
            let [device, queue, stream, submission, waits, submit, ready] = row.numbers(&OPERATION);
            let key = [block.header.session_id, device, queue, stream, submission];
            let Some(request) = requests.at(key) else { continue };
            let [submit, ready] = [submit, ready].map(u64::cast_signed);
            request.waits |= waits > 0;
            request.submit_ns = Some(request.submit_ns.map_or(submit, |known| known.min(submit)));
            // 0 means that it was not recorded.
            request.ready_ns = request.ready_ns.max(Some(ready).filter(|ready| *ready != 0));
        }
        Ok(())
    })?;
    Ok(requests)
}

fn add<T: Timed>(
    call: &Call<'_>,
    known: &Known,
    found: &mut Dispatches,
) -> Result<(), BundleError> {
    // Dispatches of one submission are adjacent.
    let mut last: Option<(SubmissionKey, Option<PathKey>, u32)> = None;
    T::each(call.bundle, |key, row| {
        let event = T::event(row);
        if !T::is_valid(&event) {
            return;
        }
        let (path, submission) = match last {
            Some((same, path, submission)) if same == key => (path, submission),
            _ => {
                let [session, on_device, device, ordinal, stream, id] = key;
                let queue = [device, ordinal, stream];
                let request = known.requests.find([session, device, ordinal, stream, id]).copied();
                let request = request.unwrap_or_default();
                let clock =
                    if T::ON_DEVICE { known.clock(session, device) } else { HostClock::Same };
                let submissions = &mut found.submissions;
                let clock = index_of(&mut submissions.clocks, clock);
                submissions.all.push(Submission { queue, id, request, clock });
                let path = call.invocations.index(key);
                let path = path.map(|nth| [session, on_device, device, nth as u64]);
                (path, number(submissions.all.len() - 1))
            }
        };
        last = Some((key, path, submission));
        if let Some(path) = path {
            found.paths.entry(path).or_default().push(Dispatch {
                submission,
                function: number(found.functions.number(T::function(row))),
                byte_offset: row.byte_offset,
                start: event.start,
                end: event.end,
            });
        }
    })
}

/// Returns the index of a clock, of which there are few.
fn index_of(clocks: &mut Vec<HostClock>, clock: HostClock) -> u32 {
    let known = clocks.iter().position(|known| *known == clock);
    number(known.unwrap_or_else(|| {
        clocks.push(clock);
        clocks.len() - 1
    }))
}

/// Narrows an index. A file with more dispatches, of at least 100 bytes each, does not fit into memory.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
