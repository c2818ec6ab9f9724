//! Tests of reading, solving and filling.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::*;
use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::Configuration;

/// Writes constraints of integer knobs, with these lines in their region.
fn written(knobs: &[&str], lines: &str) -> String {
    let all: Vec<String> =
        knobs.iter().map(|knob| format!("#iree_codegen.smt.int_knob<\"{knob}\">")).collect();
    let named = knobs
        .iter()
        .map(|knob| format!("    %{knob} = iree_codegen.smt.knob \"{knob}\" : !smt.int\n"));
    format!(
        "func.func @f() {{\n  iree_codegen.smt.constraints target = <set = 0>, pipeline = #iree_gpu.pipeline<TileAndFuse>, \n   knobs = {{workgroup = [{}]}}\n   dims(%c8) {{\n  ^bb0(%arg0: !smt.int):\n{}{lines}  }}\n}}\n",
        all.join(", "),
        named.collect::<String>(),
    )
}

fn solved(knobs: &[&str], lines: &str) -> Vec<Vec<i64>> {
    let read = constraints(&written(knobs, lines)).expect("constraints");
    let solutions = read[0].solutions(1_000_000).expect("bounds");
    assert!(solutions.is_complete);
    solutions.all
}

/// Lines that bound knobs.
fn bounds(knobs: &[&str], low: i64, high: i64) -> String {
    let all = knobs.iter().map(|knob| {
        format!(
            "    %low_{knob} = smt.int.constant {low}\n    %high_{knob} = smt.int.constant {high}\n    %from_{knob} = smt.int.cmp ge %{knob}, %low_{knob}\n    iree_codegen.smt.assert %from_{knob}, \"low, {{}}\", %{knob} : !smt.bool, !smt.int\n    %to_{knob} = smt.int.cmp le %{knob}, %high_{knob}\n    iree_codegen.smt.assert %to_{knob}, \"high\" : !smt.bool\n"
        )
    });
    all.collect()
}

#[test]
fn divisors_and_what_follows_from_them_are_found() {
    // A tile divides 24, is 4 times a count that needs to exist, and a size is computed from it.
    let lines = "    %c24 = smt.int.constant 24\n    %c0 = smt.int.constant 0\n    %c1 = smt.int.constant 1\n    %c4 = smt.int.constant 4\n    %1 = smt.int.cmp ge %tile, %c1\n    iree_codegen.smt.assert %1, \"tile >= 1\" : !smt.bool\n    %2 = smt.int.mod %c24, %tile\n    %3 = smt.eq %2, %c0 : !smt.int\n    iree_codegen.smt.assert %3, \"divides\" : !smt.bool\n    %count = smt.declare_fun \"count\" : !smt.int\n    %4 = smt.int.cmp gt %count, %c0\n    iree_codegen.smt.assert %4, \"count\" : !smt.bool\n    %5 = smt.int.mul %count, %c4\n    %6 = smt.eq %5, %tile : !smt.int\n    iree_codegen.smt.assert %6, \"count * 4 == tile\" : !smt.bool\n    %7 = smt.int.add %tile, %tile, %c1\n    %8 = smt.eq %size, %7 : !smt.int\n    iree_codegen.smt.assert %8, \"size\" : !smt.bool\n";
    let solutions = solved(&["tile", "size"], lines);
    assert_eq!(solutions, [[4, 9], [8, 17], [12, 25], [24, 49]]);
    let read = &constraints(&written(&["tile", "size"], lines)).expect("constraints")[0];
    assert_eq!((read.function.as_str(), read.set), ("f", 0));
    assert!(read.has(&[8, 17]));
    assert!(!read.has(&[8, 16]) && !read.has(&[6, 13]) && !read.has(&[8]));
    let some = read.solutions(2).expect("bounds");
    assert_eq!((some.all.len(), some.is_complete), (2, false));
}

#[test]
fn what_cannot_be_is_no_solution_and_no_error() {
    let two = bounds(&["x"], 3, 9) + &bounds(&["x"], 12, 20).replace("_x", "_again");
    assert!(solved(&["x"], &two).is_empty());
    // Nothing divides by 0, and a lookup has no other keys than its own.
    let lines = bounds(&["x", "y"], 0, 3)
        + "    %1 = smt.int.mod %y, %x\n    %2 = smt.eq %1, %low_x : !smt.int\n    iree_codegen.smt.assert %2, \"x divides y\" : !smt.bool\n    %3 = iree_codegen.smt.lookup %y [1, 3] -> [5, 7] : !smt.int\n    %4 = smt.int.cmp ge %3, %low_x\n    iree_codegen.smt.assert %4, \"y is known\" : !smt.bool\n";
    assert_eq!(solved(&["x", "y"], &lines), [[1, 1], [1, 3], [3, 3]]);
}

#[test]
fn knobs_without_bounds_are_told() {
    let read = constraints(&written(&["free"], &bounds(&[], 0, 0))).expect("constraints");
    let error = read[0].solutions(10).expect_err("no bounds").to_string();
    assert!(error.contains("`f`") && error.contains("`free`"), "{error}");
}

#[test]
fn malformed_texts_are_told_by_line() {
    for (line, words) in [
        ("    %1 = smt.int.abs %x", "line 7: `%1 = smt.int.abs %x` is no operation"),
        ("    %1 = smt.int.add %x, %y", "nothing defines `%y`"),
        ("    %1 = smt.int.cmp ne %x, %x", "`ne` is no comparison"),
        ("    %1 = smt.int.constant x", "no whole number"),
        ("    %1 = smt.int.constant 2000000000000000000", "below 2^60"),
        ("    %1 = iree_codegen.smt.lookup %x [0, 1] -> [2] : !smt.int", "a list"),
        ("    %1 = iree_codegen.smt.knob \"z\" : !smt.int", "`z` is no knob"),
        ("    %1 = smt.ite %x, %x : !smt.int", "three operands"),
        ("    %1 = smt.eq %x : !smt.int", "two operands"),
        ("    return", "`return` is no operation"),
    ] {
        let text = written(&["x"], &format!("{line}\n"));
        let error = constraints(&text).expect_err(line).to_string();
        assert!(error.contains(words), "{error}");
    }
    let text = written(&["x"], "");
    let cut = text.rsplit_once("  }").expect("an end").0;
    assert!(constraints(cut).expect_err("cut").to_string().contains("no end"));
    let cut = text.split_once("knobs").expect("knobs").0;
    assert!(constraints(cut).expect_err("cut").to_string().contains("dims"));
    assert!(constraints("").expect("none").is_empty());
}

/// An operation of random operands among `%x`, `%y`, `%z` and earlier ones.
fn random_line(random: &mut ChaCha8Rng, nth: u32, numbers: &mut Vec<String>) -> String {
    let draw = |random: &mut ChaCha8Rng, limit: usize| {
        usize::try_from(random.next_u32()).expect("a number") % limit
    };
    let one = numbers[draw(random, numbers.len())].clone();
    let other = numbers[draw(random, numbers.len())].clone();
    let third = numbers[draw(random, numbers.len())].clone();
    let name = format!("%n{nth}");
    let compared = ["ge", "gt", "le", "lt"][draw(random, 4)];
    let line = match draw(random, 12) {
        0 => format!("    {name} = smt.int.constant {}\n", i64::from(random.next_u32() % 9) - 2),
        1 => format!("    {name} = smt.int.add {one}, {other}\n"),
        2 => format!("    {name} = smt.int.sub {one}, {other}\n"),
        3 | 4 => format!("    {name} = smt.int.mul {one}, {other}\n"),
        5 => format!("    {name} = smt.int.div {one}, {other}\n"),
        6 => format!("    {name} = smt.int.mod {one}, {other}\n"),
        7 => format!(
            "    {name} = iree_codegen.smt.lookup {one} [-1, 0, 1, 2, 6] -> [4, 1, 0, 6, 4] : !smt.int\n"
        ),
        8 => format!(
            "    %c{nth} = smt.int.cmp {compared} {one}, {other}\n    {name} = smt.ite %c{nth}, {third}, {one} : !smt.int\n"
        ),
        9 => format!(
            "    %c{nth} = smt.int.cmp {compared} {one}, {other}\n    %d{nth} = smt.eq {third}, {one} : !smt.int\n    %e{nth} = smt.or %c{nth}, %d{nth}\n    iree_codegen.smt.assert %e{nth}, \"or\" : !smt.bool\n"
        ),
        10 => format!(
            "    %c{nth} = smt.int.cmp {compared} {one}, {other}\n    %f{nth} = smt.eq {third}, {one} : !smt.int\n    %d{nth} = smt.eq {third}, {other} : !smt.int\n    %e{nth} = smt.and %c{nth}, %d{nth}, %c{nth}\n    {name} = smt.ite %e{nth}, {third}, {other} : !smt.int\n    %g{nth} = smt.eq %f{nth}, %e{nth} : !smt.bool\n    iree_codegen.smt.assert %g{nth}, \"equal\" : !smt.bool\n"
        ),
        _ => format!(
            "    %k{nth} = smt.int.constant 0\n    %m{nth} = smt.int.mod {one}, {other}\n    %c{nth} = smt.eq %m{nth}, %k{nth} : !smt.int\n    iree_codegen.smt.assert %c{nth}, \"divides\" : !smt.bool\n"
        ),
    };
    if line.contains(&format!("{name} = ")) {
        numbers.push(name);
    }
    line
}

#[test]
fn random_constraints_have_the_solutions_that_trying_all_values_finds() {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    let knobs = ["x", "y", "z"];
    let (mut solvable, mut total) = (0, 0);
    for case in 0..600 {
        let low = if case % 3 == 0 { -3 } else { i64::from(case % 2) };
        let mut numbers: Vec<String> = knobs.iter().map(|knob| format!("%{knob}")).collect();
        let mut lines = bounds(&knobs, low, 7);
        for nth in 0..3 + case % 8 {
            lines += &random_line(&mut random, nth, &mut numbers);
        }
        let found = solved(&knobs, &lines);
        let read = &constraints(&written(&knobs, &lines)).expect("constraints")[0];
        let mut wanted = Vec::new();
        for x in low..=7 {
            for y in low..=7 {
                for z in low..=7 {
                    if read.fulfills(&[x, y, z]) {
                        wanted.push(vec![x, y, z]);
                    }
                }
            }
        }
        assert_eq!(found, wanted, "{lines}");
        solvable += i32::from(!wanted.is_empty());
        total += wanted.len();
    }
    assert!(solvable > 200 && total > 5_000, "{solvable} of the cases had {total} solutions");
}

#[test]
fn many_solutions_are_counted_right() {
    let knobs = ["a", "b", "c", "d", "e"];
    let mut lines = bounds(&knobs, 1, 4096);
    lines += "    %n = smt.int.constant 67108864\n    %zero = smt.int.constant 0\n    %p = smt.int.mul %a, %b, %c, %d, %e\n    %m = smt.int.mod %n, %p\n    %o = smt.eq %m, %zero : !smt.int\n    iree_codegen.smt.assert %o, \"\" : !smt.bool\n";
    // Powers of two whose exponents, 0 to 12 each, add up to at most 26.
    let mut sums = vec![1];
    for _ in knobs {
        let count = |sum: usize| (0..=12).filter_map(|it| sums.get(sum.checked_sub(it)?)).sum();
        sums = (0..=26).map(count).collect::<Vec<usize>>();
    }
    let read = &constraints(&written(&knobs, &lines)).expect("constraints")[0];
    let count: usize = sums.iter().sum();
    assert!(count > 100_000);
    assert_eq!(read.solutions(1_000_000).expect("bounds").all.len(), count);
}

#[test]
fn solutions_become_configurations() {
    let text = "func.func @\"a b\"() {\n  iree_codegen.smt.constraints target = <set = 3>, pipeline = #iree_gpu.pipeline<TileAndFuse>, \n   knobs = {gpu_pipeline_options = {prefetch_num_stages = #iree_codegen.smt.int_knob<\"stages\">}, mma_kind = #iree_codegen.smt.one_of_knob<\"mma\", [#iree_gpu.mma_layout<A>, #iree_gpu.mma_layout<B>]>, subgroup_size = #iree_codegen.smt.int_knob<\"size\">, workgroup = [#iree_codegen.smt.int_knob<\"wg\">, 0], workgroup_size = [#iree_codegen.smt.int_knob<\"wg\">, 1, 1]}\n   dims(%c8) {\n  ^bb0(%arg0: !smt.int):\n  }\n}";
    let read = &constraints(text).expect("constraints")[0];
    assert_eq!((read.function.as_str(), read.set), ("a b", 3));
    let names: Vec<&str> = read.knobs.iter().map(|knob| knob.name.as_str()).collect();
    assert_eq!(names, ["stages", "mma", "size", "wg"]);
    let parse = |text: &str| Some(Attribute::parse(text).expect(text));
    let chosen = Configuration {
        lowering: parse("#iree_gpu.lowering_config<{workgroup = [1, 0]}>"),
        translation: parse(
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [9, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 0>, kept = 1}>",
        ),
        decomposition: None,
    };
    let filled = read.configuration(&[2, 1, 64, 16], &chosen);
    let text = |attribute: Option<Attribute>| attribute.map(|it| it.to_string());
    assert_eq!(
        text(filled.lowering).as_deref(),
        Some(
            "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<B>, workgroup = [16, 0]}>"
        )
    );
    assert_eq!(
        text(filled.translation).as_deref(),
        Some(
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [16, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>, kept = 1}>"
        )
    );
}
