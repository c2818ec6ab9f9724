//! Compares the statistics with scipy, and change points with Apache Otava.

use std::process::Command;

use ireescope::statistics::{Distances, Summary, adjusted, change_points, ratio_of, welch_test};
use libtest_mimic::Trial;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

use super::differential::BIN;
use crate::support::ask::root;
use crate::trial;

pub fn trials() -> Vec<Trial> {
    vec![trial("statistics::they_are_as_others_compute_them".into(), compared)]
}

/// Draws a whole number below `limit`; a small limit gives ties.
fn drawn(random: &mut ChaCha8Rng, limit: u32) -> f64 {
    f64::from(random.next_u32() % limit)
}

fn cases() -> Value {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    let welch = (0..60).map(|nth: usize| {
        let (limit, most) = [(1_000_000, 9), (4, 5), (1_000_000, 60), (30, 50)][nth % 4];
        let fewest = if most > 30 { most } else { 2 };
        let mut group = |shift: f64| -> Vec<f64> {
            let count = fewest + random.next_u32() % most;
            (0..count).map(|_| drawn(&mut random, limit) + shift).collect()
        };
        let (one, other) = (group(0.0), group(f64::from(limit / 8)));
        json!({ "p": welch_test(&one, &other), "one": one, "other": other })
    });
    let welch: Vec<Value> = welch.collect();
    let adjusted = (1..30).map(|count| {
        let p: Vec<f64> = (0..count).map(|_| drawn(&mut random, 1000) / 1000.0).collect();
        json!({ "q": adjusted(&p), "p": p })
    });
    let adjusted: Vec<Value> = adjusted.collect();
    let ratio = [4, 7, 12, 20].map(|runs| {
        let mut side = |level: f64| -> Vec<Vec<f64>> {
            let run = |random: &mut ChaCha8Rng| {
                let own = level + drawn(random, 50);
                (0..5).map(|_| own + drawn(random, 20)).collect()
            };
            (0..runs).map(|_| run(&mut random)).collect()
        };
        let (base, new) = (side(1000.0), side(1030.0));
        let found = ratio_of(&base, &new, Summary::Median, 7).unwrap();
        json!({ "low": found.low, "high": found.high, "base": base, "new": new })
    });
    let changes = changes(&mut random);
    json!({ "welch": welch, "adjusted": adjusted, "ratio": ratio, "changes": changes })
}

/// Series of the usual shapes, with noise of about 1 %.
fn changes(random: &mut ChaCha8Rng) -> Vec<Value> {
    type Shape = (&'static str, fn(f64) -> f64);
    const SHAPES: [Shape; 7] = [
        ("none", |_| 0.0),
        ("none", |_| 5.0),
        ("step", |nth| if nth < 30.0 { 0.0 } else { 0.05 }),
        ("step down", |nth| if nth < 12.0 { 0.1 } else { 0.0 }),
        ("two steps", |nth| {
            if nth < 20.0 {
                0.0
            } else if nth < 40.0 {
                0.06
            } else {
                0.12
            }
        }),
        ("there and back", |nth| if (20.0..40.0).contains(&nth) { 0.1 } else { 0.0 }),
        ("ramp", |nth| 0.003 * nth),
    ];
    let case = |(shape, level): (&str, fn(f64) -> f64)| {
        let noise = |random: &mut ChaCha8Rng| (0..4).map(|_| drawn(random, 1000)).sum::<f64>();
        let values: Vec<f64> = (0..60)
            .map(|nth| level(f64::from(nth)) + (noise(random) - 2000.0) / 60_000.0)
            .collect();
        let distances = Distances::of(&values);
        let mut statistics = Vec::new();
        distances.scan(distances.order(), |place, statistic| statistics.push((place, statistic)));
        let found = change_points(&values, 1).points;
        let points: Vec<usize> = found.iter().map(|point| point.at).collect();
        json!({ "shape": shape, "statistics": statistics, "points": points, "values": values })
    };
    SHAPES.map(case).to_vec()
}

fn compared() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), cases().to_string()).unwrap();
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_statistics.py"))
        .arg(file.path())
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
