//! Reads the valid dispatches of each invocation, with the queue operation of each.

use schemas::place::Places;

use crate::bundle::BundleError;
use crate::fold::clocks::{Clock, Clocks, Line, read_clocks};
use crate::fold::critical_path::chain::{Dispatch, Request};
use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::pass::Call;
use crate::fold::shared::{Grouped, blocks};

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

/// Returns the dispatches of each invocation.
pub fn read(call: &Call<'_>) -> Result<Vec<Vec<Dispatch>>, BundleError> {
    let (requests, clocks) = (requests(call)?, read_clocks(call.bundle)?);
    let mut found = vec![Vec::new(); call.invocations.all.len()];
    add::<OnDevice>(call, &requests, &clocks, &mut found)?;
    add::<OnHost>(call, &requests, &clocks, &mut found)?;
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
    requests: &Requests,
    clocks: &Clocks,
    found: &mut [Vec<Dispatch>],
) -> Result<(), BundleError> {
    // Dispatches of one submission are adjacent.
    let mut last: Option<([u64; 6], Of)> = None;
    T::chunks(call.bundle).each(|block| {
        block.each_row(T::IDS.layout, |row| {
            let event = T::event(row);
            if !T::is_dispatch(row) || !T::is_valid(&event) {
                return Ok(());
            }
            let (queue, session) = (T::queue(block, row), block.header.session_id);
            let ([device, ordinal, stream], submission_id) = (queue, T::ids(row).submission_id);
            let on_device = u64::from(T::ON_DEVICE);
            let key = [session, on_device, device, ordinal, stream, submission_id];
            let of = match last {
                Some((known, of)) if known == key => of,
                _ => Of {
                    invocation: call.invocations.index(key),
                    request: requests
                        .find([session, device, ordinal, stream, submission_id])
                        .copied()
                        .unwrap_or_default(),
                    line: clocks.get(&device).and_then(Clock::host_line),
                },
            };
            last = Some((key, of));
            if let Some(dispatches) = of.invocation.and_then(|nth| found.get_mut(nth)) {
                dispatches.push(Dispatch {
                    queue,
                    submission_id,
                    function: T::function(row),
                    byte_offset: row.byte_offset,
                    start: event.start,
                    end: event.end,
                    host_end_ns: if T::ON_DEVICE {
                        of.line.and_then(|line| line.time_ns(event.end))
                    } else {
                        Some(event.end.cast_signed())
                    },
                    request: of.request,
                });
            }
            Ok(())
        })
    })
}

/// What the dispatches of a submission have in common.
#[derive(Clone, Copy)]
struct Of {
    invocation: Option<usize>,
    request: Request,
    line: Option<Line>,
}
