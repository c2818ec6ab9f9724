//! Finds the invocations of a bundle.
//!
//! The submissions with dispatches are put in the order in which the host made them (`step.rs`), over all sessions, devices
//! and queues. Several readings divide them into calls (`readings.rs`); the one that all evidence agrees with best counts
//! (`weigh.rs`). Of each kind and size of call, the slow ones at the start are warm-up (`warmup.rs`).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};

use super::evidence::told::CallCount;
use super::invocation::{Counted, Invocation, Invocations, Key};
use super::lanes::{Lanes, Span};
use super::operations::operations;
use super::reading::{Member, Reading};
use super::step::{Map, NONE, Steps, Work, narrow};
use super::submissions::{Submission, Submissions};
use super::warmup::warm_up;
use super::weigh::weigh;
use crate::fold::clocks::{Clocks, Residuals};
use crate::fold::dispatches::best_clock::BestClocks;
use crate::fold::shared::{Grouped, Groups};

impl Invocations {
    /// Finds the invocations of `bundle`. `given` is their number, if the user knows it.
    pub fn read(
        bundle: &Arc<Bundle>,
        clocks: &Clocks,
        best: &BestClocks,
        given: Option<u64>,
    ) -> Result<Self, BundleError> {
        let mut submissions = Submissions::read(bundle, best)?;
        let operations = operations(bundle, &submissions)?;
        let lanes = Lanes::of(&submissions, clocks, &Residuals::read(bundle, clocks)?);
        let works = works(&mut submissions, &lanes);
        let mut steps = Steps::of(&works, operations);
        steps.is_cut = bundle.salvage().is_some();
        let readings = weigh(&steps, CallCount::of(bundle), given);
        let mut found = Self { places: vec![NONE; works.len()], ..Self::default() };
        if let Some(best) = readings.first() {
            let lanes = &lanes;
            let calls = Calls { submissions: &submissions, lanes, works: &works, steps: &steps };
            calls.add(&best.reading, &mut found);
        }
        found.readings = readings.iter().map(Counted::of).collect();
        found.submissions = submissions.all.into_keys();
        mark_warm_up(&mut found.all);
        found.has_warm_up = found.all.iter().any(|invocation| invocation.is_warm_up);
        Ok(found)
    }
}

/// What the calls of a reading are made of.
struct Calls<'a> {
    submissions: &'a Submissions,
    lanes: &'a Lanes,
    works: &'a [Work],
    steps: &'a Steps,
}

impl Calls<'_> {
    /// Adds the calls of a reading, ordered by start.
    fn add(&self, reading: &Reading, found: &mut Invocations) {
        let members = reading.members();
        let mut before = 0;
        let calls = members.chunk_by(|left, right| left.call == right.call).map(|members| {
            let starts = members.iter().filter_map(|member| self.start(*member));
            before = starts.min().unwrap_or(before);
            (before, members)
        });
        let mut calls: Vec<(i64, &[Member])> = calls.collect();
        calls.sort_by_key(|(start, _)| *start);
        let mut kinds: HashMap<u32, u64> = HashMap::new();
        let (mut spans, mut devices) = (Vec::new(), Vec::new());
        for (number, (_, members)) in (1..).zip(calls) {
            let next = kinds.len() as u64 + 1;
            let call = members.first().map_or(NONE, |member| member.call);
            let kind = *kinds.entry(reading.kind(call)).or_insert(next);
            let dispatch_count = self.collect(members, &mut spans, &mut devices, found);
            let devices = self.devices(&mut devices, found);
            found.all.push(Invocation {
                number,
                kind,
                size: self.size(members),
                devices,
                times: self.lanes.times(&mut spans),
                dispatch_count,
                invalid_count: dispatch_count - spans.len() as u64,
                submission_count: members.len() as u64,
                is_warm_up: false,
            });
        }
    }

    /// Collects the valid dispatches of a call and the numbers of its devices, and notes the call for its submissions. Returns
    /// the number of all its dispatches.
    fn collect(
        &self,
        members: &[Member],
        spans: &mut Vec<Span>,
        devices: &mut Vec<u32>,
        found: &mut Invocations,
    ) -> u64 {
        spans.clear();
        devices.clear();
        let mut dispatches = 0;
        for submission in members.iter().filter_map(|member| self.submission(*member)) {
            if let Some(place) = found.places.get_mut(submission as usize) {
                *place = narrow(found.all.len());
            }
            let known = self.submissions.all.values().get(submission as usize);
            dispatches += known.map_or(0, |known| u64::from(known.dispatch_count));
            let device = self.lanes.lane(submission);
            if !devices.contains(&device) {
                devices.push(device);
            }
            spans.extend(self.submissions.spans(submission).map(|span| (device, span)));
        }
        dispatches
    }

    /// Returns the size of a call: that of its submissions, however often a loop repeats them.
    fn size(&self, members: &[Member]) -> u64 {
        let submissions = members.iter().filter_map(|member| self.submission(*member));
        let known = |nth: u32| Some(self.submissions.all.values().get(nth as usize)?.size);
        let mut sizes: Vec<u64> = submissions.filter_map(known).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut hasher = DefaultHasher::new();
        sizes.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the index of a set of devices.
    fn devices(&self, lanes: &mut [u32], found: &mut Invocations) -> u32 {
        lanes.sort_unstable();
        let known = found.devices.iter().position(|known| known.lanes == lanes);
        narrow(known.unwrap_or_else(|| {
            found.devices.push(self.lanes.devices(lanes));
            found.devices.len() - 1
        }))
    }

    fn submission(&self, member: Member) -> Option<u32> {
        Some(self.steps.all.get(member.step as usize)?.submission)
    }

    fn start(&self, member: Member) -> Option<i64> {
        let [start, _] = self.works.get(self.submission(member)? as usize)?.span?;
        Some(start)
    }
}

/// Returns the submissions as the order of steps needs them.
fn works(submissions: &mut Submissions, lanes: &Lanes) -> Vec<Work> {
    let contents = contents(submissions, lanes);
    let Submissions { all, modules, .. } = submissions;
    let work = |((nth, (key, submission)), content): ((u32, (&Key, &Submission)), u32)| {
        let [session_id, ..] = *key;
        let device = lanes.lane(nth);
        let module = modules.of(submission.executable);
        Work {
            content,
            module: modules.is_linked(module).then_some(module),
            device,
            place: submission.place,
            load: submission.load,
            session_id,
            span: submission.span.map(|span| lanes.comparable((device, span))),
            is_host_time: lanes.is_on_host_clock(device),
            residual_ns: lanes.residual_ns(device),
        }
    };
    (0..).zip(all.iter()).zip(contents).map(work).collect()
}

/// Returns for each submission a number of what it executes: its functions on its device, and its command buffer, if the
/// command buffers of these functions are executed several times. Others are recorded for each call.
fn contents(submissions: &Submissions, lanes: &Lanes) -> Vec<u32> {
    let mut functions: Grouped<3, u32> = Grouped::default();
    let mut buffers: Groups<2> = Groups::default();
    // The functions and the command buffer of each submission.
    let mut found: Vec<[u32; 2]> = Vec::with_capacity(submissions.all.len());
    for (nth, submission) in (0..).zip(submissions.all.values()) {
        let device = u64::from(lanes.lane(nth));
        let key = [submission.functions, submission.dispatch_count.into(), device];
        if let Some(count) = functions.at(key) {
            *count += 1;
        }
        let number = functions.index(key).map_or(NONE, narrow);
        let buffer = buffers.number([number.into(), submission.command_buffer]);
        found.push([number, narrow(buffer)]);
    }
    // The number of command buffers with the same functions, and whether they are executed in turns. Those that follow one
    // another are recorded for each call, or for each iteration of a replay.
    let mut counts = vec![(0_u32, false); functions.len()];
    for (number, is_in_turns) in in_turns(&found, buffers.len()) {
        if let Some((count, turns)) = counts.get_mut(number as usize) {
            (*count, *turns) = (*count + 1, *turns || is_in_turns);
        }
    }
    let is_again = |number: u32| {
        let (all, buffers) = (functions.values().get(number as usize), counts.get(number as usize));
        all.zip(buffers).is_some_and(|(all, (buffers, turns))| *turns && buffers * 2 <= *all)
    };
    let first = narrow(functions.len());
    let content =
        |[number, buffer]: [u32; 2]| if is_again(number) { first + buffer } else { number };
    found.into_iter().map(content).collect()
}

/// Returns for each command buffer its functions, and whether it was executed again after another one with the same functions.
/// `found` are the functions and the command buffer of each submission.
fn in_turns(found: &[[u32; 2]], buffers: usize) -> Vec<(u32, bool)> {
    // The command buffer that each functions were executed by last.
    let mut current: Map<u32, u32> = Map::default();
    let mut all = vec![(NONE, false); buffers];
    for [number, buffer] in found {
        let before = current.insert(*number, *buffer);
        if let Some((known, is_resumed)) = all.get_mut(*buffer as usize) {
            *is_resumed |= *known != NONE && before != Some(*buffer);
            *known = *number;
        }
    }
    all
}

/// Of fewer calls, which ones are warm-up cannot be told.
const FEWEST: usize = 3;

/// Marks the warm-up of invocations of the same kind and size, each of which has a time of its own: larger work is no warm-up.
/// Those of sizes that hardly occur again, such as the steps of a decoder, are judged together.
fn mark_warm_up(invocations: &mut [Invocation]) {
    let mut counts: HashMap<[u64; 2], usize> = HashMap::new();
    for Invocation { kind, size, .. } in &*invocations {
        *counts.entry([*kind, *size]).or_default() += 1;
    }
    let series = |it: &Invocation| {
        let occurs_again = counts.get(&[it.kind, it.size]).is_some_and(|count| *count >= FEWEST);
        (it.kind, occurs_again.then_some(it.size))
    };
    let mut lengths: HashMap<(u64, Option<u64>), Vec<f64>> = HashMap::new();
    for invocation in &*invocations {
        #[expect(clippy::cast_precision_loss, reason = "durations are compared, not added up")]
        lengths.entry(series(invocation)).or_default().push(invocation.times.length as f64);
    }
    let mut left: HashMap<(u64, Option<u64>), usize> =
        lengths.into_iter().map(|(series, lengths)| (series, warm_up(&lengths))).collect();
    for invocation in invocations {
        if let Some(count @ 1..) = left.get_mut(&series(invocation)) {
            *count -= 1;
            invocation.is_warm_up = true;
        }
    }
}
