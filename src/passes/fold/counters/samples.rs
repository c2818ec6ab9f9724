//! Aggregates counter samples by counter, scope, queue, function and command buffer.
//!
//! A sample has the values of all counters of its set. It is grouped by all keys except the counter, which takes one
//! lookup per sample; a group keeps the sums of each counter of the set.

use base::Pattern;
use read::bundle::cursor::u64_at;
use read::bundle::{BundleError, Fault};
use schemas::enums::COUNTER_SAMPLE_SCOPE;
use schemas::place::Places;

use crate::fold::counters::definitions::{Counter, CounterSet, Counters};
use crate::fold::metadata::Metadata;
use crate::fold::pass::{Call, Output, Parameter, Pass};
use crate::fold::shared::{ABSENT, Block, Columns, Groups, Relation, Welford, blocks};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).taking(&[Parameter::Filter, Parameter::Id]);

static OUTPUTS: &[Output] = &[
    Output::of(
        "counter_totals",
        "Number of counter samples, and of matching ones; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of(
        "counter_groups",
        "Matching counter samples by counter, scope, queue, function and command buffer, in order of first occurrence.",
        || columns().fields(),
    ),
];

/// Indices of the parts of a key.
const DEVICE: usize = 0;
const QUEUE: usize = 1;
const STREAM: usize = 2;
const SCOPE: usize = 3;
const SET: usize = 4;
const EXECUTABLE: usize = 5;
const FUNCTION: usize = 6;
const COMMAND_BUFFER: usize = 7;
const KEY: usize = 8;

/// The key of a group.
const COMMON: Places<KEY> = Places::new(
    "counter_samples",
    [
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "scope",
        "counter_set_id",
        "executable_id",
        "function_ordinal",
        "command_buffer_id",
    ],
);

const SAMPLE: Places<4> = Places::new(
    COMMON.table,
    ["sample_id", "dispatch_event_id", "submission_id", "sample_value_count"],
);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let counters = Counters::read(call.bundle)?;
    let mut pass = Samples {
        counters: &counters,
        metadata: call.metadata,
        pattern: call.pattern(),
        id: call.id(),
        keys: Groups::default(),
        groups: Vec::new(),
        order: Vec::new(),
        total: 0,
        matched: 0,
        truncated: 0,
    };
    blocks(call.bundle, &[COMMON.table], |block| {
        block.rows().try_for_each(|row| pass.add(block, row))
    })?;
    let rows: Vec<Row<'_>> = pass.rows().collect();
    Ok(vec![total_columns().relation([&pass]), columns().relation(&rows)])
}

struct Samples<'a> {
    counters: &'a Counters,
    metadata: &'a Metadata,
    pattern: Pattern,
    id: Option<u64>,
    keys: Groups<KEY>,
    groups: Vec<Group<'a>>,
    /// The groups with matching samples, in the order of the first such sample.
    order: Vec<usize>,
    total: u64,
    matched: u64,
    truncated: u64,
}

/// The samples with one key.
struct Group<'a> {
    set: &'a CounterSet,
    /// Name of the function.
    key: String,
    samples: u64,
    /// 0 until a sample has an id.
    first_sample_id: u64,
    last_sample_id: u64,
    /// The counters that match the pattern; empty before the first sample with the id.
    members: Vec<Member<'a>>,
}

/// One counter in a group.
struct Member<'a> {
    counter: &'a Counter,
    /// Byte range of its values within the values of a sample.
    start: usize,
    end: usize,
    smallest: f64,
    largest: f64,
    total: f64,
    running: Welford,
}

impl<'a> Samples<'a> {
    fn add(&mut self, block: &Block<'_>, row: blocks::Row<'_>) -> Result<(), Fault> {
        self.total += 1;
        let key = row.numbers(&COMMON);
        let [sample, dispatch, submission, count] = row.numbers(&SAMPLE);
        let number = self.keys.number(key);
        if number == self.groups.len() {
            let group = self.group(block, row, key)?;
            self.groups.push(group);
        }
        let Some(group) = self.groups.get_mut(number) else { return Ok(()) };
        let values = row.trailing();
        if count != group.set.sample_value_count
            || count.checked_mul(8) != Some(values.len() as u64)
        {
            let what = format!(
                "the record has {} bytes of values, but samples of its set have {} values of 8 bytes",
                values.len(),
                group.set.sample_value_count
            );
            return Err(block.fault(row, "sample_value_count", what));
        }
        let [.., command_buffer] = key;
        if self.id.is_some_and(|id| ![sample, dispatch, submission, command_buffer].contains(&id)) {
            return Ok(());
        }
        if group.samples == 0 {
            self.order.push(number);
            group.members = members(self.counters, &self.pattern, group)
                .map_err(|what| block.fault(row, "counter_set_id", what))?;
        }
        group.add(sample, values);
        if !group.members.is_empty() {
            self.matched += 1;
            self.truncated += u64::from(block.header.is_truncated);
        }
        Ok(())
    }

    /// Creates the group of its first sample.
    fn group(
        &self,
        block: &Block<'_>,
        row: blocks::Row<'_>,
        [device, .., id, executable, ordinal, _]: [u64; KEY],
    ) -> Result<Group<'a>, Fault> {
        let Some(set) = self.counters.sets.find([id]) else {
            let what = format!("counter set {id} has no metadata");
            return Err(block.fault(row, "counter_set_id", what));
        };
        let Some(key) = self.key(device, executable, ordinal) else {
            let what = format!("function {ordinal} of executable {executable} has no metadata");
            return Err(block.fault(row, "function_ordinal", what));
        };
        let (samples, first_sample_id, last_sample_id) = (0, 0, 0);
        Ok(Group { set, key, samples, first_sample_id, last_sample_id, members: Vec::new() })
    }

    /// Returns the name of a function; `None` if it is not defined.
    fn key(&self, device: u64, executable: u64, ordinal: u64) -> Option<String> {
        if executable == 0 || ordinal == ABSENT {
            return Some("unattributed".to_owned());
        }
        Some(self.metadata.key(device, self.metadata.functions.find([executable, ordinal])?))
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let groups = self
            .order
            .iter()
            .filter_map(|number| Some((self.keys.keys().get(*number)?, self.groups.get(*number)?)));
        groups.flat_map(|(key, group)| {
            group.members.iter().map(move |member| Row { key, group, member })
        })
    }
}

fn total_columns<'a>() -> Columns<Samples<'a>> {
    Columns::<Samples<'_>>::new()
        .number("total", |pass| pass.total)
        .number("matched", |pass| pass.matched)
        .number("truncated", |pass| pass.truncated)
        .number("counter_sets", |pass| pass.counters.sets.len() as u64)
        .number("counters", |pass| pass.counters.all.len() as u64)
        .number("groups", |pass| pass.rows().count() as u64)
}

fn columns<'a>() -> Columns<Row<'a>> {
    let values = |row: &Row<'_>| row.member.counter.sample_value_count;
    Columns::<Row<'_>>::new()
        .position()
        .number("physical_device_ordinal", |row| row.key(DEVICE))
        .number("queue_ordinal", |row| row.key(QUEUE))
        .number("stream_id", |row| row.key(STREAM))
        .text("scope", |row| row.scope())
        .number("scope_value", |row| row.key(SCOPE))
        .number("counter_set_id", |row| row.key(SET))
        .text("counter_set", |row| &row.group.set.name)
        .number("counter_ordinal", |row| row.member.counter.ordinal)
        .text("counter", |row| &row.member.counter.name)
        .text("block_name", |row| &row.member.counter.block_name)
        .text("unit", |row| row.member.counter.unit_name())
        .number("command_buffer_id", |row| row.key(COMMAND_BUFFER))
        .number("executable_id", |row| row.key(EXECUTABLE))
        .number("function_ordinal", |row| row.key(FUNCTION))
        .text("key", |row| &row.group.key)
        .number("samples", |row| row.group.samples)
        .number("raw_values", move |row| row.group.samples.wrapping_mul(values(row)))
        .float("smallest", |row| row.member.smallest)
        .float("mean", |row| row.member.running.mean)
        .float("deviation", |row| row.member.running.deviation())
        .float("largest", |row| row.member.largest)
        .float("total", |row| row.member.total)
        .number("first_sample_id", |row| row.group.first_sample_id)
        .number("last_sample_id", |row| row.group.last_sample_id)
}

/// A row of `counter_groups`: one counter of a group.
struct Row<'a> {
    key: &'a [u64; KEY],
    group: &'a Group<'a>,
    member: &'a Member<'a>,
}

impl Row<'_> {
    fn key(&self, nth: usize) -> u64 {
        self.key.get(nth).copied().unwrap_or_default()
    }

    fn scope(&self) -> &'static str {
        let scope = self.key.get(SCOPE).and_then(|scope| u32::try_from(*scope).ok());
        scope.map_or("unknown", |scope| COUNTER_SAMPLE_SCOPE.name_of(scope))
    }
}

/// Returns the counters of a group that match the pattern. A match of the function or the set selects all of them.
fn members<'a>(
    counters: &'a Counters,
    pattern: &Pattern,
    group: &Group<'_>,
) -> Result<Vec<Member<'a>>, String> {
    let set = group.set;
    if set.counters.is_empty() {
        return Err(format!("counter set {} has no counters", set.id));
    }
    let matches_all = pattern.matches(&group.key) || pattern.matches(&set.name);
    let all = set.counters.iter().filter_map(|position| counters.all.values().get(*position));
    let matching = all.filter(|counter| {
        matches_all || pattern.matches(&counter.block_name) || pattern.matches(&counter.name)
    });
    matching.map(|counter| Member::new(counter, set)).collect()
}

impl<'a> Member<'a> {
    fn new(counter: &'a Counter, set: &CounterSet) -> Result<Self, String> {
        // Both are 32-bit numbers, so neither the sum nor the product overflows.
        let (start, end) =
            (counter.sample_value_offset, counter.sample_value_offset + counter.sample_value_count);
        let bytes = |values: u64| usize::try_from(values * 8).unwrap_or(usize::MAX);
        if end > set.sample_value_count {
            return Err(format!(
                "counter {} of set {} has values {start} to {end}, but samples have only {}",
                counter.ordinal, set.id, set.sample_value_count
            ));
        }
        Ok(Self {
            counter,
            start: bytes(start),
            end: bytes(end),
            smallest: f64::MAX,
            largest: 0.0,
            total: 0.0,
            running: Welford::default(),
        })
    }
}

impl Group<'_> {
    fn add(&mut self, sample_id: u64, values: &[u8]) {
        self.samples += 1;
        if self.first_sample_id == 0 {
            self.first_sample_id = sample_id;
        }
        self.last_sample_id = sample_id;
        for member in &mut self.members {
            let value = sum(values.get(member.start..member.end).unwrap_or_default());
            member.smallest = member.smallest.min(value);
            member.largest = member.largest.max(value);
            member.total += value;
            member.running.add(value);
        }
    }
}

/// Returns the sum of 8-byte values in floating point. As in `iree-profile`, they are added in order, because the
/// order affects the last digits.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
pub fn sum(values: &[u8]) -> f64 {
    values.chunks_exact(8).fold(0.0, |sum, value| sum + u64_at(value, 0) as f64)
}

/// Returns the exact sum of 8-byte values; `None` if it overflows 64 bits.
pub fn whole_sum(values: &[u8]) -> Option<u64> {
    values.chunks_exact(8).try_fold(0_u64, |sum, value| sum.checked_add(u64_at(value, 0)))
}
