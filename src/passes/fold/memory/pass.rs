//! The pass over memory events, which enters them in the ledger.

use std::sync::Arc;

use base::Pattern;
use read::bundle::{BundleError, Fault};
use schemas::enums::MEMORY_EVENT_TYPE;

use crate::fold::memory::columns::OUTPUTS;
use crate::fold::memory::events::{EVENT, Event, STATS, TYPES};
use crate::fold::memory::ledger::Ledger;
use crate::fold::memory::{columns as rows, lifetimes};
use crate::fold::pass::{Call, Parameter, Pass};
use crate::fold::shared::{Block, Relation, blocks};

/// The pass over memory events and the queue operations that allocate and free.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).taking(&[Parameter::Filter, Parameter::Id]);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let ledger = read(call)?;
    Ok(vec![
        rows::total_columns().relation([&ledger]),
        rows::devices(&ledger),
        rows::pools(&ledger),
        Relation::Sliced(Arc::new(rows::Allocations(ledger))),
    ])
}

const EVENTS: usize = 0;
const TABLES: [&str; 2] = [EVENT.table, lifetimes::OPERATION.table];

fn read(call: &Call<'_>) -> Result<Ledger, BundleError> {
    let mut ledger = Ledger::default();
    let matching = Matching::new(call);
    blocks(call.bundle, &TABLES, |block| match block.table {
        EVENTS => add(&mut ledger, &matching, block),
        _ => ledger.operations.add(call.metadata, block),
    })?;
    ledger.operations.sort();
    Ok(ledger)
}

/// Adds the matching events of a block.
fn add(ledger: &mut Ledger, matching: &Matching, block: &Block<'_>) -> Result<(), Fault> {
    let header = block.header;
    if block.starts_chunk && header.is_truncated {
        ledger.truncated_chunks += 1;
        ledger.dropped_records = ledger.dropped_records.wrapping_add(header.dropped_record_count);
    }
    ledger.total_events += block.row_count() as u64;
    for row in block.rows() {
        let event = Event::of(row);
        if !matching.matches(&event) {
            continue;
        }
        ledger.matched_events += 1;
        ledger.truncated_matched_events += u64::from(header.is_truncated);
        let stats = event.has_stats().then(|| row.numbers(&STATS));
        if let Err(whose) = ledger.add(&event, stats) {
            let what = format!("the total bytes of its {whose} overflow 64 bits");
            return Err(block.fault(row, "length", what));
        }
    }
    Ok(())
}

/// The filter on events.
struct Matching {
    id: Option<u64>,
    /// For each event type from 0 on, whether it matches the pattern; the last element is for unknown types.
    types: [bool; TYPES.len() + 2],
}

impl Matching {
    fn new(call: &Call<'_>) -> Self {
        let pattern: Pattern = call.pattern();
        let mut types = [false; TYPES.len() + 2];
        for (kind, matches) in (0..).zip(&mut types) {
            // Type 0 has a name in the format, but `iree-profile` prints it as unknown.
            let name = if kind == 0 { "unknown" } else { MEMORY_EVENT_TYPE.name_of(kind) };
            *matches = pattern.matches(name);
        }
        Self { id: call.id(), types }
    }

    #[inline]
    fn matches(&self, event: &Event) -> bool {
        let named = usize::try_from(event.kind).ok().and_then(|kind| self.types.get(kind));
        self.id.is_none_or(|id| id == event.id || id == event.allocation_id)
            && named.or(self.types.last()).is_some_and(|matches| *matches)
    }
}
