//! Adds up what a decoder reports of a trace: instructions by address, and in more detail waves, their states, the
//! occupancy and executions.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::detail::Detail;
use super::error::AttError;
use super::foreign::{Clock, Instruction, Occupancy, Pc, Records, Wave};
use super::row::{
    CATEGORIES, ClockRow, ExecutionRow, InstructionRow, OccupancyRow, Origin, STATES, StateRow,
    WaveRow, name_of,
};

/// What the executions of one instruction add up to.
#[derive(Debug)]
struct Totals {
    hits: u64,
    duration: u64,
    stall: u64,
    first: i64,
    last: i64,
    categories: [u64; CATEGORIES.len()],
}

/// What was reported so far.
#[derive(Debug)]
pub struct Grouping<'a> {
    origin: &'a Origin,
    detail: Detail,
    instructions: HashMap<Pc, Totals, FixedState>,
    /// Why the records are wrong.
    problem: Option<String>,
    pub gfxip: u64,
    pub(crate) wave_count: u64,
    pub(crate) occupancy_count: u64,
    pub(crate) event_count: u64,
    pub(crate) infos: Vec<u32>,
    pub waves: Vec<WaveRow<'a>>,
    pub states: Vec<StateRow<'a>>,
    pub occupancy: Vec<OccupancyRow<'a>>,
    pub executions: Vec<ExecutionRow<'a>>,
    clocks: Vec<Clock>,
    /// The frequency of the real-time clock in hertz.
    frequency: Option<u64>,
}

impl<'a> Grouping<'a> {
    pub fn new(origin: &'a Origin, detail: Detail) -> Self {
        Self {
            origin,
            detail,
            instructions: HashMap::default(),
            problem: None,
            gfxip: 0,
            wave_count: 0,
            occupancy_count: 0,
            event_count: 0,
            infos: Vec::new(),
            waves: Vec::new(),
            states: Vec::new(),
            occupancy: Vec::new(),
            executions: Vec::new(),
            clocks: Vec::new(),
            frequency: None,
        }
    }

    /// Takes records. After the first that is wrong, the others are ignored.
    pub fn take(&mut self, records: &Records<'_>) {
        if self.problem.is_some() {
            return;
        }
        match records {
            Records::Gfxip(version) => self.gfxip = *version,
            Records::Occupancy(changes) => {
                self.occupancy_count += changes.len() as u64;
                if self.detail >= Detail::Waves {
                    self.occupancy.extend(changes.iter().map(|it| occupancy(self.origin, it)));
                }
            }
            Records::Waves(waves) => waves.iter().for_each(|wave| self.wave(wave)),
            Records::Info(kinds) => self.infos.extend_from_slice(kinds),
            Records::Clocks(clocks) => self.clocks.extend_from_slice(clocks),
            Records::Frequency(frequency) => self.frequency = Some(*frequency),
            Records::Other => {}
        }
    }

    fn wave(&mut self, wave: &Wave) {
        if self.detail >= Detail::Waves {
            self.details(wave);
        }
        if self.detail >= Detail::Executions {
            self.executions(wave);
        }
        self.wave_count += 1;
        for instruction in wave.instructions() {
            // The decoder does not know where it is.
            if instruction.pc == (Pc { address: 0, code_object: 0 }) {
                continue;
            }
            let Ok(duration) = u64::try_from(instruction.duration) else {
                self.problem = Some(format!(
                    "the decoder reports a negative duration ({}) of the instruction at 0x{:x}",
                    instruction.duration, instruction.pc.address
                ));
                return;
            };
            self.instruction(instruction, duration);
        }
    }

    fn instruction(&mut self, instruction: &Instruction, duration: u64) {
        self.event_count += 1;
        let end = instruction.time.saturating_add(instruction.duration.into());
        let totals = self.instructions.entry(instruction.pc).or_insert_with(|| Totals {
            hits: 0,
            duration: 0,
            stall: 0,
            first: i64::MAX,
            last: i64::MIN,
            categories: [0; CATEGORIES.len()],
        });
        totals.hits += 1;
        totals.duration = totals.duration.saturating_add(duration);
        totals.stall = totals.stall.saturating_add(instruction.stall().into());
        totals.first = totals.first.min(instruction.time);
        totals.last = totals.last.max(end);
        if let Some(count) = totals.categories.get_mut(usize::from(instruction.category())) {
            *count += 1;
        }
    }

    fn details(&mut self, wave: &Wave) {
        let number = self.wave_count;
        self.waves.push(WaveRow {
            origin: self.origin,
            wave: number,
            cu: wave.cu.into(),
            simd: wave.simd.into(),
            slot: wave.slot.into(),
            contexts: wave.contexts.into(),
            begin_time: wave.begin,
            end_time: wave.end,
            instruction_events: wave.instructions().len() as u64,
        });
        let mut begin_time = wave.begin;
        for (position, state) in (0..).zip(wave.states()) {
            self.states.push(StateRow {
                origin: self.origin,
                wave: number,
                position,
                state: name_of(&STATES, state.state),
                state_value: state.state,
                begin_time,
                duration: state.duration,
            });
            begin_time = begin_time.saturating_add(state.duration.into());
        }
    }

    fn executions(&mut self, wave: &Wave) {
        let executed = (0..).zip(wave.instructions());
        self.executions.extend(executed.map(|(position, it)| ExecutionRow {
            origin: self.origin,
            wave: self.wave_count,
            position,
            code_object_id: it.pc.code_object,
            pc: it.pc.address,
            category: name_of(&CATEGORIES, it.category()),
            begin_time: it.time,
            duration: it.duration,
            stall: it.stall(),
        }));
    }

    /// Fails if a record was wrong.
    pub fn check(&self) -> Result<(), AttError> {
        self.problem.as_ref().map_or(Ok(()), |what| Err(AttError::Failed(what.clone())))
    }

    /// Returns the readings of the clocks, in the order in which they were reported.
    pub fn clocks(&self) -> Vec<ClockRow<'a>> {
        let row = |clock: &Clock| ClockRow {
            origin: self.origin,
            time: clock.shader,
            realtime: clock.realtime,
            realtime_frequency: self.frequency,
        };
        self.clocks.iter().map(row).collect()
    }

    /// Returns the instructions by code object and address, with the texts that `text` finds.
    pub fn instructions(
        &self,
        mut text: impl FnMut(Pc) -> Option<String>,
    ) -> Vec<InstructionRow<'a>> {
        let mut all: Vec<(&Pc, &Totals)> = self.instructions.iter().collect();
        all.sort_unstable_by_key(|(pc, _)| (pc.code_object, pc.address));
        let row = |(pc, totals): (&Pc, &Totals)| InstructionRow {
            origin: self.origin,
            code_object_id: pc.code_object,
            pc: pc.address,
            category: commonest(&totals.categories),
            hits: totals.hits,
            duration: totals.duration,
            stall: totals.stall,
            first_time: totals.first,
            last_time: totals.last,
            instruction: text(*pc),
        };
        all.into_iter().map(row).collect()
    }
}

fn occupancy<'a>(origin: &'a Origin, change: &Occupancy) -> OccupancyRow<'a> {
    OccupancyRow {
        origin,
        time: change.time,
        cu: change.cu.into(),
        simd: change.simd.into(),
        slot: change.slot.into(),
        is_start: change.is_start(),
        code_object_id: change.pc.code_object,
        pc: change.pc.address,
    }
}

/// Returns the name of the commonest category, of several the first.
fn commonest(counts: &[u64; CATEGORIES.len()]) -> &'static str {
    let best = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
    name_of(&CATEGORIES, best.map_or(0, |(nth, _)| nth)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_category_is_the_first_on_a_tie() {
        let mut counts = [0; CATEGORIES.len()];
        assert_eq!(commonest(&counts), "NONE");
        (counts[6], counts[3]) = (2, 2);
        assert_eq!(commonest(&counts), "VMEM");
        counts[12] = 3;
        assert_eq!(commonest(&counts), "BVH");
    }
}
