//! Queue operations that waited for semaphores around a call, as far as their times can be compared with those of its dispatches.

use std::collections::BTreeMap;

use base::words::literal;
use report::Row;
use report::text::{counted, duration};

use super::median::MedianCall;
use super::parts::PanelError;
use super::subject::Subject;

/// The clock of submissions.
const HOST: &str = "iree_host_time_ns";

/// Queue operations, by the clock of the host.
const ON_HOST: &str = "(SELECT *, host_time_ns AS submit_ns, ready_host_time_ns AS ready_ns, 0 AS residual_ns FROM queue_events)";

/// The same by the clock of dispatches that the device timed.
const ON_DEVICE: &str = "(SELECT q.*, c.residual_ns, \
c.first_time_ns + CAST(round((q.host_time_ns - c.first_host_time_ns) / c.host_ns_per_ns) AS BIGINT) AS submit_ns, \
c.first_time_ns + CAST(round((q.ready_host_time_ns - c.first_host_time_ns) / c.host_ns_per_ns) AS BIGINT) AS ready_ns \
FROM queue_events AS q JOIN host_clocks AS c ON c.bundle = q.bundle AND c.session_id = q.session_id \
AND c.physical_device_ordinal = q.physical_device_ordinal)";

/// The invocation of a submission, whoever timed its dispatches.
const INVOCATION: &str = "coalesce(\
submission_invocation(bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id), \
submission_invocation(bundle, session_id, 0, physical_device_ordinal, queue_ordinal, stream_id, submission_id))";

/// Waits of a queue that overlap are drawn below each other, up to so many.
const ROWS: usize = 8;

/// A queue operation that waited.
pub struct Wait {
    pub device: u64,
    pub queue: u64,
    /// Which of the queue's rows of waits has room for it.
    pub row: usize,
    /// What it is, and for how many semaphores it waited how long.
    pub title: String,
    /// When it was submitted and when it was ready, since the call began; as far as that is drawn.
    pub drawn: [f64; 2],
}

/// What waited during a call, or before it in one of its submissions.
#[derive(Default)]
pub struct Waits {
    pub drawn: Vec<Wait>,
    /// What there is to say of them.
    pub words: Vec<String>,
    /// The queries for all this.
    pub queries: Vec<String>,
}

impl Waits {
    /// Finds the operations that waited around a call whose dispatches were timed by a clock.
    pub fn of(subject: &Subject<'_>, call: &MedianCall, clock: &str) -> Result<Self, PanelError> {
        let mut waits = Self::default();
        let is_on_host = clock == HOST;
        waits.find(subject, call, if is_on_host { ON_HOST } else { ON_DEVICE })?;
        if !is_on_host && !waits.words.is_empty() {
            waits.tell_error(subject, call)?;
        }
        if !is_on_host || waits.words.is_empty() {
            waits.tell_lack(subject, call, is_on_host)?;
        }
        Ok(waits)
    }

    /// Finds operations. What ended long before the call is not drawn, as the call would be hard to see, and neither is what
    /// waited for less time than the clocks of the host and the device are known to.
    fn find(
        &mut self,
        subject: &Subject<'_>,
        call: &MedianCall,
        source: &str,
    ) -> Result<(), PanelError> {
        let (start, wall, number) = (&call.start_ns, call.wall_ns, call.number);
        let query = format!(
            "SELECT physical_device_ordinal AS device, queue_ordinal AS queue, type, submission_id, wait_count, \
             submit_ns - {start} AS from_ns, ready_ns - {start} AS to_ns, residual_ns FROM {source} \
             WHERE wait_count > 0 AND ready_ns > submit_ns AND bundle = {} \
             AND ((ready_ns > {start} AND submit_ns < {start} + {wall:.0}) OR {INVOCATION} = {number}) ORDER BY from_ns, to_ns",
            literal(&call.bundle)
        );
        let asked = subject.ask(&query)?;
        self.queries.push(query);
        let rows = asked.rows();
        let residual = |row: &Row<'_>| row.number("residual_ns").unwrap_or(0.0);
        let (rows, short): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| length(span(row)) >= residual(row));
        self.tell_short(short.len(), short.iter().map(residual).fold(0.0, f64::max));
        let mut longest: f64 = 0.0;
        let mut ends: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
        for row in &rows {
            let [from, to] = span(row);
            longest = longest.max(to - from);
            let drawn = [from.max(-wall), to.min(wall)];
            if drawn[0] >= drawn[1] {
                continue;
            }
            let semaphores = counted(row.count("wait_count"), "semaphore");
            let (submission, what) = (row.count("submission_id"), row.text("type"));
            let time = duration(to - from);
            let title = format!("submission {submission}, {what}, waits for {semaphores}: {time}");
            let (device, queue) = (row.count("device"), row.count("queue"));
            let row = place(ends.entry((device, queue)).or_default(), drawn);
            self.drawn.push(Wait { device, queue, row, title, drawn });
        }
        if rows.is_empty() {
            return Ok(());
        }
        let all = counted(rows.len() as u64, "queue operation");
        let longest = duration(longest);
        let hidden = match rows.len() - self.drawn.len() {
            0 => String::new(),
            hidden => format!(
                "; {hidden} of them {} not drawn, as that was long before or after the call",
                if hidden == 1 { "is" } else { "are" }
            ),
        };
        self.words.push(format!(
            "{all} waited for semaphores during it or for its dispatches, the longest for {longest}{hidden}."
        ));
        Ok(())
    }

    /// Says how many operations are left out because their place is not known.
    fn tell_short(&mut self, count: usize, residual: f64) {
        if count == 0 {
            return;
        }
        let (all, are) =
            (counted(count as u64, "queue operation"), if count == 1 { "is" } else { "are" });
        let residual = duration(residual);
        self.words.push(format!(
            "{all} that waited for less than {residual} {are} not drawn: when the device's work ran is known on the host's clock only to within that."
        ));
    }

    /// Says how far the clocks may be off at the readings that relate them.
    fn tell_error(&mut self, subject: &Subject<'_>, call: &MedianCall) -> Result<(), PanelError> {
        let query = format!(
            "SELECT greatest(max(r.host_time_end_ns - r.host_time_begin_ns) / 2.0, max(c.residual_ns)) AS error_ns \
             FROM host_clocks AS c \
             JOIN clock_correlations AS r ON r.bundle = c.bundle AND r.session_id = c.session_id \
             AND r.physical_device_ordinal = c.physical_device_ordinal \
             AND (r.sample_id = c.first_sample_id OR r.sample_id = c.last_sample_id) WHERE c.bundle = {}",
            literal(&call.bundle)
        );
        let asked = subject.ask(&query)?;
        self.queries.push(query);
        if let Some(error) = asked.rows().first().and_then(|row| row.number("error_ns")) {
            let error = duration(error);
            self.words.push(format!(
                "The host timed waits; its clock is known with the device's to within {error}."
            ));
        }
        Ok(())
    }

    /// Says why nothing, or not everything, is drawn.
    fn tell_lack(
        &mut self,
        subject: &Subject<'_>,
        call: &MedianCall,
        is_on_host: bool,
    ) -> Result<(), PanelError> {
        let query = format!(
            "SELECT count(*) AS operations, count(*) FILTER (WHERE q.wait_count > 0) AS waiting, \
             count(q.ready_host_time_ns) FILTER (WHERE q.wait_count > 0) AS timed, \
             count(*) FILTER (WHERE q.wait_count > 0 AND c.bundle IS NULL) AS unrelated \
             FROM queue_events AS q LEFT JOIN host_clocks AS c ON c.bundle = q.bundle AND c.session_id = q.session_id \
             AND c.physical_device_ordinal = q.physical_device_ordinal WHERE q.bundle = {}",
            literal(&call.bundle)
        );
        let asked = subject.ask(&query)?;
        self.queries.push(query);
        let rows = asked.rows();
        let Some(row) = rows.first() else { return Ok(()) };
        let [operations, waiting, timed, unrelated] =
            ["operations", "waiting", "timed", "unrelated"].map(|name| row.count(name));
        let said = if operations == 0 {
            "Waits are not drawn: queue operations were not recorded."
        } else if waiting > 0 && timed == 0 {
            "Waits are not drawn: it was not recorded when they ended."
        } else if unrelated > 0 && !is_on_host {
            "The host timed waits; they are not drawn for devices whose clock cannot be related to the host's."
        } else if self.words.is_empty() {
            "No queue operation waited for semaphores during it or for its dispatches."
        } else {
            return Ok(());
        };
        self.words.push(said.to_owned());
        Ok(())
    }
}

/// Returns when an operation was submitted and when it was ready, since the call began.
fn span(row: &Row<'_>) -> [f64; 2] {
    ["from_ns", "to_ns"].map(|name| row.number(name).unwrap_or(0.0))
}

fn length([from, to]: [f64; 2]) -> f64 {
    to - from
}

/// Returns the first row that has room, of rows with these ends; the last one, if there are too many.
fn place(ends: &mut Vec<f64>, [from, to]: [f64; 2]) -> usize {
    let is_free = |end: &f64| *end <= from;
    let row = ends.iter().position(is_free).unwrap_or(ends.len()).min(ROWS - 1);
    match ends.get_mut(row) {
        Some(end) => *end = end.max(to),
        None => ends.push(to),
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_overlap_are_below_each_other() {
        let mut ends = Vec::new();
        let spans = [[0.0, 10.0], [1.0, 4.0], [2.0, 3.0], [4.0, 5.0], [10.0, 11.0], [10.5, 12.0]];
        assert_eq!(spans.map(|span| place(&mut ends, span)), [0, 1, 2, 1, 0, 1]);
        let many = (0..10).map(|_| place(&mut ends, [20.0, 30.0])).collect::<Vec<_>>();
        assert_eq!(many, [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]);
    }
}
