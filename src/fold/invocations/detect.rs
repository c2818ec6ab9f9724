//! Finds the invocations of a bundle.
//!
//! The dispatches of a session on one device form a sequence of submissions, ordered by their starts. It is divided
//! into modules: executables that occur in a common submission belong to one module. The invocations of a module are
//! what repeats in its sequence (`repeats.rs`), of chains if the queue operations were recorded (`chains.rs`); of these, the slow ones at the start are warm-up (`warmup.rs`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::bundle::{Bundle, BundleError};
use crate::fold::invocations::chains::Chains;
use crate::fold::invocations::invocation::{Invocation, Invocations};
use crate::fold::invocations::repeats::{Method, Repeat, outline, repeats};
use crate::fold::invocations::submissions::{Submission, Submissions};
use crate::fold::invocations::warmup::warm_up;

impl Invocations {
    /// Finds the invocations of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        Ok(Self::of(&Submissions::read(bundle)?, &Chains::read(bundle)?))
    }

    fn of(read: &Submissions, chains: &Chains) -> Self {
        let mut lanes: BTreeMap<[u64; 3], Vec<Ran<'_>>> = BTreeMap::new();
        let (mut contents, mut numbers) = (Vec::new(), HashMap::new());
        for (index, (key, submission)) in read.all.iter().enumerate() {
            let functions = submission.functions.as_slice();
            let content = *numbers.entry(functions).or_insert_with(|| {
                contents.push(functions);
                contents.len() - 1
            });
            let [session, is_on_device, device, queue, stream, id] = *key;
            let chain = chains.find([session, device, queue, stream, id]);
            let lane = lanes.entry([session, is_on_device, device]).or_default();
            let start = submission.spans.iter().map(|[start, _]| *start).min();
            // A submission without a valid dispatch ran where it stands in the file.
            let start = start.or(lane.last().map(|last| last.start)).unwrap_or(0);
            lane.push(Ran { index, start, chain, content, submission });
        }
        let mut found = Self { places: vec![None; read.all.len()], ..Self::default() };
        for key in read.all.keys() {
            found.submissions.number(*key);
        }
        for (lane, submissions) in lanes {
            found.add_lane(lane, submissions, &contents, &read.executables);
        }
        found
    }

    fn add_lane(
        &mut self,
        lane: [u64; 3],
        mut ran: Vec<Ran<'_>>,
        contents: &[&[usize]],
        executables: &[u64],
    ) {
        ran.sort_by_key(|ran| ran.start);
        let mut found: Vec<Found<'_>> = Vec::new();
        let mut kinds = 0;
        for module in modules(&ran, contents, executables) {
            let before = found.len();
            found.extend(invocations(&module, kinds));
            let added = found.get_mut(before..).unwrap_or_default();
            kinds = added.iter().map(|found| found.kind + 1).max().unwrap_or(kinds);
            mark_warm_up(added);
        }
        found.sort_by_key(|found| found.span().map(|[start, _]| start));
        for (found, number) in found.iter().zip(1..) {
            for ran in &found.submissions {
                if let Some(place) = self.places.get_mut(ran.index) {
                    *place = Some(self.all.len());
                }
            }
            self.all.push(found.invocation(lane, number));
        }
    }
}

/// A submission, with its index among all, its start and its chain.
#[derive(Debug, Clone, Copy)]
struct Ran<'a> {
    index: usize,
    start: u64,
    chain: Option<u64>,
    /// Equal for submissions of the same functions.
    content: usize,
    submission: &'a Submission,
}

/// The submissions of an invocation.
struct Found<'a> {
    submissions: Vec<Ran<'a>>,
    kind: usize,
    method: &'static str,
    confidence: f64,
    is_warm_up: bool,
}

/// Divides submissions by module. `contents` are the functions of each content.
fn modules<'a>(ran: &[Ran<'a>], contents: &[&[usize]], executables: &[u64]) -> Vec<Vec<Ran<'a>>> {
    let executables = |content: usize| {
        let functions = contents.get(content).copied().unwrap_or_default();
        functions.iter().map(|function| executables.get(*function).copied().unwrap_or_default())
    };
    // The contents in order of first appearance.
    let mut seen = HashSet::new();
    let used: Vec<usize> =
        ran.iter().map(|ran| ran.content).filter(|content| seen.insert(*content)).collect();
    // Union-find: each executable refers to another of its module, or to itself.
    let mut parents: HashMap<u64, u64> = HashMap::new();
    for content in &used {
        let mut ids = executables(*content);
        let Some(first) = ids.next() else { continue };
        let first = root(&mut parents, first);
        for id in ids {
            let other = root(&mut parents, id);
            parents.insert(other, first);
        }
    }
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut modules: HashMap<usize, usize> = HashMap::new();
    for content in used {
        let Some(first) = executables(content).next() else { continue };
        let count = numbers.len();
        modules.insert(content, *numbers.entry(root(&mut parents, first)).or_insert(count));
    }
    let mut divided: Vec<Vec<Ran<'a>>> = vec![Vec::new(); numbers.len()];
    for ran in ran {
        let module = modules.get(&ran.content).and_then(|number| divided.get_mut(*number));
        if let Some(module) = module {
            module.push(*ran);
        }
    }
    divided
}

/// Returns the executable that stands for the module of `id`.
fn root(parents: &mut HashMap<u64, u64>, mut id: u64) -> u64 {
    loop {
        let parent = *parents.entry(id).or_insert(id);
        if parent == id {
            return id;
        }
        // Halves the path for the next search.
        let above = parents.get(&parent).copied().unwrap_or(parent);
        parents.insert(id, above);
        id = above;
    }
}

/// Finds the invocations of one module. Kinds are counted from `kinds` on.
fn invocations<'a>(module: &[Ran<'a>], kinds: usize) -> Vec<Found<'a>> {
    let items = items(module);
    let is_chained = module.iter().all(|ran| ran.chain.is_some());
    let found = repeats(&symbols(module, &items));
    let Some(found) = found else {
        let (method, confidence) =
            if is_chained && items.len() == 1 { ("chain", 1.0) } else { ("whole", 0.0) };
        let submissions = module.to_vec();
        let is_warm_up = false;
        return vec![Found { submissions, kind: kinds, method, confidence, is_warm_up }];
    };
    let range = |items: &[Range<usize>]| match items {
        [first, .., last] => first.start..last.end,
        [only] => only.clone(),
        [] => 0..0,
    };
    let within = |range: Range<usize>| module.get(range).unwrap_or_default();
    let of_repeat =
        |repeat: &Repeat| within(range(items.get(repeat.range.clone()).unwrap_or_default()));
    let first = found.repeats.first().and_then(|repeat| items.get(repeat.range.start));
    let all = dispatches(within(first.map_or(0, |first| first.start)..module.len()));
    let covered: usize = found.repeats.iter().map(|repeat| dispatches(of_repeat(repeat))).sum();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let confidence = covered as f64 / all.max(1) as f64;
    let method = match found.method {
        _ if is_chained => "chain",
        Method::Period => "period",
        Method::Loops => "loops",
    };
    let invocation = |repeat: &Repeat| Found {
        submissions: of_repeat(repeat).to_vec(),
        kind: kinds + repeat.kind,
        method,
        confidence,
        is_warm_up: false,
    };
    found.repeats.iter().map(invocation).collect()
}

/// Counts the dispatches of submissions.
fn dispatches(submissions: &[Ran<'_>]) -> usize {
    submissions.iter().map(|ran| ran.submission.functions.len()).sum()
}

/// Divides submissions into the items that invocations consist of: the submissions of one chain, or single ones whose
/// chain is unknown.
fn items(module: &[Ran<'_>]) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for (nth, ran) in module.iter().enumerate() {
        match items.last_mut().filter(|_| ran.chain.is_some() && ran.chain == before) {
            Some(last) => last.end = nth + 1,
            None => items.push(nth..nth + 1),
        }
        before = ran.chain;
    }
    items
}

/// Returns for each item a number of its content. Submissions that are repeated in an item count once, so that a loop
/// may have any number of turns.
fn symbols(module: &[Ran<'_>], items: &[Range<usize>]) -> Vec<usize> {
    let mut contents: HashMap<Vec<usize>, usize> = HashMap::new();
    let symbol = |item: &Range<usize>| {
        let ran = module.get(item.clone()).unwrap_or_default();
        let content: Vec<usize> = ran.iter().map(|ran| ran.content).collect();
        let count = contents.len();
        *contents.entry(outline(&content)).or_insert(count)
    };
    items.iter().map(symbol).collect()
}

/// Marks the warm-up of each kind of invocation.
fn mark_warm_up(found: &mut [Found<'_>]) {
    let mut kinds: BTreeMap<usize, Vec<&mut Found<'_>>> = BTreeMap::new();
    for found in found {
        kinds.entry(found.kind).or_default().push(found);
    }
    for invocations in kinds.into_values() {
        let length = |found: &&mut Found<'_>| found.span().map_or(0, |[start, end]| end - start);
        #[expect(clippy::cast_precision_loss, reason = "durations are compared, not added up")]
        let lengths: Vec<f64> = invocations.iter().map(|found| length(found) as f64).collect();
        let count = warm_up(&lengths);
        invocations.into_iter().take(count).for_each(|found| found.is_warm_up = true);
    }
}

impl Found<'_> {
    fn spans(&self) -> impl Iterator<Item = [u64; 2]> {
        self.submissions.iter().flat_map(|ran| ran.submission.spans.iter().copied())
    }

    /// Returns the first start and the last end; `None` if no dispatch is valid.
    fn span(&self) -> Option<[u64; 2]> {
        let start = self.spans().map(|[start, _]| start).min()?;
        Some([start, self.spans().map(|[_, end]| end).max()?])
    }

    fn invocation(&self, lane: [u64; 3], number: u64) -> Invocation {
        let [session_id, is_on_device, device] = lane;
        let mut spans: Vec<[u64; 2]> = self.spans().collect();
        spans.sort_unstable();
        // The length of the union of the spans.
        let (mut busy, mut until) = (0_u64, 0);
        for [start, end] in spans {
            busy = busy.saturating_add(end.saturating_sub(start.max(until)));
            until = until.max(end);
        }
        let [start, end] = self.span().map_or([None; 2], |span| span.map(Some));
        Invocation {
            session_id,
            is_on_device: is_on_device == 1,
            device,
            number,
            kind: self.kind as u64 + 1,
            method: self.method,
            confidence: self.confidence,
            start,
            end,
            busy,
            dispatch_count: dispatches(&self.submissions) as u64,
            submission_count: self.submissions.len() as u64,
            is_warm_up: self.is_warm_up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads submissions of one dispatch each: a letter is a function, of the executable 1 if it is a capital, else of
    /// the executable 2. Returns the invocation of each.
    fn read(text: &str) -> String {
        let mut read = Submissions { executables: vec![2; 128], ..Submissions::default() };
        read.executables[..usize::from(b'a')].fill(1);
        for (nth, letter) in text.bytes().enumerate() {
            let submission = read.all.at([1, 1, 0, 0, 0, nth as u64]).unwrap();
            submission.functions.push(letter.into());
            submission.spans.push([10 * nth as u64 + 1, 10 * nth as u64 + 6]);
        }
        let found = Invocations::of(&read, &Chains::default());
        let number = |nth: usize| {
            let found = found.find([1, 1, 0, 0, 0, nth as u64]);
            found.map_or("-".into(), |found| found.number.to_string())
        };
        (0..text.len()).map(number).collect()
    }

    #[test]
    fn invocations_are_numbered_by_start() {
        for (text, expected) in [
            ("ABABAB", "112233"),
            ("IABAB", "-1122"),
            // Two modules in turn, and in any order.
            ("AaAaAaAa", "12345678"),
            ("ABabABABabab", "112233445566"),
            ("AaBbAaBbAaBb", "121234345656"),
            // A loop.
            ("ABBCABC", "1111222"),
            ("ABCD", "1111"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn busy_time_is_the_union_of_the_spans() {
        let submission = |spans: &[[u64; 2]]| Submission {
            functions: vec![0; spans.len()],
            spans: spans.to_vec(),
        };
        let mut read = Submissions { executables: vec![1], ..Submissions::default() };
        let spans = [[10, 20], [15, 30], [16, 18], [40, 50]];
        *read.all.at([1, 0, 0, 0, 0, 7]).unwrap() = submission(&spans);
        let found = Invocations::of(&read, &Chains::default());
        let [found] = found.all.as_slice() else { panic!("{found:?}") };
        assert_eq!((found.start, found.end, found.busy), (Some(10), Some(50), 30));
        assert_eq!((found.method, found.dispatch_count), ("whole", 4));
    }
}
