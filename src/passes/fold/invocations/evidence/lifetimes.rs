//! Evidence: allocations that the program makes and releases itself.
//!
//! What a call allocates for itself it also releases, so all that happens between belongs to it.
//!
//! Where it is silent: results and what loops carry are released by their owner, without a record; local-sync records no
//! releases. It misleads if a program takes over a buffer of its caller and releases it.

use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{Map, Operation, Steps};

/// Notes the places within lifetimes.
pub fn mark(steps: &mut Steps, operations: &[Operation]) {
    // For each place, how many lifetimes begin before it and how many end.
    let mut changes = vec![0_i32; steps.all.len() + 1];
    let mut alive: Map<u64, usize> = Map::default();
    // The next step.
    let mut next = 0;
    for operation in operations {
        if operation.is_allocation() && operation.allocation != 0 {
            alive.insert(operation.allocation, next);
        } else if operation.is_release()
            && let Some(first) = alive.remove(&operation.allocation)
            && first + 1 < next
            && let Some([begin, end]) = both(&mut changes, first + 1, next)
        {
            *begin += 1;
            *end -= 1;
        }
        if (operation.of as usize) < steps.all.len() {
            next = next.max(operation.of as usize + 1);
        }
    }
    let mut count = 0;
    for (step, change) in steps.all.iter_mut().zip(changes) {
        count += change;
        step.is_joined = count > 0;
    }
}

fn both(changes: &mut [i32], first: usize, second: usize) -> Option<[&mut i32; 2]> {
    let (left, right) = changes.split_at_mut_checked(second)?;
    Some([left.get_mut(first)?, right.first_mut()?])
}

/// Calls begin within lifetimes: few of them, or many.
const FEW: f64 = 0.1;
const MANY: f64 = 0.02;

/// Says how well a reading agrees with the lifetimes.
pub fn weight(steps: &Steps, reading: &Reading) -> f64 {
    let firsts = reading.firsts(steps).filter(|step| step.is_joined).count();
    match firsts {
        0 => 1.0,
        joined if joined * 2 > reading.count as usize => MANY,
        _ => FEW,
    }
}
