//! The dispatches that measure the peaks of a device, and the peaks that follow from their times.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::bench::configuration::Configuration;
use crate::bench::element::Types;
use crate::bench::error::BenchError;
use crate::bench::operation::{Epilogue, Kind, Operation, Shape};
use crate::bench::request::{Collection, Request, collections};
use crate::bench::run::{DispatchRun, Settings};
use crate::bench::target::{Backend, Target};

/// Rows and columns of the matrices of the stream: 64 MiB each, which no cache holds as a whole.
const STREAM: u64 = 4096;
/// Rows, columns and depth of the product whose time is that of a dispatch.
const LEAST: u64 = 4;

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Peaks {
    /// Operations per second, and the fastest dispatch, by element type of the operands.
    pub flops_per_s: BTreeMap<String, (f64, String)>,
    /// Bytes per second of memory.
    pub bytes_per_s: f64,
    /// Duration of a dispatch that does next to nothing.
    pub launch_ns: f64,
}

/// Returns the default of rows, columns and depth of the products: large enough to reach the peak, small enough for the
/// time of a software device.
pub fn size(target: &Target) -> u64 {
    match target.backend() {
        Backend::LlvmCpu | Backend::VulkanSpirv => 1024,
        Backend::Cuda | Backend::Rocm => 4096,
    }
}

/// Returns the settings of the measurement: the fastest run counts, so few suffice.
pub fn settings() -> Settings {
    Settings {
        force: true,
        run_limit: Duration::from_secs(30),
        profile: true,
        processes: 1,
        repetitions: 3,
        batch_size: 4,
        ..Settings::default()
    }
}

/// Returns the dispatches to measure: products of each element type in all configurations, a stream through memory, and
/// a product of next to nothing.
pub fn dispatches(size: u64, target: &Target) -> Result<Vec<Collection>, BenchError> {
    let request = Request {
        kinds: vec![Kind::Matmul],
        epilogues: vec![Epilogue::None],
        m: vec![size],
        n: vec![size],
        k: vec![size],
        default_config: true,
        ..Request::default()
    };
    let mut all = collections(&request, target)?;
    all.extend([stream(), least()].map(|operation| Collection {
        operation,
        configurations: vec![Configuration::DEFAULT],
        skipped: Vec::new(),
    }));
    Ok(all)
}

/// With a depth of one, the sum of a product and a matrix reads a matrix and writes one, and computes little.
fn stream() -> Operation {
    let shape = Shape::Matmul { m: STREAM, n: STREAM, k: 1 };
    Operation { shape, types: Types::F32, epilogue: Epilogue::ElementwiseAdd }
}

fn least() -> Operation {
    let shape = Shape::Matmul { m: LEAST, n: LEAST, k: LEAST };
    Operation { shape, types: Types::F32, epilogue: Epilogue::None }
}

/// Derives the peaks from the rows of a sweep. Peaks are those of the fastest run. `None` if the stream, the least
/// dispatch or all products failed.
pub fn measured(rows: &[DispatchRun]) -> Option<Peaks> {
    let (stream, least) = (stream().name(), least().name());
    let of = |operation: &str| rows.iter().find(|row| row.operation == operation);
    let mut flops_per_s: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.operation != stream && row.operation != least) {
        let element = row.lhs.trim_end_matches('t');
        let Some(rate) = row.min_ns.and_then(|ns| rate(row.flops, ns)) else { continue };
        let known = flops_per_s.get(element).map_or(0.0, |(known, _)| *known);
        if rate > known {
            flops_per_s.insert(element.to_owned(), (rate, row.dispatch.clone()));
        }
    }
    let stream = of(&stream)?;
    let bytes_per_s = rate(stream.bytes, stream.min_ns?)?;
    let launch_ns = of(&least)?.median_ns?;
    (!flops_per_s.is_empty()).then_some(Peaks { flops_per_s, bytes_per_s, launch_ns })
}

#[expect(clippy::cast_precision_loss, reason = "rates need fewer digits")]
fn rate(amount: u64, ns: f64) -> Option<f64> {
    Some(amount as f64 / ns * 1e9).filter(|rate| rate.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of all dispatches, each with the duration that `ns` returns.
    fn rows(ns: impl Fn(&DispatchRun) -> Option<f64>) -> Vec<DispatchRun> {
        let target = Target::default();
        let mut rows = Vec::new();
        for collection in dispatches(64, &target).expect("dispatches") {
            for configuration in &collection.configurations {
                let mut row = DispatchRun::of(&collection, configuration, &target);
                row.min_ns = ns(&row);
                row.median_ns = row.min_ns.map(|ns| ns * 2.0);
                rows.push(row);
            }
        }
        rows
    }

    #[test]
    fn the_fastest_product_of_a_type_is_its_peak() {
        let all =
            rows(|row| Some(if row.configuration.contains("default") { 1000.0 } else { 4000.0 }));
        let peaks = measured(&all).expect("peaks");
        let types: Vec<&str> = peaks.flops_per_s.keys().map(String::as_str).collect();
        assert_eq!(types, ["bf16", "f16", "f32", "i8"]);
        for (rate, dispatch) in peaks.flops_per_s.values() {
            assert!((rate - 2.0 * 64.0 * 64.0 * 64.0 * 1e6).abs() < 1.0, "{rate}");
            assert!(dispatch.ends_with("tile_config_default"), "{dispatch}");
        }
        let moved = 4.0 * (2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0);
        assert!((peaks.bytes_per_s - moved * 1e6).abs() < 1.0, "{}", peaks.bytes_per_s);
        assert!((peaks.launch_ns - 2000.0).abs() < 1e-9);
    }

    #[test]
    fn what_failed_has_no_peak() {
        let without =
            |what: &str| measured(&rows(|row| (!row.operation.contains(what)).then_some(1.0)));
        let peaks = without("f16t").expect("other types");
        assert!(!peaks.flops_per_s.contains_key("f16") && peaks.flops_per_s.contains_key("f32"));
        assert_eq!(without("4096x4096x1"), None);
        assert_eq!(without("_4x4x4_"), None);
        assert_eq!(without("_64x64x64_"), None);
    }
}
