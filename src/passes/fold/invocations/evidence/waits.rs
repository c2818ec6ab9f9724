//! Evidence: which queue operations wait for others.
//!
//! The operations of a call wait for one another; its first ones wait for nothing, as the host has waited for the call
//! before. So an operation without waits that follows work or a wait can begin a call.
//!
//! Where it is silent or misleading: a part of a call that depends only on its inputs waits for nothing either. A module
//! that keeps state waits in each call for what the last one left. The calls of an asynchronous function are chained by
//! fences: of a batch, only the first waits for nothing; batches are equally long, and all calls of one are of one function.

use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{Map, Operation, Steps, Wait};

/// Notes the waits.
pub fn mark(steps: &mut Steps, operations: &[Operation]) {
    // Whether the operations since the last start have worked or waited.
    let (mut is_open, mut starts) = (false, true);
    for operation in operations {
        if is_open && !operation.waits && !operation.is_end() {
            (is_open, starts) = (false, true);
        }
        is_open |= operation.waits || operation.is_work();
        if let Some(step) = steps.all.get_mut(operation.of as usize)
            && step.wait == Wait::Unknown
        {
            step.wait = if starts { Wait::Start } else { Wait::Chained };
            starts = false;
        }
    }
}

/// How the calls of a reading are chained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chaining {
    /// All begin with a start, as far as is known.
    None,
    /// All calls of some functions but the first: they have state.
    State,
    /// In batches of this length.
    Batches(u32),
    Other,
}

/// Calls of an asynchronous function that the host waits for together.
#[derive(Debug, Clone, Copy)]
struct Batch {
    function: Result<u32, u32>,
    /// How many calls at its beginning wait for nothing, and how many there are.
    starts: u32,
    length: u32,
}

impl Batch {
    fn is_as_long(&self, other: &Self) -> bool {
        (self.starts, self.length) == (other.starts, other.length)
    }
}

/// Says how calls are chained.
pub(crate) fn chaining(steps: &Steps, reading: &Reading) -> Chaining {
    // The numbers of starts and of chained calls of each function.
    let mut functions: Map<Result<u32, u32>, [u32; 2]> = Map::default();
    let mut batch: Option<Batch> = None;
    // The first batch that ended.
    let mut known: Option<Batch> = None;
    let mut is_irregular = false;
    for step in reading.firsts(steps) {
        // Without names, the first step tells the function.
        let function = step.place.function.ok_or(step.content);
        let [starts, chained] = functions.entry(function).or_default();
        let is_chained = step.wait == Wait::Chained && batch.is_some();
        *(if is_chained { chained } else { starts }) += 1;
        match &mut batch {
            Some(batch) if is_chained => {
                is_irregular |= batch.function != function;
                batch.length += 1;
            }
            // Calls side by side, which chains follow.
            Some(batch) if batch.function == function && batch.starts == batch.length => {
                (batch.starts, batch.length) = (batch.starts + 1, batch.length + 1);
            }
            _ => {
                if let Some(ended) = batch.replace(Batch { function, starts: 1, length: 1 }) {
                    is_irregular |= !known.get_or_insert(ended).is_as_long(&ended);
                }
            }
        }
    }
    // The last batch may be shorter.
    let last = batch.map_or(0, |batch| batch.length);
    let length = known.map_or(last, |batch| batch.length);
    if functions.values().all(|[_, chained]| *chained == 0) {
        Chaining::None
    } else if functions.values().all(|[starts, chained]| {
        // The first call of a function with state waits for nothing, unless the one that loads the module is there.
        *chained == 0 || *starts == 1 || *starts == 0 && functions.len() == 1
    }) {
        Chaining::State
    } else if is_irregular || last > length {
        Chaining::Other
    } else {
        Chaining::Batches(length)
    }
}

/// The module has state.
const STATE: f64 = 0.4;
/// There are batches: of any length, or of the one that the benchmark was told.
const BATCHES: f64 = 0.3;
const TOLD_BATCHES: f64 = 1.0;
/// Calls are chained otherwise.
const CHAINED: f64 = 0.002;
/// All calls have one or two starts within them, or only such as are explained.
const REGULAR_STARTS: f64 = 0.4;
const EXPLAINED_STARTS: f64 = 0.8;
/// Some calls have starts within them, or many.
const STARTS: f64 = 0.15;
/// There is one call, with many starts.
const ONE_CALL: f64 = 0.02;

/// Says how well a reading agrees with the waits. `batch` is the length of batches, if it is told.
pub fn weight(steps: &Steps, reading: &Reading, chaining: Chaining, batch: Option<u64>) -> f64 {
    let chained = match (chaining, batch) {
        (Chaining::None, _) => 1.0,
        (Chaining::State, _) => STATE,
        (Chaining::Batches(_), None) => BATCHES,
        (Chaining::Batches(length), Some(batch)) if u64::from(length) == batch => TOLD_BATCHES,
        _ => CHAINED,
    };
    chained * inner(steps, reading)
}

/// Says how well starts within calls agree with a reading.
fn inner(steps: &Steps, reading: &Reading) -> f64 {
    let mut counts = vec![0_u32; reading.count as usize];
    let (mut explained, mut function) = (0, None);
    for (step, place) in steps.all.iter().zip(reading.places()) {
        let before = function.replace(step.place.function);
        if let Some(place) = place.filter(|place| !place.is_first)
            && step.is_start()
            && let Some(count) = counts.get_mut(place.call as usize)
        {
            // The host has read a value, or the program calls another module.
            let is_explained = step.is_read_back || before != Some(step.place.function);
            explained += u32::from(is_explained);
            *count += u32::from(!is_explained);
        }
    }
    let (least, most) = (counts.iter().min(), counts.iter().max());
    match (least.copied().unwrap_or_default(), most.copied().unwrap_or_default()) {
        (_, 0) if explained > 0 => EXPLAINED_STARTS,
        (_, 0) => 1.0,
        (_, 2..) if reading.count == 1 => ONE_CALL,
        (least, most) if least == most && most < 3 => REGULAR_STARTS,
        _ => STARTS,
    }
}
