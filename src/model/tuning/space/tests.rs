//! Tests of spaces.

use super::*;
use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::{Configuration, Operation};
use crate::tuning::constraints::constraints;

fn read(text: &str) -> Operation {
    Operation::read(&text.lines().collect::<Vec<_>>()).expect(text)
}

fn configuration(lowering: &str, translation: &str) -> Configuration {
    let parse = |text: &str| Some(Attribute::parse(text).expect(text));
    let translation = format!("#iree_codegen.translation_info<pipeline = {translation}>");
    Configuration {
        lowering: parse(lowering),
        translation: parse(&translation),
        decomposition: None,
    }
}

const AVX512: Cpu = Cpu { vector_bytes: 64, vector_registers: 32, cache_bytes: 1 << 20 };
const DOUBLE: &str = "#iree_cpu.pipeline<DoubleTilingExpert>";
const MATMUL: &str = "%1 = linalg.matmul ins(%2, %3 : tensor<512x1024xf32>, tensor<1024x768xf32>) outs(%4 : tensor<512x768xf32>) -> tensor<512x768xf32>";

fn generic(maps: [&str; 3], kinds: &str, types: [&str; 3]) -> Operation {
    let maps = maps.map(|map| format!("affine_map<{map}>")).join(", ");
    let [one, other, result] = types.map(|it| format!("tensor<{it}>"));
    read(&format!(
        "%1 = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins(%2, %3 : {one}, {other}) outs(%4 : {result}) {{\n^bb0(%in: f32, %in_0: f32, %out: f32):\n  linalg.yield %in : f32\n}} -> {result}"
    ))
}

/// The convolution of magika, whose rows have 508 elements.
fn convolution() -> Operation {
    generic(
        [
            "(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)",
            "(d0, d1, d2, d3, d4) -> (d1, d3, d4)",
            "(d0, d1, d2, d3, d4) -> (d0, d1, d2)",
        ],
        "\"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\"",
        ["?x256x512xf32", "512x256x5xf32", "?x512x508xf32"],
    )
}

fn all(space: &Space) -> Vec<Configuration> {
    (0..space.points.len()).map(|nth| space.configuration(nth)).collect()
}

fn lowerings(space: &Space) -> Vec<String> {
    all(space).iter().map(|it| it.lowering.as_ref().expect("one").to_string()).collect()
}

#[track_caller]
fn check_own(space: &Space, own: &Configuration) {
    assert_eq!(space.configuration(space.own), *own);
    assert!(space.neighbors(space.own).len() >= 3, "{:?}", space.points[space.own]);
    let mut texts: Vec<String> =
        all(space).iter().map(|it| format!("{:?} {:?}", it.lowering, it.translation)).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), space.points.len(), "no configuration stands twice");
}

#[test]
fn spaces_of_processors_have_what_is_known_to_be_fast() {
    let own = configuration(
        "#iree_cpu.lowering_config<distribution = [64, 64, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 16]>",
        DOUBLE,
    );
    let space = Space::of_cpu(&read(MATMUL), &own, AVX512).expect("a space");
    let fast = "#iree_cpu.lowering_config<distribution = [64, 64, 0], vector_common_parallel = [8, 32, 0], vector_reduction = [0, 0, 1]>";
    assert!(lowerings(&space).contains(&fast.to_owned()));
    check_own(&space, &own);
    let own = configuration(
        "#iree_cpu.lowering_config<distribution = [32, 32, 4, 0, 0], vector_common_parallel = [1, 1, 1, 0, 0]>",
        DOUBLE,
    );
    let space = Space::of_cpu(&convolution(), &own, AVX512).expect("a space");
    let fast = "#iree_cpu.lowering_config<distribution = [1, 32, 32, 0, 0], vector_common_parallel = [1, 4, 4, 0, 0], vector_reduction = [0, 0, 0, 16, 1]>";
    assert!(
        lowerings(&space).contains(&fast.to_owned()),
        "{} of {}",
        space.points.len(),
        space.total
    );
    check_own(&space, &own);
}

#[test]
fn vectors_divide_what_is_known_and_fit_the_registers() {
    let own = configuration(
        "#iree_cpu.lowering_config<distribution = [32, 32, 4, 0, 0], vector_common_parallel = [1, 1, 1, 0, 0]>",
        DOUBLE,
    );
    let narrow = Cpu { vector_bytes: 16, vector_registers: 16, cache_bytes: 1 << 16 };
    let space = Space::of_cpu(&convolution(), &own, narrow).expect("a space");
    for point in all(&space).iter().filter(|point| **point != own) {
        let list = |knob: &str| point.get(knob).and_then(Attribute::integers);
        let (tiles, vectors) = (
            list("distribution").expect("tiles"),
            list("vector_common_parallel").expect("vectors"),
        );
        assert_eq!((vectors[0], 512 % vectors[1], 508 % vectors[2]), (1, 0, 0), "{vectors:?}");
        assert!(vectors[1] * vectors[2] <= 4 * 16 * 2, "{vectors:?}");
        assert!(
            tiles.iter().product::<i64>() == 0 && tiles[..3].iter().product::<i64>() <= 1 << 14
        );
        assert!(
            tiles.iter().zip(&vectors).all(|(tile, vector)| *vector == 0 || tile % vector == 0)
        );
    }
}

#[test]
fn pipelines_that_take_loops_apart_keep_ones() {
    let own = configuration(
        "#iree_cpu.lowering_config<distribution = [0, 8, 32, 64, 0, 0, 0], vector_common_parallel = [1, 1, 8, 16, 0, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 1, 8]>",
        "#iree_cpu.pipeline<ConvTileAndDecomposeExpert>",
    );
    let root = generic(
        [
            "(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)",
            "(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)",
            "(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)",
        ],
        "\"parallel\", \"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\", \"reduction\"",
        ["1x34x34x128xf32", "3x3x128x256xf32", "1x32x32x256xf32"],
    );
    let space = Space::of_cpu(&root, &own, AVX512).expect("a space");
    check_own(&space, &own);
    assert!(space.points.len() > 1000);
    for point in &all(&space) {
        let list = |knob: &str| point.get(knob).and_then(Attribute::integers).expect(knob);
        assert_eq!(list("vector_common_parallel")[..2], [1, 1]);
        assert_eq!(list("vector_reduction")[4..6], [1, 1]);
    }
    let packed = configuration(
        "#iree_cpu.lowering_config<distribution = [8, 8, 0], vector_common_parallel = [1, 1, 0]>",
        "#iree_cpu.pipeline<Mmt4dTilingExpert>",
    );
    let space = Space::of_cpu(&read(MATMUL), &packed, AVX512).expect("a space");
    check_own(&space, &packed);
    assert!(lowerings(&space).iter().all(|it| it.contains("vector_common_parallel = [1, 1, 0]")));
}

#[test]
fn loops_without_reductions_have_spaces_too() {
    let own = configuration(
        "#iree_cpu.lowering_config<distribution = [4096], vector_common_parallel = [16]>",
        DOUBLE,
    );
    let map = "(d0) -> (d0)";
    let root = generic([map, map, map], "\"parallel\"", ["786432xf32"; 3]);
    let space = Space::of_cpu(&root, &own, AVX512).expect("a space");
    check_own(&space, &own);
    let names: Vec<&str> = space.knobs.iter().map(String::as_str).collect();
    assert_eq!(names, ["distribution[0]", "vector_common_parallel[0]", "vector_reduction[0]"]);
    assert!(Space::of_cpu(&root, &Configuration::default(), AVX512).is_none());
}

const LIMITS: Vulkan = Vulkan { threads: 128, sizes: [128, 128, 64] };

#[test]
fn spaces_of_vulkan_keep_the_limits_of_the_device() {
    let own = configuration(
        "#iree_codegen.lowering_config<tile_sizes = [[16, 256], [8, 8], [0, 0, 4]]>",
        "#iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [32, 2, 1]",
    );
    let space = Space::of_vulkan(&read(MATMUL), &own, LIMITS).expect("a space");
    check_own(&space, &own);
    let some = "tile_sizes = [[32, 64], [4, 4], [0, 0, 8]]";
    let points = all(&space);
    let point = points
        .iter()
        .find(|point| point.lowering.as_ref().is_some_and(|it| it.to_string().contains(some)));
    let sizes = point.and_then(|point| point.get("workgroup_size"));
    assert_eq!(sizes.and_then(Attribute::integers), Some(vec![16, 8, 1]));
    for point in &all(&space) {
        let sizes = point.get("workgroup_size").and_then(Attribute::integers);
        let threads: i64 = sizes.expect("sizes").iter().product();
        assert!((16..=128).contains(&threads), "{point:?}");
    }
    let own = configuration(
        "#iree_codegen.lowering_config<tile_sizes = [[1, 1, 64], [1, 1, 1]]>",
        "#iree_gpu.spirv_pipeline<BaseDistribute> workgroup_size = [64, 1, 1]",
    );
    let space = Space::of_vulkan(&convolution(), &own, LIMITS).expect("a space");
    check_own(&space, &own);
    for pipeline in ["BaseVectorize", "BaseDistribute"] {
        assert!(all(&space).iter().any(|point| point.pipeline() == Some(pipeline)), "{pipeline}");
    }
    let other =
        configuration("#a.b<tile_sizes = [[1]]>", "#iree_gpu.spirv_pipeline<SubgroupReduce>");
    assert!(Space::of_vulkan(&convolution(), &other, LIMITS).is_none());
}

#[test]
fn targets_tell_their_limits() {
    let parse = |text: &str| Attribute::parse(text).expect(text);
    let target = parse(
        "<\"llvm-cpu\", \"embedded-elf-x86_64\", {cpu_features = \"+avx2,+avx512f\", native_vector_size = 64 : i64}>",
    );
    assert_eq!(Cpu::of(&target), AVX512);
    let target = parse("<\"llvm-cpu\", \"embedded-elf-x86_64\", {cpu_features = \"\"}>");
    assert_eq!(
        Cpu::of(&target),
        Cpu { vector_bytes: 16, vector_registers: 16, cache_bytes: 1 << 20 }
    );
    let target = parse(
        "<\"vulkan-spirv\", \"vulkan-spirv-fb\", {iree_codegen.target_info = #iree_gpu.target<arch = \"a\", features = \"\", wgp = <compute = fp32|int32, max_workgroup_sizes = [256, 64, 8], max_thread_count_per_workgroup = 512>>}>",
    );
    assert_eq!(Vulkan::of(&target), Vulkan { threads: 512, sizes: [256, 64, 8] });
    assert_eq!(Vulkan::of(&Attribute::Unit), LIMITS);
}

#[test]
fn the_compilers_constraints_are_a_space_of_all_pipelines() {
    let one = |pipeline: &str, knobs: &str, lines: &str| {
        format!(
            "  iree_codegen.smt.constraints target = <set = 0>, pipeline = #iree_gpu.pipeline<{pipeline}>, \n   knobs = {{{knobs}}}\n   dims(%c8) {{\n  ^bb0(%arg0: !smt.int):\n    %1 = smt.int.constant 1\n    %9 = smt.int.constant 9\n{lines}  }}\n"
        )
    };
    let knob = |name: &str| {
        format!(
            "    %{name} = iree_codegen.smt.knob \"{name}\" : !smt.int\n    %f{name} = smt.int.cmp ge %{name}, %1\n    iree_codegen.smt.assert %f{name}, \"\" : !smt.bool\n    %t{name} = smt.int.cmp lt %{name}, %9\n    iree_codegen.smt.assert %t{name}, \"\" : !smt.bool\n"
        )
    };
    let int = |name: &str| format!("#iree_codegen.smt.int_knob<\"{name}\">");
    let first = one(
        "TileAndFuse",
        &format!("workgroup = [{}, {}]", int("a"), int("b")),
        &(knob("a") + &knob("b")),
    );
    let second = one(
        "VectorDistribute",
        &format!("workgroup = [{}, 1], basis = [[{}]]", int("a"), int("c")),
        &(knob("a") + &knob("c")),
    );
    let both = constraints(&(first + &second)).expect("constraints");
    let own = configuration(
        "#iree_gpu.lowering_config<{basis = [[5]], workgroup = [4, 1]}>",
        "#iree_gpu.pipeline<VectorDistribute>",
    );
    let space = Space::of_constraints(&both, &own).expect("bounds");
    assert_eq!(space.knobs, ["pipeline", "a", "b", "c"]);
    assert_eq!(space.points.len(), 128);
    assert_eq!(space.points[space.own], [1, 4, 0, 5]);
    assert_eq!(space.configuration(space.own), own);
    // Both knobs have a smaller and a larger value; others change together.
    let near = space.neighbors(space.own);
    for values in [[1, 3, 0, 5], [1, 5, 0, 5], [1, 4, 0, 4], [1, 4, 0, 6], [1, 5, 0, 6]] {
        assert!(near.iter().any(|nth| space.points[*nth] == values), "{values:?}");
    }
    let near = *near.iter().find(|nth| space.points[**nth] == [1, 5, 0, 6]).expect("it is near");
    assert_eq!(
        space.configuration(near).get("basis").map(ToString::to_string).as_deref(),
        Some("[[6]]")
    );
    // What is no solution is a point all the same.
    let outside = configuration(
        "#iree_gpu.lowering_config<{workgroup = [4, 64]}>",
        "#iree_gpu.pipeline<TileAndFuse>",
    );
    let space = Space::of_constraints(&both, &outside).expect("bounds");
    assert_eq!((space.points.len(), &space.points[space.own]), (129, &vec![0, 4, 64, 0]));
}
