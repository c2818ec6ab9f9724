//! Holds the dispatches of an execution against the barriers between their recorded operations.

use super::recorded::{Recorded, position};
use super::window::DispatchSpan;

/// Calls `each` with how far each dispatch of an execution runs past the end of one that a barrier puts behind it. The
/// dispatches are ordered by index.
///
/// Only ends are compared: a device may write the start of a dispatch at the top of its pipe, before the barrier lets it
/// run, but it writes the end when all of its work is done. `tick` is how much later than it happens an end may be read.
pub(crate) fn past_barriers(
    execution: &[DispatchSpan],
    recorded: &[Recorded],
    tick: u64,
    mut each: impl FnMut(u64),
) {
    // A command buffer that a submission executes twice has two executions, which cannot be told apart.
    let mut pairs = execution.iter().zip(execution.iter().skip(1));
    if pairs.any(|(one, next)| one.command_index == next.command_index) {
        return;
    }
    // The first end in all regions behind, and in the region so far.
    let (mut behind, mut here, mut region) = (u64::MAX, u64::MAX, None);
    for ran in execution.iter().rev().filter(|ran| ran.is_valid) {
        let known = position(recorded, ran.command_index).and_then(|nth| recorded.get(nth));
        let Some(known) = known else { continue };
        if region != Some(known.region) {
            (behind, region) = (behind.min(here), Some(known.region));
        }
        here = here.min(ran.end);
        if ran.end > behind.saturating_add(tick) {
            each(ran.end - behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks dispatches with these ends, of which those with other regions have barriers between them.
    fn excesses(ends: &[(u64, u64)], tick: u64) -> Vec<u64> {
        let recorded: Vec<Recorded> = (0..)
            .zip(ends)
            .map(|(command_index, (region, _))| Recorded {
                command_index,
                region: *region,
                executable_id: 1,
                function_ordinal: 0,
                is_sure: true,
            })
            .collect();
        let execution: Vec<DispatchSpan> = (0..)
            .zip(ends)
            .map(|(command_index, (_, end))| DispatchSpan {
                command_buffer: 1,
                command_index,
                start: 1,
                end: *end,
                is_valid: true,
            })
            .collect();
        let mut found = Vec::new();
        past_barriers(&execution, &recorded, tick, |excess| found.push(excess));
        found
    }

    #[test]
    fn ends_are_compared_across_barriers_only() {
        assert!(excesses(&[(0, 10), (1, 20), (2, 30)], 1).is_empty());
        assert!(excesses(&[(0, 20), (0, 10), (1, 30)], 1).is_empty(), "no barrier");
        assert_eq!(excesses(&[(0, 25), (1, 20), (2, 30)], 1), [5]);
        assert_eq!(excesses(&[(0, 99), (1, 98), (2, 30)], 1), [68, 69]);
        assert!(excesses(&[(0, 21), (1, 20)], 1).is_empty(), "a tick");
    }
}
