//! Tests of unlike work, of equal work, and of exchanged sides.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use schemas::Clock;

use super::tests::{compared, rows};
use super::*;

const DYNAMIC: &str = "main_dispatch_0_matmul_Dx64x128_f32";

/// Rows of one function: by run and iteration its numbers of workgroups and times.
fn shaped(name: &str, runs: usize, shapes: &[(f64, f64)]) -> Vec<Measured> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut rows = rows(&mut random, runs, 0.01, &[1.0]);
    for row in &mut rows {
        let nth = usize::try_from(row.iteration.unwrap()).unwrap() % shapes.len();
        let (workgroups, factor) = shapes[nth];
        (row.function, row.workgroups) = (name.to_owned(), Some(workgroups));
        row.ns = row.ns.map(|ns| ns * factor);
    }
    rows
}

fn side(rows: Vec<Measured>, of_run: impl Fn(&mut Run)) -> Runs {
    let mut names: Vec<String> = rows.iter().map(|row| row.run.clone()).collect();
    names.dedup();
    let run = |name| {
        let mut run = Run { name, ..Run::default() };
        of_run(&mut run);
        run
    };
    let runs = names.into_iter().map(run).collect();
    Runs { name: "side".into(), runs, host: rows, ..Runs::default() }
}

fn judged(base: &Runs, new: &Runs) -> Differences {
    compare_runs([base, new], (Clock::Host, true), &Rules::default()).1
}

#[test]
fn other_workgroups_are_other_shapes_unless_something_says_that_they_are_tiles() {
    let reason = |name: &str, of_base: fn(&mut Run), of_new: fn(&mut Run)| {
        let base = side(shaped(name, 5, &[(4.0, 1.0)]), of_base);
        let new = side(shaped(name, 5, &[(128.0, 20.0)]), of_new);
        let found = judged(&base, &new);
        assert_eq!(found.total.verdict, found.functions[0].verdict, "{found:?}");
        assert_eq!(found.total.reason.is_some(), unlike(&base, &new).is_some());
        found.functions[0].reason.clone()
    };
    let other = Some("other shapes or tiles: 128 workgroups instead of 4".to_owned());
    assert_eq!(reason(DYNAMIC, |_| (), |_| ()), other);
    assert_eq!(reason("executable1#0", |_| (), |_| ()), other);
    // All extents are in the name.
    assert_eq!(reason("main_dispatch_0_matmul_64x64x128_f32", |_| (), |_| ()), None);
    // The same inputs.
    let inputs: fn(&mut Run) = |run| run.inputs = Some("--input=64x128xf32".into());
    let others: fn(&mut Run) = |run| run.inputs = Some("--input=2048x128xf32".into());
    assert_eq!(reason(DYNAMIC, inputs, inputs), None);
    assert_eq!(reason(DYNAMIC, inputs, others), other);
    assert_eq!(reason(DYNAMIC, inputs, |_| ()), other);
    // Equal code is divided into equal tiles.
    let [base, new] = [4.0, 128.0].map(|workgroups| {
        let mut rows = shaped(DYNAMIC, 5, &[(workgroups, 1.0)]);
        for row in &mut rows {
            row.hash = Some("x".into());
        }
        side(rows, inputs)
    });
    let code = judged(&base, &new).functions[0].reason.clone();
    assert_eq!(code.as_deref(), Some("other shapes: 128 workgroups instead of 4"));
}

#[test]
fn results_of_other_sizes_are_other_shapes() {
    let reason = |name: &str| {
        let [base, new] = ["25600", "32768"].map(|bytes| {
            side(shaped(name, 5, &[(2.0, 1.0)]), |run| run.results = Some(bytes.to_owned()))
        });
        judged(&base, &new).functions[0].reason.clone()
    };
    let how = "other shapes: results of 32768 bytes instead of 25600";
    assert_eq!(reason(DYNAMIC).as_deref(), Some(how));
    assert_eq!(reason("main_dispatch_0_matmul_64x64x128_f32"), None);
}

#[test]
fn a_function_with_several_shapes_is_compared_by_shape() {
    // Small calls take as long, large ones twice as long.
    let base = side(shaped(DYNAMIC, 5, &[(4.0, 1.0), (128.0, 20.0)]), |_| ());
    let new = side(shaped(DYNAMIC, 5, &[(4.0, 1.0), (128.0, 40.0)]), |_| ());
    let found = judged(&base, &new);
    let verdicts: Vec<_> =
        found.functions.iter().map(|it| (it.workgroups[0], it.is_split, it.verdict)).collect();
    let [large, small] = verdicts.as_slice() else { panic!("{verdicts:?}") };
    assert_eq!(*large, (Some(128.0), true, Verdict::Slower));
    assert_eq!((small.0, small.1), (Some(4.0), true));
    assert_ne!(small.2, Verdict::Slower);
    assert_eq!(found.total.reason, None);
    // A third of the calls is large instead of a half: each shape as before, the total is not.
    let mixed = side(shaped(DYNAMIC, 5, &[(4.0, 1.0), (4.0, 1.0), (128.0, 20.0)]), |_| ());
    let found = judged(&base, &mixed);
    for it in &found.functions {
        assert!(matches!(it.verdict, Verdict::Same | Verdict::Ambiguous), "{it:?}");
        assert!((it.interval.unwrap().ratio - 1.0).abs() < 0.02, "{it:?}");
    }
    let why = found.total.reason.unwrap_or_default();
    assert!(why.contains("mixed otherwise, 41.2 workgroups a call instead of 66"), "{why}");
    // One of the shapes is on one side only.
    let small = side(shaped(DYNAMIC, 5, &[(4.0, 1.0)]), |_| ());
    let found = judged(&base, &small);
    assert_eq!(found.total.verdict, Verdict::NotComparable);
    let alone = found.functions.iter().find(|it| it.by == By::Alone).unwrap();
    assert_eq!(alone.workgroups[0], Some(128.0));
    let both = found.functions.iter().find(|it| it.by == By::Name).unwrap();
    assert!(both.reason.is_none() && both.workgroups == [Some(4.0); 2], "{both:?}");
}

#[test]
fn other_measures_ask_the_functions() {
    let [base, new] = [(4.0, 1.0), (128.0, 20.0)].map(|shape| {
        let mut side = side(shaped(DYNAMIC, 5, &[shape]), |_| ());
        side.work = side.host.clone();
        for row in &mut side.host {
            (row.function, row.workgroups) = ("busy".to_owned(), None);
        }
        side
    });
    let found = judged(&base, &new);
    assert!(found.all().all(|(_, it)| it.verdict == Verdict::NotComparable), "{found:?}");
    let why = found.total.reason.unwrap_or_default();
    assert_eq!(why, format!("{DYNAMIC}: other shapes or tiles: 128 workgroups instead of 4"));
}

#[test]
fn copies_count_once_and_equal_sides_are_the_same() {
    let of = |runs: usize| {
        let mut side =
            side(shaped(DYNAMIC, runs, &[(4.0, 1.0)]), |run| run.digest = Some(run.name.clone()));
        side.name = "base".into();
        side
    };
    let (four, five) = (of(4), of(5));
    let found = judged(&four, &four);
    assert!(found.all().all(|(_, it)| it.verdict == Verdict::Same), "{found:?}");
    let shared = Runs { name: "new".into(), ..five.clone() };
    let why = judged(&four, &shared).total.reason.unwrap_or_default();
    assert_eq!(why, "run-00 of new is the same capture as run-00 of base");
    // A copy says nothing more.
    let mut copied = five.clone();
    copied.runs[4].digest = copied.runs[0].digest.clone();
    let left = copied.without_copies();
    assert_eq!(left.copies, [["run-04".to_owned(), "run-00".to_owned()]]);
    assert_eq!((left.runs.len(), left.host.len()), (4, 40));
    assert!(are_same_captures(&left, &four) && !are_same_captures(&five, &four));
    // What cannot be judged is not called the same.
    let mut cut = four.clone();
    cut.runs[0].is_cut = true;
    assert_eq!(judged(&cut, &cut).total.verdict, Verdict::NotComparable);
}

/// Rows of a side of a built pair: names with other ordinals, functions that are missing, fused or have several shapes.
fn built(random: &mut ChaCha8Rng) -> Vec<Measured> {
    const KINDS: [&str; 5] = [
        "matmul_32x64x128_f32",
        "matmul_32x64x128_f16",
        "elementwise_32x64_f32",
        "reduction_Dx64_f32",
        "matmul_Dx64x128_f32",
    ];
    let runs = [1, 2, 3, 4, 6][random.next_u32() as usize % 5];
    let noise = [0.001, 0.02, 0.2][random.next_u32() as usize % 3];
    let count = 1 + random.next_u32() as usize % 6;
    let factors: Vec<f64> =
        (0..count).map(|_| [0.01, 1.0, 1.1, 3.0][random.next_u32() as usize % 4]).collect();
    let mut all = rows(random, runs, noise, &factors);
    let first = random.next_u32() % 3;
    let names: Vec<(String, Option<String>, bool, u32)> = (0..count)
        .map(|nth| {
            let kind = KINDS[random.next_u32() as usize % KINDS.len()];
            let ordinal = first + u32::try_from(nth).unwrap();
            let hash = random
                .next_u32()
                .is_multiple_of(4)
                .then(|| format!("code-{}", random.next_u32() % 3));
            (
                format!("f_dispatch_{ordinal}_{kind}"),
                hash,
                random.next_u32().is_multiple_of(4),
                random.next_u32() % 3,
            )
        })
        .collect();
    for row in &mut all {
        let nth: usize = row.function[1..].parse().unwrap();
        let (name, hash, is_split, bindings) = &names[nth];
        let is_large = *is_split && row.iteration.unwrap() % 2 == 0;
        row.workgroups = Some(if is_large { 64.0 } else { 4.0 });
        row.operands = Some(Operands { bindings: (*bindings).into(), constants: 0 });
        (row.function, row.hash) = (name.clone(), hash.clone());
    }
    all
}

#[test]
fn exchanged_sides_have_the_opposite_verdict() {
    let mut random = ChaCha8Rng::seed_from_u64(40);
    let mut kinds = std::collections::BTreeMap::new();
    for pair in 0..400 {
        let [base, new] = [(); 2].map(|()| built(&mut random));
        let [there, back] = [compared(&base, &new), compared(&new, &base)];
        assert_eq!(there.functions.len(), back.functions.len(), "pair {pair}");
        let mut seen = back.functions.iter().collect::<Vec<_>>();
        for one in &there.functions {
            let is_other = |other: &&Judged| {
                (&one.base, &one.new, one.workgroups[0], one.workgroups[1])
                    == (&other.new, &other.base, other.workgroups[1], other.workgroups[0])
                    && one.delta_ns() == -other.delta_ns()
            };
            let nth = seen
                .iter()
                .position(is_other)
                .unwrap_or_else(|| panic!("pair {pair}: {one:?} {seen:?}"));
            let other = seen.swap_remove(nth);
            mirrors(one, other);
            *kinds.entry((one.verdict.name(), one.by)).or_insert(0) += 1;
        }
        mirrors(&there.total, &back.total);
    }
    // All verdicts and matches occur, so that all were tried.
    let verdicts: std::collections::BTreeSet<&str> = kinds.keys().map(|(name, _)| *name).collect();
    assert_eq!(verdicts.len(), 7, "{kinds:?}");
    let by: std::collections::BTreeSet<By> = kinds.keys().map(|(_, by)| *by).collect();
    assert_eq!(by.len(), 6, "{kinds:?}");
}

fn mirrors(one: &Judged, other: &Judged) {
    let opposite = match other.verdict {
        Verdict::Faster => Verdict::Slower,
        Verdict::Slower => Verdict::Faster,
        Verdict::LikelyFaster => Verdict::LikelySlower,
        Verdict::LikelySlower => Verdict::LikelyFaster,
        same => same,
    };
    assert_eq!(one.verdict, opposite, "{one:?} {other:?}");
    assert_eq!(one.further_runs, other.further_runs, "{one:?} {other:?}");
    let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
    assert!(is_near(one.floor, other.floor), "{one:?} {other:?}");
    assert!(
        one.q.is_nan() && other.q.is_nan() || (one.q - other.q).abs() < 1e-9,
        "{one:?} {other:?}"
    );
    match (one.interval, other.interval) {
        (Some(one), Some(other)) => {
            assert!(is_near(one.low, other.high.recip()) && is_near(one.high, other.low.recip()));
        }
        (one, other) => assert_eq!(one, other),
    }
}
