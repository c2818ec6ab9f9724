//! Tests of comparisons: matching, sums, and how often simulated comparisons are wrong.

use std::collections::BTreeMap;

use base::Pattern;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::absorbed::absorbed;
use super::judge::further;
use super::matching::{Match, matched};
use super::*;
use crate::statistics::normal::normal;
use crate::statistics::{Interval, shuffle};

fn function(name: &str, hash: Option<&str>) -> Function {
    let hash = hash.map(str::to_owned);
    Function { name: name.to_owned(), hash, ..Function::default() }
}

fn functions(names: &[&str]) -> Vec<Function> {
    names.iter().map(|name| function(name, None)).collect()
}

fn pairs(base: &[&str], new: &[&str]) -> Vec<(By, Vec<usize>, Vec<usize>)> {
    let all = matched(&functions(base), &functions(new));
    all.into_iter().map(|Match { base, new, by }| (by, base, new)).collect()
}

#[test]
fn equal_code_matches_before_equal_names() {
    let base = [function("f_dispatch_0_matmul_4x4_f32", Some("x")), function("b", Some("y"))];
    let new = [function("b", Some("x")), function("f_dispatch_0_matmul_4x4_f32", None)];
    let by: Vec<_> = matched(&base, &new).into_iter().map(|it| (it.by, it.base, it.new)).collect();
    assert_eq!(by, [(By::Code, vec![0], vec![0]), (By::Replaced, vec![1], vec![1])]);
}

#[test]
fn equal_code_with_equal_names_matches_first() {
    let base = [function("a", Some("x")), function("b", Some("x"))];
    let new = [function("b", Some("x")), function("c", Some("x"))];
    let by: Vec<_> = matched(&base, &new).into_iter().map(|it| (it.by, it.base, it.new)).collect();
    assert_eq!(by, [(By::Code, vec![0], vec![1]), (By::Code, vec![1], vec![0])]);
}

#[test]
fn renumbered_dispatches_match_by_their_order() {
    let base = [
        "f_dispatch_0_matmul_4x4x4_f32",
        "f_dispatch_1_elementwise_16_f32",
        "f_dispatch_2_softmax_4x4xf32",
    ];
    let new = ["f_dispatch_0_matmul_4x4x4_f32", "f_dispatch_1_softmax_4x4xf32"];
    assert_eq!(
        pairs(&base, &new),
        [(By::Name, vec![0], vec![0]), (By::Order, vec![2], vec![1]), (By::Alone, vec![1], vec![])]
    );
    // The element type differs, operation and shape do not.
    let half = ["f_dispatch_0_matmul_4x4x4_f16"];
    assert_eq!(pairs(&base[..1], &half), [(By::Operation, vec![0], vec![0])]);
}

#[test]
fn what_is_fused_is_replaced_as_a_group() {
    let base = ["a", "f_dispatch_1_matmul_4x4x4_f32", "f_dispatch_2_elementwise_16_f32", "z"];
    let new = ["a", "f_dispatch_1_matmul_like_4x4x4_f32", "z"];
    assert_eq!(
        pairs(&base, &new),
        [
            (By::Name, vec![0], vec![0]),
            (By::Name, vec![3], vec![2]),
            (By::Replaced, vec![1, 2], vec![1])
        ]
    );
}

/// The functions of the new side are those of the base in another order, some renamed, some dropped and some added.
#[test]
fn each_function_is_in_exactly_one_match() {
    // `b` moved before `a`: it is no part of what was replaced between `a` and `z`.
    assert_eq!(
        pairs(&["a", "b", "x", "z"], &["b", "a", "y", "z"]),
        [
            (By::Name, vec![0], vec![1]),
            (By::Name, vec![1], vec![0]),
            (By::Name, vec![3], vec![3]),
            (By::Alone, vec![2], vec![]),
            (By::Alone, vec![], vec![2])
        ]
    );
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..2000 {
        let name = |nth: usize| format!("f_dispatch_{nth}_matmul_{}x4x4_f32", nth % 3);
        let base: Vec<String> = (0..8).map(name).collect();
        let mut new: Vec<String> =
            (0..8).map(|nth| if nth % 3 == 1 { name(nth + 20) } else { name(nth) }).collect();
        shuffle(&mut new, &mut random);
        new.truncate(6);
        let texts = |names: &[String]| -> Vec<Function> {
            names.iter().map(|name| function(name, None)).collect()
        };
        let (base, new) = (texts(&base), texts(&new));
        for all in [matched(&base, &new), absorbed(matched(&base, &new), &base, &new)] {
            let sorted = |of: fn(&Match) -> &Vec<usize>| {
                let mut all: Vec<usize> = all.iter().flat_map(of).copied().collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(|it| &it.base), (0..8).collect::<Vec<_>>());
            assert_eq!(sorted(|it| &it.new), (0..6).collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_is_fused_into_a_function_that_keeps_its_name_joins_it() {
    let function = |name: &str, bindings| Function {
        name: name.to_owned(),
        operands: Some(Operands { bindings, constants: 1 }),
        ..Function::default()
    };
    // The elementwise function is fused into the matmul, and the last reduction into the one before it.
    let base = [
        function("f_dispatch_0_conv_4x4x4_f32", 3),
        function("f_dispatch_1_elementwise_16_f32", 2),
        function("f_dispatch_2_matmul_4x4x4_f32", 3),
        function("f_dispatch_3_reduction_4_f32", 2),
        function("f_dispatch_4_reduction_4_f32", 2),
    ];
    let new = [
        function("f_dispatch_0_conv_4x4x4_f32", 3),
        function("f_dispatch_1_matmul_4x4x4_f32", 4),
        function("f_dispatch_2_reduction_4_f32", 3),
    ];
    let matches = |base: &[Function], new: &[Function]| -> Vec<(By, Vec<usize>, Vec<usize>)> {
        let found = absorbed(matched(base, new), base, new);
        found.into_iter().map(|it| (it.by, it.base, it.new)).collect()
    };
    let expected = [
        (By::Name, vec![0], vec![0]),
        (By::Replaced, vec![1, 2], vec![1]),
        (By::Replaced, vec![3, 4], vec![2]),
    ];
    assert_eq!(matches(&base, &new), expected);
    let split = expected.map(|(by, base, new)| (by, new, base));
    assert_eq!(matches(&new, &base), split);
    // With the same operands, nothing says that it was fused.
    let same = [&base[0], &base[2]].map(Clone::clone);
    assert!(matches(&base[..3], &same).contains(&(By::Alone, vec![1], vec![])));
}

/// Rows of a side with this many runs of ten iterations, in which runs vary by `noise` and iterations by a third of it;
/// `factors` are the times of its functions.
pub fn rows(random: &mut ChaCha8Rng, runs: usize, noise: f64, factors: &[f64]) -> Vec<Measured> {
    let mut rows = Vec::new();
    for run in 0..runs {
        let levels: Vec<f64> =
            factors.iter().map(|factor| factor * 1e5 * (noise * normal(random)).exp()).collect();
        for iteration in 1..=10 {
            for (nth, level) in levels.iter().enumerate() {
                rows.push(Measured {
                    run: format!("run-{run:02}"),
                    iteration: Some(iteration),
                    function: format!("f{nth:02}"),
                    hash: None,
                    calls: 1,
                    ns: Some((level * (noise / 3.0 * normal(random)).exp()).round()),
                    workgroups: None,
                    operands: None,
                });
            }
        }
    }
    rows
}

pub fn compared(base: &[Measured], new: &[Measured]) -> Differences {
    compare(&Side::of(base, true), &Side::of(new, true), &Rules::default(), None)
}

#[test]
fn differences_add_up() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let base = rows(&mut random, 5, 0.1, &[1.0, 2.0, 3.0]);
    let mut new = rows(&mut random, 5, 0.1, &[1.0, 2.5, 3.0, 4.0]);
    new.retain(|row| row.function != "f02");
    let found = compared(&base, &new);
    let sum: i64 = found.functions.iter().map(Judged::delta_ns).sum();
    assert_eq!(found.total.delta_ns(), sum);
    let alone: Vec<_> = found.functions.iter().filter(|it| it.by == By::Alone).collect();
    assert!(alone.is_empty(), "{alone:?}");
    assert!(found.functions.iter().any(|it| it.by == By::Replaced), "f02 by f03");
    assert!(found.functions.is_sorted_by_key(|it| -it.delta_ns().abs()));
}

#[test]
fn dispatches_outside_of_iterations_do_not_count() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let base = rows(&mut random, 5, 0.01, &[1.0]);
    let mut more = base.clone();
    more.push(Measured {
        iteration: None,
        ns: Some(1.0),
        function: "stray".into(),
        ..base[0].clone()
    });
    assert_eq!(Side::of(&more, true), Side::of(&base, true));
    assert_eq!(Side::of(&more, false).functions.len(), 2);
    // Without iterations, a run is one.
    more.retain(|row| row.iteration.is_none());
    assert_eq!(Side::of(&more, true).total, [BTreeMap::from([(None, 1.0)])]);
}

/// Returns the function with this name.
fn named<'f>(found: &'f Differences, name: &str) -> &'f Judged {
    found.functions.iter().find(|it| it.base == name).expect("it is there")
}

#[test]
fn a_function_of_some_iterations_is_compared_by_those() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let [mut base, new] = [(); 2].map(|()| rows(&mut random, 6, 0.01, &[1.0, 2.0, 1.0]));
    let is_odd = |row: &Measured| row.iteration.is_some_and(|nth| nth % 2 == 1);
    base.retain(|row| row.function != "f00" || is_odd(row));
    let found = compared(&base, &new);
    let often = named(&found, "f00");
    assert!(!matches!(often.verdict, Verdict::Slower | Verdict::Faster), "{often:?}");
    assert!((often.interval.expect("it has an interval").ratio - 1.0).abs() < 0.02, "{often:?}");
    // It takes as long, but runs twice as often.
    let ns = |ns: i64| f64::from(i32::try_from(ns).expect("below a second"));
    assert!((ns(often.new_ns) / ns(often.base_ns) - 2.0).abs() < 0.05, "{often:?}");
    assert_eq!(found.total.verdict, Verdict::Slower);
    // In some runs only, it cannot be compared; all others can.
    base.retain(|row| row.function != "f00" || *row.run < *"run-02");
    let found = compared(&base, &new);
    let rare = named(&found, "f00");
    assert_eq!(rare.verdict, Verdict::NotComparable);
    assert_eq!(rare.reason.as_deref(), Some("it ran in 2 of 6 runs of base"));
    assert_ne!(found.total.verdict, Verdict::NotComparable);
}

#[test]
fn equal_sides_are_seldom_called_different() {
    const TRIALS: u32 = 400;
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (mut totals, mut families, mut same) = (0, 0, 0);
    for trial in 0..TRIALS {
        let runs = [5, 10, 20][trial as usize % 3];
        let noise = [0.01, 0.05][trial as usize % 2];
        let [base, new] =
            [(); 2].map(|()| rows(&mut random, runs, noise, &[1.0, 2.0, 0.5, 3.0, 1.0]));
        let found = compared(&base, &new);
        let is_alarm = |it: &Judged| matches!(it.verdict, Verdict::Faster | Verdict::Slower);
        totals += u32::from(is_alarm(&found.total));
        families += u32::from(found.functions.iter().any(is_alarm));
        same += u32::from(found.total.verdict == Verdict::Same);
        let is_judged = |it: &Judged| it.verdict != Verdict::NotComparable;
        assert!(is_judged(&found.total) && found.functions.iter().all(is_judged), "{found:?}");
    }
    // Nor is the comparison so timid that it never says so.
    assert!(same >= TRIALS / 4, "{same} of {TRIALS}");
    assert!(totals <= TRIALS / 20, "{totals} of {TRIALS}");
    assert!(families <= TRIALS / 20, "{families} of {TRIALS}");
}

/// Returns how many of so many comparisons find that one function in twenty is slower by a factor.
fn found(trials: u32, runs: usize, noise: f64, slower: f64) -> u32 {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut factors = [1.0; 20];
    let mut found = 0;
    for _ in 0..trials {
        let base = rows(&mut random, runs, noise, &factors);
        factors[7] = slower;
        let new = rows(&mut random, runs, noise, &factors);
        factors[7] = 1.0;
        found += u32::from(named(&compared(&base, &new), "f07").verdict == Verdict::Slower);
    }
    found
}

/// Prints the table of docs/compare.md.
#[test]
fn a_slower_function_in_twenty_is_found() {
    const TRIALS: u32 = 100;
    let mut rates = Vec::new();
    for noise in [0.01, 0.02] {
        for slower in [1.02, 1.03, 1.05, 1.1] {
            let each = [6, 10, 20].map(|runs| found(TRIALS, runs, noise, slower));
            let percents = each.map(|found| format!("{found} %"));
            let (noise, slower) = (noise * 100.0, (slower - 1.0) * 100.0);
            println!("| {noise:.0} % | {slower:.0} % | {} |", percents.join(" | "));
            let finds_more = |pair: &[u32]| pair[0] <= pair[1] + TRIALS / 20;
            assert!(each.windows(2).all(finds_more), "more runs find more: {each:?}");
            rates.push(each);
        }
    }
    let [_, ten, twenty] = rates[1];
    assert!(ten >= TRIALS * 9 / 10 && twenty >= TRIALS * 99 / 100, "3 % at 1 %: {rates:?}");
}

#[test]
fn one_run_is_at_most_likely() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let base = rows(&mut random, 1, 0.01, &[1.0]);
    let new = rows(&mut random, 1, 0.01, &[3.0]);
    assert_eq!(compared(&base, &new).total.verdict, Verdict::LikelySlower);
    assert_eq!(compared(&new, &base).total.verdict, Verdict::LikelyFaster);
    let equal = compared(&base, &base).total;
    assert_eq!((equal.verdict, equal.further_runs), (Verdict::Ambiguous, Some(3)));
    // One process does not tell that the next is not half as slow again.
    let half = compared(&base, &rows(&mut random, 1, 0.01, &[1.5])).total;
    assert_eq!(half.verdict, Verdict::Ambiguous);
    // Without iterations, nothing tells how times vary.
    let sides = [&base, &new].map(|rows| Side::of(rows, false));
    let whole = compare(&sides[0], &sides[1], &Rules::default(), None);
    assert_eq!(whole.total.verdict, Verdict::NotComparable);
    let ten = compared(&base, &new).total.delta_ns() * 10;
    assert!((whole.total.delta_ns() - ten).abs() <= 10, "but for rounding");
}

#[test]
fn an_ambiguous_verdict_says_what_would_decide_it() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let base = rows(&mut random, 5, 0.05, &[1.0]);
    let new = rows(&mut random, 5, 0.05, &[1.04]);
    let rules = Rules { floor: Some(0.01), ..Rules::default() };
    let found = compare(&Side::of(&base, true), &Side::of(&new, true), &rules, None).total;
    assert_eq!(found.verdict, Verdict::Ambiguous);
    assert!(found.further_runs.is_some_and(|runs| runs > 1), "{found:?}");
}

#[test]
fn further_runs_depend_on_what_narrows() {
    let interval = |ratio: f64, half: f64| Interval {
        ratio,
        low: ratio * (-half).exp(),
        high: ratio * half.exp(),
    };
    let runs = |half, wanted| further(interval(1.02, half), wanted, 10);
    assert_eq!(runs(0.04, 0.025), Some(16));
    assert_eq!(runs(0.02, 0.007), Some(72));
    assert_eq!(runs(0.02, 0.0), None);
    // Narrow enough already.
    assert_eq!(runs(0.02, 0.03), Some(1));
}

/// Makes each run of a side faster or slower as a whole.
fn shifted(rows: &mut [Measured], random: &mut ChaCha8Rng, by: f64, noise: f64) {
    let mut factors: BTreeMap<String, f64> = BTreeMap::new();
    for row in rows {
        let run = factors.entry(row.run.clone());
        let factor = *run.or_insert_with(|| by * (noise * normal(random)).exp());
        row.ns = row.ns.map(|ns| ns * factor);
    }
}

#[test]
fn the_control_takes_the_machine_out() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut base = rows(&mut random, 8, 0.003, &[1.0, 2.0]);
    let mut new = rows(&mut random, 8, 0.003, &[1.0, 2.1]);
    // The second machine is slower by a tenth, and its clock wanders.
    shifted(&mut base, &mut random, 1.0, 0.05);
    shifted(&mut new, &mut random, 1.1, 0.05);
    for row in base.iter_mut().chain(&mut new) {
        row.hash = (row.function == "f00").then(|| "same".to_owned());
    }
    let sides = [&base, &new].map(|rows| Side::of(rows, true));
    let judged = |rules: &Rules| {
        let found = compare(&sides[0], &sides[1], rules, None);
        let second = named(&found, "f01").clone();
        (found.is_corrected, found.control.expect("it has a control"), second)
    };
    let (is_corrected, control, plain) = judged(&Rules::default());
    assert!(!is_corrected && control.low < 1.1 && 1.1 < control.high, "{control:?}");
    assert!(plain.interval.is_some_and(|it| it.high / it.low > 1.05), "{plain:?}");
    for control in [None, Some(Pattern::new("f*0"))] {
        let rules = Rules { corrects: true, control, ..Rules::default() };
        let (is_corrected, _, second) = judged(&rules);
        let interval = second.interval.expect("it has an interval");
        assert!(is_corrected && second.verdict == Verdict::Slower, "{second:?}");
        assert!(interval.low < 1.05 && 1.05 < interval.high, "{interval:?}");
        assert!(interval.high / interval.low < 1.02, "{interval:?}");
    }
    // The same code with other shapes is no control.
    for (rows, workgroups) in [(&mut base, 8.0), (&mut new, 16.0)] {
        for row in rows.iter_mut() {
            row.workgroups = Some(workgroups);
        }
    }
    assert_eq!(compared(&base, &new).control, None);
    let rules = Rules { corrects: true, control: Some(Pattern::new("other")), ..Rules::default() };
    let found = compare(&sides[0], &sides[1], &rules, None);
    assert!(!found.is_corrected && found.control.is_none());
}

#[test]
fn the_same_code_with_other_shapes_is_not_comparable() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let [mut base, mut new] = [(); 2].map(|()| rows(&mut random, 5, 0.01, &[1.0, 1.0]));
    for (rows, workgroups) in [(&mut base, 8.0), (&mut new, 16.0)] {
        for row in rows.iter_mut().filter(|row| row.function == "f00") {
            (row.hash, row.workgroups) = (Some("same".into()), Some(workgroups));
        }
    }
    let found = compared(&base, &new);
    let reason = |judged: &Judged| judged.reason.clone().unwrap_or_default();
    let first = named(&found, "f00");
    assert_eq!(first.verdict, Verdict::NotComparable);
    assert_eq!(reason(first), "other shapes: 16 workgroups instead of 8");
    assert_eq!(found.total.verdict, Verdict::NotComparable);
    assert_eq!(reason(&found.total), "f00: other shapes: 16 workgroups instead of 8");
    let second = named(&found, "f01");
    assert_ne!(second.verdict, Verdict::NotComparable);
}

#[test]
fn iterations_of_several_calls_are_another_unit() {
    let mut random = ChaCha8Rng::seed_from_u64(10);
    let base = rows(&mut random, 5, 0.01, &[1.0, 2.0]);
    let mut new = rows(&mut random, 5, 0.01, &[5.0, 10.0]);
    for row in &mut new {
        row.calls = 5;
    }
    let found = compared(&base, &new);
    assert_eq!(found.total.verdict, Verdict::NotComparable);
    let why = found.total.reason.unwrap_or_default();
    assert!(why.contains("is called 5.0 times instead of 1.0"), "{why}");
}

#[test]
fn noise_alone_makes_nothing_the_same() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let [base, new] = [(); 2].map(|()| rows(&mut random, 6, 0.2, &[1.0]));
    assert_eq!(compared(&base, &new).total.verdict, Verdict::Ambiguous);
}
