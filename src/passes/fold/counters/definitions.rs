//! Reads hardware counters and the counter sets in which they are sampled.
//!
//! As in `iree-profile`, lookups ignore the session, and the first definition of an id counts.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError, Fault};
use schemas::enums::COUNTER_UNIT;
use schemas::place::Places;

use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Block, Columns, Grouped, Relation, Row, blocks};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[
    Output::of("first_counter_sets", "The first record of each counter set.", || {
        set_columns().fields()
    }),
    Output::of(
        "first_counters",
        "The first record of each counter, with the name of its set.",
        || counter_columns().fields(),
    ),
];

const SETS: usize = 0;
const TABLES: [&str; 2] = [SET.table, COUNTER.table];

const SET: Places<5> = Places::new(
    "counter_sets",
    ["counter_set_id", "physical_device_ordinal", "flags", "counter_count", "sample_value_count"],
);

const COUNTER: Places<7> = Places::new(
    "counters",
    [
        "counter_set_id",
        "counter_ordinal",
        "physical_device_ordinal",
        "flags",
        "unit",
        "sample_value_offset",
        "sample_value_count",
    ],
);

/// A counter set.
#[derive(Debug)]
pub struct CounterSet {
    pub id: u64,
    pub sample_value_count: u64,
    pub name: String,
    /// Indices of its counters in [`Counters::all`].
    pub counters: Vec<usize>,
    physical_device_ordinal: u64,
    flags: u64,
    counter_count: u64,
}

/// A counter of a counter set.
#[derive(Debug)]
pub struct Counter {
    pub ordinal: u64,
    pub sample_value_offset: u64,
    pub sample_value_count: u64,
    pub block_name: String,
    pub name: String,
    unit: u64,
    /// Id of its set.
    set: u64,
    physical_device_ordinal: u64,
    flags: u64,
    description: String,
}

impl Counter {
    /// Returns the name of the unit.
    pub fn unit_name(&self) -> &'static str {
        u32::try_from(self.unit).map_or("unknown", |unit| COUNTER_UNIT.name_of(unit))
    }
}

/// The counter sets and counters of a bundle, in order of appearance.
#[derive(Debug, Default)]
pub struct Counters {
    pub sets: Grouped<1, CounterSet>,
    pub all: Grouped<2, Counter>,
}

impl Counters {
    /// Reads the counters of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut counters = Self::default();
        blocks(bundle, &TABLES, |block| {
            block.rows().try_for_each(|row| match block.table {
                SETS => counters.add_set(block, row),
                _ => counters.add_counter(block, row),
            })
        })?;
        Ok(counters)
    }

    fn add_set(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        let [id, physical_device_ordinal, flags, counter_count, sample_value_count] =
            row.numbers(&SET);
        check_texts(block, row, 1)?;
        self.sets.define([id], || CounterSet {
            id,
            physical_device_ordinal,
            flags,
            counter_count,
            sample_value_count,
            name: row.text(0).into_owned(),
            counters: Vec::new(),
        });
        Ok(())
    }

    fn add_counter(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        let [set_id, ordinal, physical_device_ordinal, flags, unit, offset, count] =
            row.numbers(&COUNTER);
        check_texts(block, row, 3)?;
        let Some(set) = self.sets.find_mut([set_id]) else {
            let what = format!(
                "counter {ordinal} refers to counter set {set_id}, which has no earlier record"
            );
            return Err(block.fault(row, "counter_set_id", what));
        };
        let position = self.all.len();
        self.all.define([set_id, ordinal], || {
            set.counters.push(position);
            Counter {
                set: set_id,
                ordinal,
                physical_device_ordinal,
                flags,
                unit,
                sample_value_offset: offset,
                sample_value_count: count,
                block_name: row.text(0).into_owned(),
                name: row.text(1).into_owned(),
                description: row.text(2).into_owned(),
            }
        });
        Ok(())
    }
}

fn check_texts(block: &Block<'_>, row: Row<'_>, count: usize) -> Result<(), Fault> {
    if row.texts_fill(count) {
        return Ok(());
    }
    let what = "the names do not end at the end of the record".to_owned();
    Err(block.fault(row, "name_length", what))
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let counters = Counters::read(call.bundle)?;
    let rows: Vec<(&Counter, &CounterSet)> = counters
        .all
        .values()
        .iter()
        .filter_map(|it| Some((it, counters.sets.find([it.set])?)))
        .collect();
    Ok(vec![set_columns().relation(counters.sets.values()), counter_columns().relation(&rows)])
}

fn set_columns() -> Columns<CounterSet> {
    Columns::<CounterSet>::new()
        .position()
        .number("counter_set_id", |set| set.id)
        .number("physical_device_ordinal", |set| set.physical_device_ordinal)
        .number("flags", |set| set.flags)
        .number("counter_count", |set| set.counter_count)
        .number("sample_value_count", |set| set.sample_value_count)
        .text("name", |set| &set.name)
}

fn counter_columns<'a>() -> Columns<(&'a Counter, &'a CounterSet)> {
    Columns::<(&Counter, &CounterSet)>::new()
        .position()
        .number("counter_set_id", |(_, set)| set.id)
        .number("counter_ordinal", |(counter, _)| counter.ordinal)
        .number("physical_device_ordinal", |(counter, _)| counter.physical_device_ordinal)
        .number("flags", |(counter, _)| counter.flags)
        .text("unit", |(counter, _)| counter.unit_name())
        .number("unit_value", |(counter, _)| counter.unit)
        .number("sample_value_offset", |(counter, _)| counter.sample_value_offset)
        .number("sample_value_count", |(counter, _)| counter.sample_value_count)
        .text("block_name", |(counter, _)| &counter.block_name)
        .text("name", |(counter, _)| &counter.name)
        .text("description", |(counter, _)| &counter.description)
        .text("counter_set", |(_, set)| &set.name)
}
