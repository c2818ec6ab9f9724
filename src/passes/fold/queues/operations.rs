//! Counts queue operations by family, and checks that their queues are defined.

use base::Pattern;
use read::bundle::{BundleError, Fault};
use schemas::enums::QUEUE_EVENT_TYPE;
use schemas::place::Places;

use crate::fold::metadata::Queues;
use crate::fold::pass::{Call, Output, Parameter, Pass};
use crate::fold::shared::{Block, Chunks, Columns, Relation, on_threads};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).taking(&[Parameter::Filter, Parameter::Id]);

static OUTPUTS: &[Output] = &[Output::of(
    "queue_operation_totals",
    "Number of matching queue events, device events and host spans by type and submission, and of truncated chunks and dropped records; one row per bundle.",
    || columns().fields(),
)];

const FIELDS: [&str; 5] =
    ["type", "submission_id", "physical_device_ordinal", "queue_ordinal", "stream_id"];

/// The counted families, in the order of the columns.
const FAMILIES: [Places<5>; 3] = [
    Places::new("queue_events", FIELDS),
    Places::new("queue_device_events", FIELDS),
    Places::new("host_execution_events", FIELDS),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let chunks = Chunks::of(call.bundle, &FAMILIES.map(|family| family.table));
    let parts = on_threads(call.threads, || Totals::of(call, &chunks))?;
    Ok(vec![columns().relation([&parts])])
}

fn columns<'a>() -> Columns<Vec<Totals<'a>>> {
    let sum = |parts: &Vec<Totals<'_>>, number: fn(&Totals<'_>) -> u64| {
        parts.iter().map(number).fold(0, u64::wrapping_add)
    };
    Columns::<Vec<Totals<'_>>>::new()
        .number("queue_events", move |parts| sum(parts, |totals| totals.matched[0]))
        .number("queue_device_events", move |parts| sum(parts, |totals| totals.matched[1]))
        .number("host_execution_events", move |parts| sum(parts, |totals| totals.matched[2]))
        .number("truncated_chunks", move |parts| sum(parts, |totals| totals.truncated_chunks))
        .number("dropped_records", move |parts| sum(parts, |totals| totals.dropped_records))
}

/// The counts of one thread.
struct Totals<'a> {
    matching: Matching,
    matched: [u64; FAMILIES.len()],
    truncated_chunks: u64,
    dropped_records: u64,
    queues: Queues<'a>,
}

impl<'a> Totals<'a> {
    fn of(call: &Call<'a>, chunks: &Chunks<'_>) -> Result<Self, BundleError> {
        let mut totals = Self {
            matching: Matching::new(call.pattern()),
            matched: [0; FAMILIES.len()],
            truncated_chunks: 0,
            dropped_records: 0,
            queues: Queues::new(call.metadata),
        };
        chunks.each_claimed(|block| totals.add(call, block))?;
        Ok(totals)
    }

    fn add(&mut self, call: &Call<'_>, block: &Block<'_>) -> Result<(), Fault> {
        if block.starts_chunk && block.header.is_truncated {
            self.truncated_chunks += 1;
            self.dropped_records =
                self.dropped_records.wrapping_add(block.header.dropped_record_count);
        }
        let Some(family) = FAMILIES.get(block.table) else { return Ok(()) };
        let id = call.id();
        let mut matched = 0;
        block.each_row(family.layout, |row| {
            let [kind, submission, device, queue, stream] = row.numbers(family);
            if id.is_some_and(|id| id != submission) || !self.matching.matches(kind) {
                return Ok(());
            }
            matched += 1;
            self.queues.check(block, row.byte_offset, [device, queue, stream])
        })?;
        if let Some(all) = self.matched.get_mut(block.table) {
            *all += matched;
        }
        Ok(())
    }
}

/// Matches operation types against a pattern; remembers the last type, as types come in runs.
struct Matching {
    pattern: Option<Pattern>,
    last: Option<(u64, bool)>,
}

impl Matching {
    fn new(pattern: Pattern) -> Self {
        Self { pattern: (!pattern.matches_all()).then_some(pattern), last: None }
    }

    #[inline]
    fn matches(&mut self, kind: u64) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        if let Some((known, matches)) = self.last
            && known == kind
        {
            return matches;
        }
        // `iree-profile` prints type 0 (none) as unknown.
        let named = u32::try_from(kind).ok().filter(|kind| *kind != 0);
        let name = named.map_or("unknown", |kind| QUEUE_EVENT_TYPE.name_of(kind));
        let matches = pattern.matches(name);
        self.last = Some((kind, matches));
        matches
    }
}
