//! The functions that took the longest in all.

use arrow::datatypes::DataType::{Boolean, Float64, Int64, UInt64, Utf8View};

use crate::fold::dispatches::rows::{OnDevice, OnHost};
use crate::fold::dispatches::sums::Sum;
use crate::fold::explain::dispatches::{Pass, Tallied};
use crate::fold::metadata::records::Metadata;
use crate::fold::pass::{Column, Columns};
use crate::fold::shared::arrays::{flags, fractions, numbers, signed, texts};

/// How many are ranked.
const COUNT: usize = 10;

pub const COLUMNS: &[Column] = &[
    ("rank", UInt64),
    ("physical_device_ordinal", UInt64),
    ("executable_id", UInt64),
    ("function_ordinal", UInt64),
    ("key", Utf8View),
    ("dispatches", UInt64),
    ("valid", UInt64),
    ("invalid", UInt64),
    ("total_ticks", UInt64),
    ("max_ticks", UInt64),
    ("timing_source", Utf8View),
    ("duration_ns_available", Boolean),
    ("total_ns", Int64),
    ("avg_ns", Float64),
    ("max_ns", Int64),
    ("total_tile_count", UInt64),
    ("total_tile_duration_sum_ns", Int64),
];

/// A function on a device.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    group: usize,
    key: [u64; 3],
    count: u64,
    valid: u64,
    total_ticks: u64,
    max_ticks: u64,
    has_ns: bool,
    total_ns: i64,
    mean_ns: f64,
    max_ns: i64,
    tiles: (u64, i64),
}

impl Ranked {
    fn of(group: usize, key: [u64; 3], sum: &impl Sum) -> Self {
        Self {
            group,
            key,
            count: sum.times().count,
            valid: sum.times().valid,
            total_ticks: 0,
            max_ticks: 0,
            has_ns: false,
            total_ns: 0,
            mean_ns: 0.0,
            max_ns: 0,
            tiles: sum.tiles(),
        }
    }

    /// What it is ranked by: nanoseconds, or ticks where those cannot be converted.
    #[expect(clippy::cast_precision_loss, reason = "as the reference: what is rounded away ties")]
    const fn score(&self) -> f64 {
        if self.has_ns { self.total_ns as f64 } else { self.total_ticks as f64 }
    }
}

/// The functions that the device timed.
pub fn on_device(pass: &Pass<'_, OnDevice>, metadata: &Metadata) -> Columns {
    let ranked = pass.matching().map(|(group, key, sum)| {
        let (total_ticks, max_ticks) = (sum.times().total, sum.times().longest());
        let mut ranked = Ranked { total_ticks, max_ticks, ..Ranked::of(group, key, sum) };
        if let Some(fit) = metadata.fit(key[0]) {
            // Where the total is too long, the reference still prints the longest.
            let max_ns = fit.ticks_to_ns(max_ticks);
            let total_ns = max_ns.and_then(|_| fit.ticks_to_ns(total_ticks));
            ranked.max_ns = max_ns.unwrap_or_default();
            if let Some(total_ns) = total_ns {
                ranked.has_ns = true;
                ranked.total_ns = total_ns;
                ranked.mean_ns = pass.mean(group) * fit.ns_per_tick();
            }
        }
        ranked
    });
    columns(pass, ranked, "device_dispatch_event")
}

/// The functions that the host timed.
pub fn on_host(pass: &Pass<'_, OnHost>) -> Columns {
    let ranked = pass.matching().map(|(group, key, sum)| Ranked {
        has_ns: true,
        total_ns: sum.times().total.cast_signed(),
        mean_ns: pass.mean(group),
        max_ns: sum.times().longest().cast_signed(),
        ..Ranked::of(group, key, sum)
    });
    columns(pass, ranked, "host_execution_event")
}

fn columns<T: Tallied>(
    pass: &Pass<'_, T>,
    ranked: impl Iterator<Item = Ranked>,
    timing_source: &'static str,
) -> Columns {
    let mut ranked: Vec<Ranked> = ranked.filter(|ranked| ranked.valid > 0).collect();
    // Stable: equal ones stay in order of appearance.
    ranked.sort_by(|left, right| right.score().total_cmp(&left.score()));
    ranked.truncate(COUNT);
    let number = |each: fn(&Ranked) -> u64| numbers(ranked.iter().map(each));
    let ns = |each: fn(&Ranked) -> i64| signed(ranked.iter().map(each));
    vec![
        numbers(1..=ranked.len() as u64),
        number(|ranked| ranked.key[0]),
        number(|ranked| ranked.key[1]),
        number(|ranked| ranked.key[2]),
        texts(ranked.iter().map(|ranked| pass.key(ranked.group))),
        number(|ranked| ranked.count),
        number(|ranked| ranked.valid),
        number(|ranked| ranked.count - ranked.valid),
        number(|ranked| ranked.total_ticks),
        number(|ranked| ranked.max_ticks),
        texts(ranked.iter().map(|_| timing_source)),
        flags(ranked.iter().map(|ranked| ranked.has_ns)),
        ns(|ranked| ranked.total_ns),
        fractions(ranked.iter().map(|ranked| ranked.mean_ns)),
        ns(|ranked| ranked.max_ns),
        number(|ranked| ranked.tiles.0),
        ns(|ranked| ranked.tiles.1),
    ]
}
