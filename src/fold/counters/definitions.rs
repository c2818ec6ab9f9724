//! Hardware counters and the sets that they are sampled in.
//!
//! Ids are looked up in the whole file, whatever the session, and the first definition counts, as `iree-profile` has it.

use std::sync::Arc;

use arrow::datatypes::DataType::{UInt64, Utf8View};
use schemas::enums::COUNTER_UNIT;

use crate::bundle::{Bundle, BundleError, Fault};
use crate::fold::pass::{Call, Columns, Fold, Output};
use crate::fold::shared::arrays::{numbers, optional_numbers, optional_texts, positions, texts};
use crate::fold::shared::blocks::{Block, Wanted, blocks};
use crate::fold::shared::groups::Groups;

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[
    Output {
        name: "first_counter_sets",
        doc: "The first record of each counter set.",
        arguments: &[],
        columns: &[
            ("position", UInt64),
            ("counter_set_id", UInt64),
            ("physical_device_ordinal", UInt64),
            ("flags", UInt64),
            ("counter_count", UInt64),
            ("sample_value_count", UInt64),
            ("name", Utf8View),
        ],
    },
    Output {
        name: "first_counters",
        doc: "The first record of each counter, with the name of its set.",
        arguments: &[],
        columns: &[
            ("position", UInt64),
            ("counter_set_id", UInt64),
            ("counter_ordinal", UInt64),
            ("physical_device_ordinal", UInt64),
            ("flags", UInt64),
            ("unit", Utf8View),
            ("unit_value", UInt64),
            ("sample_value_offset", UInt64),
            ("sample_value_count", UInt64),
            ("block_name", Utf8View),
            ("name", Utf8View),
            ("description", Utf8View),
            ("counter_set", Utf8View),
        ],
    },
];

const SETS: usize = 0;

const WANTED: &[Wanted] = &[
    Wanted::of(
        "counter_sets",
        &[
            "counter_set_id",
            "physical_device_ordinal",
            "flags",
            "counter_count",
            "sample_value_count",
        ],
    ),
    Wanted::of(
        "counters",
        &[
            "counter_set_id",
            "counter_ordinal",
            "physical_device_ordinal",
            "flags",
            "unit_value",
            "sample_value_offset",
            "sample_value_count",
        ],
    ),
];

/// A set of counters.
#[derive(Debug)]
pub struct CounterSet {
    pub id: u64,
    pub sample_value_count: u64,
    pub name: String,
    /// Positions of its counters, in order of appearance.
    pub counters: Vec<usize>,
    physical_device_ordinal: u64,
    flags: u64,
    counter_count: u64,
}

/// A counter of a set.
#[derive(Debug)]
pub struct Counter {
    pub ordinal: u64,
    pub sample_value_offset: u64,
    pub sample_value_count: u64,
    pub block_name: String,
    pub name: String,
    unit: u64,
    /// Position of its set.
    set: usize,
    physical_device_ordinal: u64,
    flags: u64,
    description: String,
}

impl Counter {
    /// What it counts.
    pub fn unit_name(&self) -> &'static str {
        u32::try_from(self.unit).map_or("unknown", |unit| COUNTER_UNIT.name_of(unit))
    }
}

/// The counters of a bundle, in order of appearance.
#[derive(Debug, Default)]
pub struct Counters {
    set_ids: Groups<1>,
    pub sets: Vec<CounterSet>,
    ids: Groups<2>,
    pub all: Vec<Counter>,
}

impl Counters {
    /// Reads the counters of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut counters = Self::default();
        blocks(bundle, WANTED, |block| {
            (0..block.row_count())
                .try_for_each(|row| match block.wanted {
                    SETS => counters.add_set(block, row),
                    _ => counters.add_counter(block, row),
                })
                .map_err(|fault| bundle.damaged(fault))
        })?;
        Ok(counters)
    }

    /// The position of a set.
    pub fn set(&self, counter_set_id: u64) -> Option<usize> {
        self.set_ids.find([counter_set_id])
    }

    fn add_set(&mut self, block: &Block<'_>, row: usize) -> Result<(), Fault> {
        let value = |nth| block.value(nth, row);
        check_texts(block, row, 1)?;
        if self.set_ids.number([value(0)]) == self.sets.len() {
            self.sets.push(CounterSet {
                id: value(0),
                physical_device_ordinal: value(1),
                flags: value(2),
                counter_count: value(3),
                sample_value_count: value(4),
                name: block.text(row, 0).into_owned(),
                counters: Vec::new(),
            });
        }
        Ok(())
    }

    fn add_counter(&mut self, block: &Block<'_>, row: usize) -> Result<(), Fault> {
        let value = |nth| block.value(nth, row);
        check_texts(block, row, 3)?;
        let place = self.set(value(0));
        let Some((place, set)) = place.and_then(|place| Some((place, self.sets.get_mut(place)?)))
        else {
            let what = format!(
                "counter {} is of counter set {}, which no earlier record describes",
                value(1),
                value(0)
            );
            return Err(block.fault(row, "counter_set_id", what));
        };
        if self.ids.number([value(0), value(1)]) == self.all.len() {
            set.counters.push(self.all.len());
            self.all.push(Counter {
                set: place,
                ordinal: value(1),
                physical_device_ordinal: value(2),
                flags: value(3),
                unit: value(4),
                sample_value_offset: value(5),
                sample_value_count: value(6),
                block_name: block.text(row, 0).into_owned(),
                name: block.text(row, 1).into_owned(),
                description: block.text(row, 2).into_owned(),
            });
        }
        Ok(())
    }
}

fn check_texts(block: &Block<'_>, row: usize, count: usize) -> Result<(), Fault> {
    if block.texts_fill(row, count) {
        return Ok(());
    }
    let what = "the names do not end where the record does".to_owned();
    Err(block.fault(row, "name_length", what))
}

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let counters = Counters::read(call.bundle)?;
    Ok(vec![set_columns(&counters.sets), counters.counter_columns()])
}

fn set_columns(sets: &[CounterSet]) -> Columns {
    let number = |part: fn(&CounterSet) -> u64| numbers(sets.iter().map(part));
    vec![
        positions(sets.len()),
        number(|set| set.id),
        number(|set| set.physical_device_ordinal),
        number(|set| set.flags),
        number(|set| set.counter_count),
        number(|set| set.sample_value_count),
        texts(sets.iter().map(|set| &set.name)),
    ]
}

impl Counters {
    fn counter_columns(&self) -> Columns {
        let number = |part: fn(&Counter) -> u64| numbers(self.all.iter().map(part));
        let text = |part: fn(&Counter) -> &str| texts(self.all.iter().map(part));
        let sets: Vec<Option<&CounterSet>> =
            self.all.iter().map(|counter| self.sets.get(counter.set)).collect();
        let set_ids = sets.iter().map(|set| set.map(|set| set.id));
        let set_names = sets.iter().map(|set| set.map(|set| set.name.as_str()));
        vec![
            positions(self.all.len()),
            optional_numbers(set_ids),
            number(|counter| counter.ordinal),
            number(|counter| counter.physical_device_ordinal),
            number(|counter| counter.flags),
            text(Counter::unit_name),
            number(|counter| counter.unit),
            number(|counter| counter.sample_value_offset),
            number(|counter| counter.sample_value_count),
            text(|counter| &counter.block_name),
            text(|counter| &counter.name),
            text(|counter| &counter.description),
            optional_texts(set_names),
        ]
    }
}
