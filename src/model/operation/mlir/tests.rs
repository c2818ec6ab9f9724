//! Tests with sources that the compiler dumped, and with forms that other versions print.

use std::path::Path;

use super::*;
use crate::operation::Name;

/// Reads the dumped sources of a model in tests/data.
fn dumped(model: &str) -> Vec<(String, Facts)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/sources").join(model);
    let files = std::fs::read_dir(folder).expect("the sources of a model");
    let text = |file: std::fs::DirEntry| std::fs::read_to_string(file.path()).expect("a source");
    let mut all: Vec<_> = files.flat_map(|file| functions(&text(file.expect("a file")))).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[test]
fn the_network_is_counted_by_hand() {
    let first = 32 * 256 * (2 * 128 + 2);
    let second = 32 * 64 * (2 * 256 + 1);
    let counted = [
        ("matmul", first, 4 * (32 * 128 + 128 * 256 + 256 + 32 * 256)),
        ("matmul", second, 4 * (32 * 256 + 256 * 64 + 64 + 32 * 64)),
        ("softmax", 5 * 32 * 64, 4 * (32 * 64 * 2)),
        ("generic", 0, 4 * (32 * 64 * 2)),
    ];
    let all = dumped("mlp");
    assert_eq!(all.len(), counted.len());
    for ((name, facts), (kind, flops, bytes)) in all.iter().zip(counted) {
        assert_eq!(facts.kind.as_deref(), Some(kind), "{name}");
        assert_eq!((facts.flops, facts.bytes), (Some(flops), Some(bytes)), "{name}");
    }
}

#[test]
fn every_operation_is_counted_by_hand() {
    let image = 3 * 64 * 64 + 16 * 3 * 7 * 7 + 16 * 29 * 29;
    let channels = 34 * 34 * 32 + 3 * 3 * 32 + 32 * 32 * 32;
    let counted: &[(&str, Option<u64>, Option<u64>)] = &[
        ("attention", Some(4 * 4 * 64 * 128 * 32), Some(4 * 4 * 32 * (64 + 128 + 128 + 64))),
        ("batch", Some(2 * 4 * 32 * 48 * 64), Some(4 * (32 * 64 + 64 * 48 + 4 * 32 * 48))),
        ("conv", Some(2 * 16 * 29 * 29 * 3 * 7 * 7), Some(4 * image)),
        ("depthwise", Some(2 * 32 * 32 * 32 * 3 * 3), Some(4 * channels)),
        ("dyn", None, None),
        // Which rows are read depends on the indexes.
        ("gather", Some(0), None),
        ("gelu", Some(6 * 128 * 256), Some(4 * (2 * 128 * 256 + 256))),
        ("matvec", Some(2 * 512 * 256), Some(4 * (512 * 256 + 256 + 512))),
        (
            "mm_transpose_b",
            Some(2 * 128 * 512 * 256),
            Some(2 * (128 * 256 + 512 * 256) + 4 * 128 * 512),
        ),
        ("pool", Some(17 * 17 * 32 * 4), Some(4 * (34 * 34 * 32 + 17 * 17 * 32))),
        ("rowsum", Some(2 * 128 * 256), Some(4 * (128 * 256 + 128))),
        ("slice", Some(0), Some(2 * 4 * 16 * 48)),
        ("transposed", Some(0), Some(2 * 2 * 128 * 256)),
    ];
    let all = dumped("operations");
    assert_eq!(all.len(), counted.len());
    for ((name, facts), (of, flops, bytes)) in all.iter().zip(counted) {
        assert_eq!(Name::read(name).map(|name| name.of), Some(*of), "{name}");
        assert_eq!((facts.flops, facts.bytes), (*flops, *bytes), "{name}");
    }
}

#[test]
fn names_agree_with_sources() {
    let mut compared = [0, 0];
    for (name, facts) in dumped("mlp").into_iter().chain(dumped("operations")) {
        let told = Name::read(&name).expect("a dispatch");
        // A name tells only of one operation: the layers of the network have an epilogue. Pooling is called `conv`.
        let is_whole = !name.starts_with("main_dispatch_0") && !name.starts_with("main_dispatch_1");
        if let (Some(name), Some(source)) = (told.flops(), facts.flops)
            && is_whole
            && told.of != "pool"
        {
            assert_eq!(name, source, "{told:?}");
            compared[0] += 1;
        }
        if let (Some(name), Some(source)) = (told.bytes(), facts.bytes)
            && is_whole
        {
            assert_eq!(name, source, "{told:?}");
            compared[1] += 1;
        }
    }
    assert_eq!(compared, [9, 6], "names that tell flops and bytes");
}

/// Reads a function with these lines. Returns flops and bytes.
fn work(lines: &str) -> (Option<u64>, Option<u64>) {
    let text = format!(
        "#map = affine_map<(d0, d1) -> (d0, d1)>\n#map1 = affine_map<(d0, d1) -> (d0)>\n\
         func.func @\"a$b\"() {{\n{lines}\n  return\n}}"
    );
    let all = functions(&text);
    assert_eq!(all.len(), 1, "{lines}");
    assert_eq!(all[0].0, "a$b");
    (all[0].1.flops, all[0].1.bytes)
}

/// Like [`work`], for functions that load and store nothing.
fn flops(lines: &str) -> Option<u64> {
    work(lines).0
}

#[test]
fn named_operations_are_counted() {
    let one = |operation: &str, ins: &str, outs: &str| {
        flops(&format!("%1 = {operation} ins(%a, %b : {ins}) outs(%c : {outs}) -> {outs}"))
    };
    let (image, filter) = ("tensor<1x34x34x8xf32>", "tensor<3x3x8x16xf32>");
    assert_eq!(
        one(
            "linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}",
            &format!("{image}, {filter}"),
            "tensor<1x32x32x16xf32>"
        ),
        Some(2 * 32 * 32 * 16 * 3 * 3 * 8)
    );
    assert_eq!(
        one(
            "linalg.depthwise_conv_2d_nhwc_hwc",
            &format!("{image}, tensor<3x3x8xf32>"),
            "tensor<1x32x32x8xf32>"
        ),
        Some(2 * 32 * 32 * 8 * 9)
    );
    assert_eq!(
        one("linalg.conv_2d", "tensor<34x34xf32>, tensor<3x3xf32>", "tensor<32x32xf32>"),
        Some(2 * 32 * 32 * 9)
    );
    assert_eq!(
        one(
            "linalg.pooling_nhwc_max",
            &format!("{image}, tensor<2x2xf32>"),
            "tensor<1x17x17x8xf32>"
        ),
        Some(17 * 17 * 8 * 4)
    );
    assert_eq!(
        one("linalg.batch_matmul", "tensor<3x5x7xf16>, tensor<3x7x2xf16>", "tensor<3x5x2xf32>"),
        Some(2 * 3 * 5 * 7 * 2)
    );
    assert_eq!(
        one("linalg.mmt4d", "tensor<4x128x8x1xf32>, tensor<8x128x4x1xf32>", "tensor<4x8x8x4xf32>"),
        Some(2 * 32 * 32 * 128)
    );
    assert_eq!(one("linalg.dot", "tensor<9xf32>, tensor<9xf32>", "tensor<f32>"), Some(2 * 9));
    assert_eq!(one("linalg.add", "tensor<9xf32>, tensor<9xf32>", "tensor<9xf32>"), Some(9));
    assert_eq!(one("iree_linalg_ext.topk", "tensor<9xf32>, tensor<9xi32>", "tensor<3xf32>"), None);
}

#[test]
fn regions_are_counted_once_per_iteration() {
    let generic = |body: &str| {
        flops(&format!(
            "%1 = linalg.generic {{indexing_maps = [#map, #map1], iterator_types = [\"parallel\", \"reduction\"]}} \
             ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) {{\n^bb0(%in: f32, %out: f32):\n{body}\n\
             linalg.yield %9 : f32\n}} -> tensor<4xf32>"
        ))
    };
    assert_eq!(generic("%9 = math.fma %in, %in, %out : f32"), Some(2 * 32));
    assert_eq!(
        generic("%8 = arith.extf %in : f16 to f32\n%9 = arith.cmpf ogt, %8, %out : f32"),
        Some(0)
    );
    assert_eq!(generic("%8 = linalg.index 0 : index\n%9 = arith.addi %8, %c1 : index"), Some(0));
    let branch = "%9 = scf.if %c -> (f32) {\n%5 = arith.addf %in, %out : f32\nscf.yield %5 : f32\n} else {\n}";
    assert_eq!(generic(branch), None, "a branch may not run");
    let short = "%1 = linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) dimensions = [1]";
    assert_eq!(flops(short), Some(32));
}

#[test]
fn loads_and_stores_are_bytes() {
    let load = "%1 = flow.dispatch.tensor.load %0, offsets = [0], sizes = [8], strides = [1] : !flow.dispatch.tensor<readonly:tensor<8xi4>> -> tensor<8xi4>";
    let store = "flow.dispatch.tensor.store %1, %2, offsets = [0], sizes = [8], strides = [1] : tensor<8xbf16> -> !flow.dispatch.tensor<writeonly:tensor<8xbf16>>";
    assert_eq!(work(&format!("{load}\n{store}")), (Some(0), Some(4 + 16)));
    assert_eq!(work(&format!("{load}\n{load}\n{store}")).1, Some(4 + 16), "read once");
    let dynamic = load.replace("tensor<8xi4>", "tensor<?x8xi4>");
    assert_eq!(work(&format!("{dynamic}\n{store}")).1, None);
    let repeated = format!("scf.for %i = %c0 to %c8 step %c1 {{\n{load}\n{store}\n}}");
    assert_eq!(work(&repeated), (None, None));
}

#[test]
fn what_does_nothing_has_no_facts() {
    assert_eq!(functions("func.func private @extern(tensor<4xf32>)\n"), []);
    assert_eq!(functions("module {\n  hal.executable public @x {\n  }\n}"), []);
}
