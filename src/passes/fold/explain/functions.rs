//! Ranks functions by their total time.

use crate::fold::dispatches::Sum;
use crate::fold::explain::dispatches::{Dispatches, Tallied};
use crate::fold::metadata::Metadata;
use crate::fold::shared::Columns;

/// Maximum number of ranked functions.
const COUNT: usize = 10;

/// A row of `explain_functions`: a function on a device.
pub struct Ranked<'a> {
    rank: u64,
    /// Device, executable and ordinal of the function.
    ids: [u64; 3],
    key: &'a str,
    timing_source: &'static str,
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

impl Ranked<'_> {
    /// Returns the sort key: the total in nanoseconds, or in ticks if these cannot be converted.
    #[expect(
        clippy::cast_precision_loss,
        reason = "as in the reference; differences below the precision are ties"
    )]
    const fn score(&self) -> f64 {
        if self.has_ns { self.total_ns as f64 } else { self.total_ticks as f64 }
    }
}

/// Ranks the functions of a family that have valid dispatches.
pub fn ranked<'a, T: Tallied>(pass: &'a Dispatches<'_, T>, metadata: &Metadata) -> Vec<Ranked<'a>> {
    let row = |(group, ids, sum): (usize, [u64; 3], &Sum)| {
        let (total, longest) = (sum.times.total, sum.times.longest());
        let fit = pass.fit(metadata, ids[0]);
        let ns = |ticks| fit.and_then(|fit| fit.ticks_to_ns(ticks));
        // If only the total cannot be converted, `iree-profile` still prints the maximum.
        let max_ns = ns(longest);
        let total_ns = max_ns.and_then(|_| ns(total));
        let mean_ns = fit.filter(|_| total_ns.is_some());
        Ranked {
            rank: 0,
            ids,
            key: pass.key(group),
            timing_source: T::TIMING_SOURCE,
            count: sum.times.count,
            valid: sum.times.valid,
            total_ticks: T::ticks(total),
            max_ticks: T::ticks(longest),
            has_ns: total_ns.is_some(),
            total_ns: total_ns.unwrap_or_default(),
            mean_ns: mean_ns.map_or(0.0, |fit| pass.mean(group) * fit.ns_per_tick()),
            max_ns: max_ns.unwrap_or_default(),
            tiles: (sum.tile_count, sum.tile_duration_ns),
        }
    };
    let mut ranked: Vec<Ranked<'_>> =
        pass.matching().map(row).filter(|function| function.valid > 0).collect();
    // The sort is stable, so equal functions stay in order of appearance.
    ranked.sort_by(|left, right| right.score().total_cmp(&left.score()));
    ranked.truncate(COUNT);
    (1..).zip(&mut ranked).for_each(|(rank, function)| function.rank = rank);
    ranked
}

/// The columns of `explain_functions`.
pub fn columns<'a>() -> Columns<Ranked<'a>> {
    Columns::<Ranked<'_>>::new()
        .number("rank", |function| function.rank)
        .number("physical_device_ordinal", |function| function.ids[0])
        .number("executable_id", |function| function.ids[1])
        .number("function_ordinal", |function| function.ids[2])
        .text("key", |function| function.key)
        .number("dispatches", |function| function.count)
        .number("valid", |function| function.valid)
        .number("invalid", |function| function.count - function.valid)
        .number("total_ticks", |function| function.total_ticks)
        .number("max_ticks", |function| function.max_ticks)
        .text("timing_source", |function| function.timing_source)
        .flag("duration_ns_available", |function| function.has_ns)
        .signed("total_ns", |function| function.total_ns)
        .float("avg_ns", |function| function.mean_ns)
        .signed("max_ns", |function| function.max_ns)
        .number("total_tile_count", |function| function.tiles.0)
        .signed("total_tile_duration_sum_ns", |function| function.tiles.1)
}
