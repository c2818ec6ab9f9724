//! Follows the dispatches of an invocation back from the last one to end, each to the one that released it.
//!
//! Records do not name semaphores, so the predecessor is inferred: of the dispatches that can have released a dispatch
//! and ended before it started, the one that ended last. The dispatches before it on its queue can; those of other
//! queues can if its submission had waits and they ended before it became ready. Where that depends on less than the clocks of
//! the device and the host are known to, the reason is unknown.

use std::collections::BTreeMap;

use crate::fold::clocks::Line;

/// A dispatch with valid times. There may be millions, so what they have in common is kept elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    /// Index of its submission.
    pub submission: u32,
    /// Number of its function.
    pub function: u32,
    pub byte_offset: u64,
    /// Ticks of the device, or nanoseconds of the host.
    pub start: u64,
    pub end: u64,
}

/// What the dispatches of a submission have in common.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    /// Device, ordinal and stream.
    pub queue: [u64; 3],
    pub id: u64,
    pub request: Request,
    /// Index of the clock of its dispatches.
    pub clock: u32,
}

/// The submissions of a bundle.
#[derive(Debug, Default)]
pub struct Submissions {
    pub all: Vec<Submission>,
    pub clocks: Vec<HostClock>,
}

impl Submissions {
    pub fn of(&self, dispatch: &Dispatch) -> Option<&Submission> {
        self.all.get(dispatch.submission as usize)
    }

    fn clock(&self, dispatch: &Dispatch) -> Option<&HostClock> {
        self.clocks.get(self.of(dispatch)?.clock as usize)
    }

    /// Returns the end of a dispatch in nanoseconds of the host, if it can be converted.
    fn host_end_ns(&self, dispatch: &Dispatch) -> Option<i64> {
        self.clock(dispatch)?.time_ns(dispatch.end)
    }

    /// Returns what times of a dispatch may be off on the host's clock, in nanoseconds.
    fn residual_ns(&self, dispatch: &Dispatch) -> i64 {
        match self.clock(dispatch) {
            Some(HostClock::Fit { residual_ns, .. }) => *residual_ns,
            Some(HostClock::Same) | None => 0,
        }
    }
}

/// How times of dispatches are converted to nanoseconds of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostClock {
    /// They are such times.
    Same,
    /// By the device's fit, if it has one, which may be off by so much.
    Fit { line: Option<Line>, residual_ns: i64 },
}

impl HostClock {
    fn time_ns(&self, time: u64) -> Option<i64> {
        match self {
            Self::Same => Some(time.cast_signed()),
            Self::Fit { line, .. } => line.and_then(|line| line.time_ns(time)),
        }
    }
}

/// What the queue operation of a submission says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Request {
    pub waits: bool,
    pub submit_ns: Option<i64>,
    pub ready_ns: Option<i64>,
}

/// What a dispatch waited for last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is the first of the path.
    First,
    /// The dispatch before it in the same submission.
    Submission,
    /// The dispatch before it on the same queue.
    Queue,
    /// A dispatch on another queue.
    Wait,
    /// The host, which submitted it after the dispatch before it had ended.
    Host,
    /// One of these, which the clocks do not tell apart.
    Unknown,
}

impl Reason {
    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Submission => "submission",
            Self::Queue => "queue",
            Self::Wait => "wait",
            Self::Host => "host",
            Self::Unknown => "unknown",
        }
    }
}

/// A dispatch of a path.
#[derive(Debug)]
pub struct Step {
    pub dispatch: Dispatch,
    /// Time since the end of the step before.
    pub wait: u64,
    pub reason: Reason,
}

/// Returns the steps of the critical path of `dispatches`, the first one first.
pub fn chain(mut dispatches: Vec<Dispatch>, submissions: &Submissions) -> Vec<Step> {
    dispatches.sort_by_key(|dispatch| (dispatch.end, dispatch.start, dispatch.byte_offset));
    let mut queues: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    for (nth, dispatch) in dispatches.iter().enumerate() {
        if let Some(submission) = submissions.of(dispatch) {
            queues.entry(submission.queue).or_default().push(nth);
        }
    }
    let ends = Ends { dispatches: &dispatches, submissions, queues };
    let mut steps = Vec::new();
    let mut next = dispatches.len().checked_sub(1);
    while let Some(nth) = next
        && let Some(dispatch) = dispatches.get(nth)
    {
        let released_by = ends.released_by(nth, dispatch);
        let (wait, reason) = released_by.map_or((0, Reason::First), |(before, reason)| {
            let end = dispatches.get(before).map_or(dispatch.start, |before| before.end);
            (dispatch.start.saturating_sub(end), reason)
        });
        steps.push(Step { dispatch: *dispatch, wait, reason });
        next = released_by.map(|(before, _)| before);
    }
    steps.reverse();
    steps
}

/// The dispatches by end, and their indices by queue.
struct Ends<'a> {
    dispatches: &'a [Dispatch],
    submissions: &'a Submissions,
    queues: BTreeMap<[u64; 3], Vec<usize>>,
}

impl Ends<'_> {
    /// Returns the index of the dispatch that released the `nth`, and how. What is not the same if the device's times are early
    /// or late on the host's clock is unknown.
    fn released_by(&self, nth: usize, dispatch: &Dispatch) -> Option<(usize, Reason)> {
        let likely = self.released_by_if(nth, dispatch, 0)?;
        let residual = self.submissions.residual_ns(dispatch);
        let is_certain = residual == 0
            || [-residual, residual]
                .into_iter()
                .all(|late_ns| self.released_by_if(nth, dispatch, late_ns) == Some(likely));
        let (before, reason) = likely;
        Some((before, if is_certain { reason } else { Reason::Unknown }))
    }

    /// Returns the same if the device's times are so late on the host's clock.
    fn released_by_if(
        &self,
        nth: usize,
        dispatch: &Dispatch,
        late_ns: i64,
    ) -> Option<(usize, Reason)> {
        let end_ns =
            |before: &Dispatch| Some(self.submissions.host_end_ns(before)?.saturating_sub(late_ns));
        let submission = self.submissions.of(dispatch)?;
        let on_queue = self
            .queues
            .get(&submission.queue)
            .and_then(|queue| self.last(queue, nth, |before| before.end <= dispatch.start));
        if let Some((before, found)) = on_queue
            && self.submissions.of(found).is_some_and(|before| before.id == submission.id)
        {
            return Some((before, Reason::Submission));
        }
        let Request { waits, submit_ns, ready_ns } = submission.request;
        let is_before_ready =
            |end: Option<i64>| ready_ns.zip(end).is_none_or(|(ready, end)| end <= ready);
        let others = self.queues.iter().filter(|(queue, _)| waits && **queue != submission.queue);
        let elsewhere = others
            .filter_map(|(_, queue)| {
                self.last(queue, nth, |before| {
                    before.end <= dispatch.start && is_before_ready(end_ns(before))
                })
            })
            .max_by_key(|(_, found)| found.end);
        let (before, found, reason) = match (on_queue, elsewhere) {
            (Some((_, queue)), Some((before, other))) if other.end > queue.end => {
                (before, other, Reason::Wait)
            }
            (None, Some((before, other))) => (before, other, Reason::Wait),
            (Some((before, queue)), _) => (before, queue, Reason::Queue),
            (None, None) => return None,
        };
        let is_late = submit_ns.zip(end_ns(found)).is_some_and(|(submit, end)| submit >= end);
        Some((before, if is_late { Reason::Host } else { reason }))
    }

    /// Returns the last dispatch of a queue before the `nth` of all that satisfies a condition; those that do are at the
    /// front.
    fn last(
        &self,
        queue: &[usize],
        nth: usize,
        condition: impl Fn(&Dispatch) -> bool,
    ) -> Option<(usize, &Dispatch)> {
        let satisfies =
            |index: &usize| *index < nth && self.dispatches.get(*index).is_some_and(&condition);
        let count = queue.partition_point(satisfies);
        let index = *queue.get(count.checked_sub(1)?)?;
        Some((index, self.dispatches.get(index)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Request = Request { waits: false, submit_ns: Some(0), ready_ns: None };

    /// A dispatch in a submission of its own.
    type Alone = (Submission, [u64; 2]);

    fn dispatch(queue: u64, submission: u64, times: [u64; 2], request: Request) -> Alone {
        let queue = [0, queue, 0];
        (Submission { queue, id: submission, request, clock: 0 }, times)
    }

    fn path(alone: &[Alone]) -> Vec<(u64, u64, &'static str)> {
        path_on(alone, HostClock::Same)
    }

    fn path_on(alone: &[Alone], clock: HostClock) -> Vec<(u64, u64, &'static str)> {
        let all = alone.iter().map(|(submission, _)| *submission).collect();
        let submissions = Submissions { all, clocks: vec![clock] };
        let times = (0..).zip(alone).map(|(submission, (_, [start, end]))| Dispatch {
            submission,
            function: 0,
            byte_offset: *start,
            start: *start,
            end: *end,
        });
        let steps = chain(times.collect(), &submissions);
        steps.iter().map(|step| (step.dispatch.start, step.wait, step.reason.name())).collect()
    }

    #[test]
    fn a_path_follows_the_last_end() {
        // The queue 1 works from 20 to 50; the queue 0 continues when it has ended.
        let waits = |ready| Request { waits: true, submit_ns: Some(1), ready_ns: Some(ready) };
        let all = [
            dispatch(0, 1, [10, 20], HOST),
            dispatch(1, 1, [22, 50], waits(21)),
            dispatch(0, 2, [21, 30], HOST),
            dispatch(0, 3, [55, 60], waits(52)),
            dispatch(0, 3, [61, 70], waits(52)),
        ];
        let expected = [(10, 0, "first"), (22, 2, "wait"), (55, 5, "wait"), (61, 1, "submission")];
        assert_eq!(path(&all), expected);
        // What ended after the submission was ready did not release it.
        let mut early = all;
        early[3].0.request.ready_ns = Some(40);
        let expected =
            [(10, 0, "first"), (21, 1, "queue"), (55, 25, "queue"), (61, 1, "submission")];
        assert_eq!(path(&early), expected);
    }

    #[test]
    fn the_host_is_the_reason_if_it_submits_late() {
        let late = Request { waits: false, submit_ns: Some(25), ready_ns: None };
        let all = [dispatch(0, 1, [10, 20], HOST), dispatch(0, 2, [30, 40], late)];
        assert_eq!(path(&all), [(10, 0, "first"), (30, 10, "host")]);
    }

    #[test]
    fn what_clocks_do_not_tell_is_unknown() {
        let late = Request { waits: false, submit_ns: Some(25), ready_ns: None };
        let all = [dispatch(0, 1, [10, 20], HOST), dispatch(0, 2, [30, 40], late)];
        // Ticks are the host's nanoseconds; the first dispatch ends 5 before the second is submitted.
        let line = Line::of_ns();
        for (residual_ns, expected) in [(0, "host"), (5, "host"), (6, "unknown")] {
            let clock = HostClock::Fit { line: Some(line), residual_ns };
            let expected = [(10, 0, "first"), (30, 10, expected)];
            assert_eq!(path_on(&all, clock), expected, "{residual_ns}");
        }
    }

    #[test]
    fn dispatches_without_length_end() {
        let all = [5, 5, 5].map(|at| dispatch(0, 1, [at, at], HOST));
        assert_eq!(path(&all).len(), 3);
        assert_eq!(path(&[]), []);
    }

    #[test]
    fn overlapping_dispatches_are_side_by_side() {
        let all = [[10, 40], [20, 30], [40, 60], [35, 50]].map(|span| dispatch(0, 1, span, HOST));
        assert_eq!(path(&all), [(10, 0, "first"), (40, 0, "submission")]);
    }
}
