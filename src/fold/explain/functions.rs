//! Ranks functions by their total time.

use crate::fold::dispatches::{OnDevice, OnHost, Sum};
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

impl<'a> Ranked<'a> {
    fn of<T: Tallied>(pass: &'a Dispatches<'_, T>, group: usize, ids: [u64; 3], sum: &Sum) -> Self {
        Self {
            rank: 0,
            ids,
            key: pass.key(group),
            timing_source: T::TIMING_SOURCE,
            count: sum.times.count,
            valid: sum.times.valid,
            total_ticks: 0,
            max_ticks: 0,
            has_ns: false,
            total_ns: 0,
            mean_ns: 0.0,
            max_ns: 0,
            tiles: (sum.tile_count, sum.tile_duration_ns),
        }
    }

    /// Returns the sort key: the total in nanoseconds, or in ticks if these cannot be converted.
    #[expect(
        clippy::cast_precision_loss,
        reason = "as in the reference; differences below the precision are ties"
    )]
    const fn score(&self) -> f64 {
        if self.has_ns { self.total_ns as f64 } else { self.total_ticks as f64 }
    }
}

/// Ranks the functions timed by the device.
pub fn on_device<'a>(pass: &'a Dispatches<'_, OnDevice>, metadata: &Metadata) -> Vec<Ranked<'a>> {
    ranked(pass.matching().map(|(group, ids, sum)| {
        let (total_ticks, max_ticks) = (sum.times.total, sum.times.longest());
        let mut ranked = Ranked { total_ticks, max_ticks, ..Ranked::of(pass, group, ids, sum) };
        if let Some(fit) = metadata.fit(ids[0]) {
            // If only the total cannot be converted, `iree-profile` still prints the maximum.
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
    }))
}

/// Ranks the functions timed by the host.
pub fn on_host<'a>(pass: &'a Dispatches<'_, OnHost>) -> Vec<Ranked<'a>> {
    ranked(pass.matching().map(|(group, ids, sum)| Ranked {
        has_ns: true,
        total_ns: sum.times.total.cast_signed(),
        mean_ns: pass.mean(group),
        max_ns: sum.times.longest().cast_signed(),
        ..Ranked::of(pass, group, ids, sum)
    }))
}

fn ranked<'a>(functions: impl Iterator<Item = Ranked<'a>>) -> Vec<Ranked<'a>> {
    let mut ranked: Vec<Ranked<'_>> = functions.filter(|function| function.valid > 0).collect();
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
