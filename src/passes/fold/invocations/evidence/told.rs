//! Evidence: what is known beside the bundle. A capture set says which tool recorded it, and what a benchmark counted.
//!
//! `iree-run-module` calls a function once. `iree-benchmark-module` counts items: with `--batch_size=4`, a plain function is
//! called once for four of them, an asynchronous one for each. `iree-benchmark-replay` repeats a recording, which may have
//! several calls.
//!
//! Where it is silent: for bundles without a set, for benchmarks of several functions, and for those that run for a time,
//! as they also call the function to estimate how often.

use read::bundle::Bundle;

/// What is told of the number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallCount {
    Once,
    /// Items of a benchmark, how many of them are a batch, and whether it was told their number.
    Items {
        items: u64,
        batch: u64,
        is_exact: bool,
    },
    Replays(u64),
}

impl CallCount {
    /// Returns what the run that recorded the bundle tells; `None` if there is none.
    pub fn of(bundle: &Bundle) -> Option<Self> {
        let process = bundle.own_run()?.process.as_ref()?;
        let count = process.benchmark.as_ref().map(|benchmark| benchmark.iterations);
        let count = count.filter(|count| *count > 0);
        match process.tool.name.as_str() {
            "iree-run-module" => Some(Self::Once),
            "iree-benchmark-replay" => count.map(Self::Replays),
            _ => count.map(|items| {
                let (batch, is_exact) =
                    (batch_size(&process.arguments), is_exact(&process.arguments));
                Self::Items { items, batch, is_exact }
            }),
        }
    }

    /// Returns how many calls of an asynchronous function are chained.
    pub const fn batch(self) -> Option<u64> {
        match self {
            Self::Items { batch, .. } => Some(batch),
            Self::Once | Self::Replays(_) => None,
        }
    }
}

/// Returns the value of `--batch_size`; 1 without.
fn batch_size(arguments: &[String]) -> u64 {
    let value = value(arguments, "batch_size").and_then(|value| value.parse().ok());
    value.filter(|batch| *batch > 0).unwrap_or(1)
}

/// Whether `--benchmark_min_time` is a number of iterations, such as `20x`, and no time, for which the benchmark also calls the
/// function to estimate how often.
fn is_exact(arguments: &[String]) -> bool {
    value(arguments, "benchmark_min_time").is_some_and(|value| value.ends_with('x'))
}

/// Returns the value of a flag, the last one if there are several.
fn value<'a>(arguments: &'a [String], flag: &str) -> Option<&'a str> {
    arguments.iter().rev().find_map(|word| {
        let (name, value) = word.trim_start_matches('-').split_once('=')?;
        (name.replace('-', "_") == flag).then_some(value)
    })
}

/// There are more calls than are told, as when a benchmark runs for a time.
const MORE: f64 = 0.2;
/// There are others.
const OTHER: f64 = 0.01;
/// There are others than the benchmark was told to make.
const NOT_EXACT: f64 = 0.001;

/// Says how well a number of calls agrees with what is told.
pub fn weight(told: Option<CallCount>, calls: u64) -> f64 {
    let Some(told) = told else { return 1.0 };
    match told {
        CallCount::Once if calls == 1 => 1.0,
        CallCount::Replays(count) if calls.is_multiple_of(count) => 1.0,
        CallCount::Replays(count) if calls > count => MORE,
        CallCount::Items { items, .. } if calls == items => 1.0,
        CallCount::Items { items, batch, .. } if calls == items.div_ceil(batch) => 1.0,
        CallCount::Items { is_exact: true, .. } => NOT_EXACT,
        CallCount::Items { items, .. } if calls > items => MORE,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_calls_or_batches() {
        let told = Some(CallCount::Items { items: 20, batch: 4, is_exact: false });
        let percent = |calls| format!("{:.0}", weight(told, calls) * 100.0);
        assert_eq!([5, 20, 21, 19, 1].map(percent), ["100", "100", "20", "1", "1"]);
        let told = Some(CallCount::Items { items: 20, batch: 4, is_exact: true });
        assert!([19, 21].into_iter().all(|calls| weight(told, calls) < 0.01));
        let words = ["--batch_size=2", "--batch-size=4", "--benchmark_min_time=20x"];
        let words = words.map(String::from);
        assert_eq!((batch_size(&words), is_exact(&words)), (4, true));
        assert_eq!((batch_size(&[]), is_exact(&["--benchmark_min_time=2s".into()])), (1, false));
    }
}
