//! A reading: one way to divide the steps of a bundle into calls.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::outline::outline;
use super::step::{Map, NONE, Step, Steps, narrow};

/// How a reading divides steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A call begins where the host waited for nothing.
    Chain,
    /// The same, where a function begins by its name.
    Begun,
    /// The same, and where the host waited.
    Pauses,
    /// A call begins where a function begins by its name.
    Names,
    /// A call begins where the first submission of all is executed again.
    First,
    /// Several chains are a call, as they repeat.
    Chains,
    /// Submissions repeat with a period.
    Period,
    /// Submissions repeat, with loops of varying length.
    Loops,
    /// Submissions of each module repeat.
    Modules,
    /// All is one call.
    Whole,
    /// The user said how many calls there are.
    Given,
}

impl Method {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Begun => "begun",
            Self::Pauses => "pauses",
            Self::Names => "names",
            Self::First => "first",
            Self::Chains => "chains",
            Self::Period => "period",
            Self::Loops => "loops",
            Self::Modules => "modules",
            Self::Whole => "whole",
            Self::Given => "given",
        }
    }
}

/// The calls of a reading.
#[derive(Debug)]
pub struct Reading {
    pub method: Method,
    /// For each step, the number of its call, counted by first steps; [`NONE`] if it is in none.
    pub calls: Vec<u32>,
    /// For each call, its kind: equal for calls of the same contents.
    kinds: Vec<u32>,
    pub count: u32,
}

/// A step of a call.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub call: u32,
    pub step: u32,
}

/// The place of a step in a reading.
#[derive(Debug, Clone, Copy)]
pub struct At {
    pub call: u32,
    pub is_first: bool,
}

impl Reading {
    /// Creates a reading from numbers of calls.
    pub fn of(method: Method, steps: &Steps, mut calls: Vec<u32>) -> Self {
        number_by_first(&mut calls);
        let kinds = kinds(steps, &calls);
        let count = narrow(kinds.len());
        Self { method, calls, kinds, count }
    }

    /// Returns a reading with `count` calls, each of which is several calls of this one, or as large a part of one; `None` if
    /// there is none.
    pub fn divided(&self, steps: &Steps, count: u32) -> Option<Self> {
        if count == 0 || self.count == 0 {
            return None;
        }
        let calls = if self.count.is_multiple_of(count) {
            let joined = self.count / count;
            self.calls.iter().map(|call| if *call == NONE { NONE } else { call / joined }).collect()
        } else if count.is_multiple_of(self.count) {
            let parts = count / self.count;
            let mut calls = vec![NONE; self.calls.len()];
            for members in self.members().chunk_by(|left, right| left.call == right.call) {
                let size = narrow(members.len());
                if !size.is_multiple_of(parts) {
                    return None;
                }
                for (nth, member) in (0..).zip(members) {
                    let place = calls.get_mut(member.step as usize)?;
                    *place = member.call * parts + nth / (size / parts);
                }
            }
            calls
        } else {
            return None;
        };
        Some(Self::of(Method::Given, steps, calls))
    }

    /// Leaves out what loading the modules executed, and a last call that is cut off.
    #[must_use]
    pub(crate) fn without_ends(mut self, steps: &Steps) -> Self {
        let leading = self.initializers(steps);
        let is_cut = steps.is_cut && self.count > leading + 1 && self.ends_short(steps);
        let last = if is_cut { self.count - 1 } else { NONE };
        for call in &mut self.calls {
            *call = if *call < leading || *call == last { NONE } else { *call - leading };
        }
        self.kinds.drain(..leading as usize);
        self.kinds.truncate(self.kinds.len() - usize::from(is_cut));
        self.count -= leading + u32::from(is_cut);
        self
    }

    /// Counts the calls at the start that only load modules: by their names, or, where there are none, as they begin with
    /// what no other call begins with.
    fn initializers(&self, steps: &Steps) -> u32 {
        let mut firsts: Map<u32, u32> = Map::default();
        for step in self.firsts(steps) {
            *firsts.entry(step.content).or_default() += 1;
        }
        let is_repeated = |content: &u32| firsts.get(content).is_some_and(|count| *count > 1);
        let repeated: u32 = firsts.values().filter(|count| **count > 1).sum();
        let is_one = |step: &&Step| {
            let is_unnamed = step.place.function.is_none() && !is_repeated(&step.content);
            step.place.is_initializer || is_unnamed && repeated > 1
        };
        let count = self.firsts(steps).take_while(is_one).count();
        if count == self.count as usize { 0 } else { narrow(count) }
    }

    /// Whether the last call executes the beginning of what others execute.
    fn ends_short(&self, steps: &Steps) -> bool {
        let last = self.count - 1;
        let is_alone = self.kinds.iter().filter(|kind| **kind == self.kind(last)).count() == 1;
        let contents = |call: u32| {
            let of = steps.all.iter().zip(&self.calls).filter(move |(_, of)| **of == call);
            of.map(|(step, _)| step.content)
        };
        is_alone && contents(last).eq(contents(last - 1).take(contents(last).count()))
    }

    /// Returns the steps of all calls, ordered by call.
    pub fn members(&self) -> Vec<Member> {
        members(&self.calls)
    }

    /// Returns for each step its place.
    pub fn places(&self) -> impl Iterator<Item = Option<At>> + '_ {
        let mut next = 0;
        self.calls.iter().map(move |call| {
            let is_first = *call == next;
            next += u32::from(is_first);
            (*call != NONE).then_some(At { call: *call, is_first })
        })
    }

    /// Returns the first step of each call.
    pub fn firsts<'a>(&'a self, steps: &'a Steps) -> impl Iterator<Item = &'a Step> {
        let places = steps.all.iter().zip(self.places());
        places.filter(|(_, place)| place.is_some_and(|place| place.is_first)).map(|(step, _)| step)
    }

    /// Returns the kind of a call.
    pub fn kind(&self, call: u32) -> u32 {
        self.kinds.get(call as usize).copied().unwrap_or(NONE)
    }

    /// Says for each kind whether it occurs several times.
    pub fn repeated(&self) -> Vec<bool> {
        let kinds = self.kinds.iter().max().map_or(0, |kind| *kind as usize + 1);
        let mut counts = vec![0_u32; kinds];
        for kind in &self.kinds {
            if let Some(count) = counts.get_mut(*kind as usize) {
                *count += 1;
            }
        }
        counts.into_iter().map(|count| count > 1).collect()
    }
}

/// Returns the steps of all calls, ordered by call. Calls of several modules may be interleaved; others are in order.
fn members(calls: &[u32]) -> Vec<Member> {
    let all = (0..).zip(calls).filter(|(_, call)| **call != NONE);
    let mut members: Vec<Member> = all.map(|(step, call)| Member { call: *call, step }).collect();
    members.sort_by_key(|member| member.call);
    members
}

/// Returns the kind of each call.
fn kinds(steps: &Steps, calls: &[u32]) -> Vec<u32> {
    let mut known: Map<u64, u32> = Map::default();
    let mut scratch = Vec::new();
    let kind = |members: &[Member]| {
        let steps = members.iter().filter_map(|member| steps.all.get(member.step as usize));
        outline(steps.map(|step| step.content), &mut scratch);
        let next = narrow(known.len());
        *known.entry(FixedState::default().hash_one(&scratch)).or_insert(next)
    };
    members(calls).chunk_by(|left, right| left.call == right.call).map(kind).collect()
}

/// Numbers calls by their first steps.
pub(crate) fn number_by_first(calls: &mut [u32]) {
    let count = calls.iter().filter(|call| **call != NONE).max().map_or(0, |last| last + 1);
    let mut numbers = vec![NONE; count as usize];
    let mut next = 0;
    for call in calls {
        if let Some(number) = numbers.get_mut(*call as usize) {
            if *number == NONE {
                *number = next;
                next += 1;
            }
            *call = *number;
        }
    }
}
