//! Tests clocks that do not run evenly: real captures are changed so that the host's clock jumps or runs faster from some moment
//! on. What is said of them is what is said of the unchanged capture, or that it is unknown.

use std::fs;

use ireescope::engine::Engine;

use crate::Test;
use crate::support::ask::{captures, cell, engine, engine_of, root, rows};
use crate::support::built;
use crate::support::changes::{Clock, DEVICE, HOST, bend, each, get, set};
use crate::support::parts::Parts;

pub const TESTS: &[Test] = &[
    ("a_jump_of_the_host_makes_causes_unknown", || changed(&HOST, |time| time + 3_000_000)),
    ("a_jump_of_the_device_makes_causes_unknown", || changed(&DEVICE, |time| time + 3_000_000)),
    ("another_rate_makes_causes_unknown", || changed(&HOST, |time| time + time / 10)),
    ("a_clock_that_is_read_with_noise_is_even", noisy),
    ("columns_rows_and_findings_agree", agree),
];

const CLOCK: &str = "clock_correlation_record";

fn capture() -> Parts {
    let path = root().join("tests/data/mlp-vulkan.ireeprof");
    Parts::of(&fs::read(path).unwrap())
}

/// Returns the figures of all clock correlations: tick, the driver's time, and the times before and after the reading.
#[expect(clippy::cast_precision_loss, reason = "the ticks and times are below 2^53")]
fn samples(parts: &mut Parts) -> Vec<[f64; 4]> {
    let mut all = Vec::new();
    each(parts, "clock-correlations", |record| {
        let fields =
            ["device_tick", "host_cpu_timestamp_ns", "host_time_begin_ns", "host_time_end_ns"];
        all.push(fields.map(|field| get(record, CLOCK, field) as f64));
    });
    all
}

/// Returns how far samples are off the line through the first and the last one, by the driver's clock and by IREE's.
fn residuals(samples: &[[f64; 4]]) -> [f64; 2] {
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    let middle = |[_, _, begin, end]: [f64; 4]| f64::midpoint(begin, end);
    let line = |from: f64, to: f64, tick: f64| {
        from + (to - from) * ((tick - first[0]) / (last[0] - first[0]))
    };
    let off = |sample: &[f64; 4]| {
        let [tick, driver, begin, end] = *sample;
        let by_driver = (line(first[1], last[1], tick) - driver).abs() - (end - begin);
        let time = line(middle(first), middle(last), tick);
        [by_driver.max(0.0), (begin - time).max(time - end).max(0.0)]
    };
    samples.iter().map(off).fold([0.0; 2], |most, off| [most[0].max(off[0]), most[1].max(off[1])])
}

/// Asserts that the residuals are those of the samples, and returns the larger one.
fn check_residuals(engine: &Engine, samples: &[[f64; 4]]) -> f64 {
    let found = rows(engine, "SELECT residual_ns FROM clock_fits ORDER BY time_domain");
    let expected = residuals(samples);
    for (found, expected) in found.iter().zip(expected) {
        let found: f64 = found[0].parse().unwrap();
        assert!((found - expected).abs() <= 2.0, "{found} is not {expected}");
    }
    expected[0].max(expected[1])
}

/// Changes a clock from the middle of the capture on. Asserts that `doctor` tells by how much it is off. Returns the bundle.
fn told(clock: &Clock, change: fn(u64) -> u64) -> Engine {
    let mut parts = capture();
    bend(&mut parts, clock, 11, change);
    let engine = engine_of(&parts.bytes());
    let residual = check_residuals(&engine, &samples(&mut parts));
    assert!(residual > 1_300_000.0, "{residual}");
    let said = rows(&engine, "SELECT finding, what FROM doctor WHERE severity <> 'info'");
    assert_eq!(said.len(), 1, "{said:?}");
    let said = said[0].join(",");
    assert!(said.starts_with("uneven_clock,"), "{said}");
    let by = format!("by up to {:.3} ms in ", residual / 1e6);
    assert!(said.contains(&by), "{said} has not {by}");
    engine
}

fn changed(clock: &Clock, change: fn(u64) -> u64) {
    let (even, uneven) = (engine_of(&capture().bytes()), told(clock, change));
    for (what, query) in [
        ("reason", "SELECT reason FROM critical_path ORDER BY invocation, position"),
        ("cause", "SELECT cause FROM idle_gaps ORDER BY start_ns"),
    ] {
        let (before, after) = (rows(&even, query), rows(&uneven, query));
        assert_eq!(before.len(), after.len(), "{what}");
        for (before, after) in before.iter().zip(&after) {
            assert!(after == before || after[0] == "unknown", "{what}: {after:?} was {before:?}");
        }
    }
    let hosts = "SELECT count(*) FROM idle_gaps WHERE cause = 'host'";
    assert_eq!(cell(&even, hosts), "19");
    assert_ne!(cell(&uneven, hosts), "19", "gaps are shorter than what the clock is off");
    for same in [
        "SELECT count(*), sum(dispatch_count) FROM invocations",
        "SELECT key, sum(duration_ticks) FROM dispatches GROUP BY key ORDER BY key",
    ] {
        assert_eq!(rows(&even, same), rows(&uneven, same), "{same}");
    }
}

/// The device's clock is read anywhere within a reading of up to 20 µs.
fn noisy() {
    let mut parts = capture();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    each(&mut parts, "clock-correlations", |record| {
        let (before, after) = (next(10_000), next(10_000));
        for (field, by) in [
            ("host_time_begin_ns", -before.cast_signed()),
            ("host_time_end_ns", after.cast_signed()),
            ("host_cpu_timestamp_ns", after.cast_signed() / 2),
        ] {
            let time = get(record, CLOCK, field);
            set(record, CLOCK, field, time.wrapping_add_signed(by));
        }
    });
    let engine = engine_of(&parts.bytes());
    let residual = check_residuals(&engine, &samples(&mut parts));
    assert!(residual > 0.0, "there is noise");
    assert!(rows(&engine, "SELECT what FROM doctor WHERE severity <> 'info'").is_empty());
}

/// The residuals of fits, those of samples, and the counts of findings are computed apart.
fn agree() {
    let mut bundles: Vec<(String, Engine)> =
        captures().iter().map(|path| (path.display().to_string(), engine(path))).collect();
    // A chunk of this one is damaged.
    let names = built::ALL.iter().filter(|name| **name != "long_trace");
    bundles.extend(names.map(|name| ((*name).to_owned(), engine_of(&built::named(name)))));
    let mut compared = 0;
    for (name, engine) in bundles {
        for (domain, column) in [
            ("driver_host_cpu_timestamp_ns", "driver_residual_ns"),
            ("iree_host_time_ns", "host_residual_ns"),
        ] {
            let fits = format!(
                "SELECT session_id, physical_device_ordinal, residual_ns FROM clock_fits \
                 WHERE available AND time_domain = '{domain}' ORDER BY ALL"
            );
            let samples = format!(
                "SELECT session_id, physical_device_ordinal, max({column}) FROM clock_residuals \
                 WHERE {column} IS NOT NULL GROUP BY 1, 2 ORDER BY ALL"
            );
            let fits = rows(&engine, &fits);
            assert_eq!(fits, rows(&engine, &samples), "{name}: {column}");
            compared += fits.len();
        }
        let unexplained = "SELECT count(*) FROM clock_residuals WHERE NOT is_explained GROUP BY session_id, physical_device_ordinal ORDER BY ALL";
        let counts = rows(&engine, unexplained);
        let told = "SELECT count FROM doctor WHERE finding = 'uneven_clock' ORDER BY ALL";
        assert_eq!(rows(&engine, told), counts, "{name}");
    }
    assert!(compared > 20, "{compared} residuals were compared");
}
