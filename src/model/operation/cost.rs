//! What the name of a function tells about its work.
//!
//! A name has the loops of one operation, the most expensive one of the dispatch, so a cost is that of this operation
//! alone, without what is fused with it. Where the name does not determine a number, there is none.

use super::element::{bytes, product};
use super::name::Name;
use super::named;

/// Operations per element of a softmax: maximum, subtraction, exponential, sum and division.
pub(crate) const SOFTMAX: u64 = 5;

/// Kinds that move elements and compute nothing.
const MOVES: &[&str] = &[
    "transpose",
    "copy",
    "fill",
    "broadcast",
    "pack",
    "unpack",
    "set_encoding",
    "unset_encoding",
    "encode",
    "slow_memcpy",
];

/// How the work of a kind of operation follows from its loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// A multiply-add per iteration.
    MultiplyAdd,
    /// A number of operations per iteration or element.
    Each(u64),
    Unknown,
}

/// True if the operation is a product of matrices or a convolution.
pub(crate) fn is_multiply_add(kind: &str) -> bool {
    work(kind) == Work::MultiplyAdd
}

/// True if the operation only moves elements.
pub(crate) fn is_move(kind: &str) -> bool {
    MOVES.contains(&kind)
}

fn work(kind: &str) -> Work {
    const PRODUCTS: &[&str] = &[
        "matmul",
        "batch_matmul",
        "quantized_matmul",
        "quantized_batch_matmul",
        "batch_reduce_matmul",
        "matvec",
        "batch_matvec",
        "vecmat",
        "batch_vecmat",
        "mmt4d",
        "batch_mmt4d",
        "contract",
    ];
    // Suffixes are `_like`, `_transpose_a` and the layouts of convolutions.
    let is = |name: &str| {
        kind.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let is_convolution =
        is("conv") || ["conv_1d", "conv_2d", "conv_3d"].iter().any(|it| kind.contains(it));
    if kind == "dot" || is_convolution || PRODUCTS.iter().any(|name| is(name)) {
        Work::MultiplyAdd
    } else if is_move(kind) {
        Work::Each(0)
    } else if kind == "softmax" {
        Work::Each(SOFTMAX)
    } else if is("pooling") {
        Work::Each(1)
    } else {
        Work::Unknown
    }
}

impl Name<'_> {
    /// Returns the number of arithmetic operations.
    pub fn flops(&self) -> Option<u64> {
        match work(self.kind?) {
            Work::MultiplyAdd => product(self.extents()?)?.checked_mul(2),
            Work::Each(0) => Some(0),
            Work::Each(operations) => product(self.extents()?)?.checked_mul(operations),
            Work::Unknown => None,
        }
    }

    /// Returns the size of operands and result.
    pub fn bytes(&self) -> Option<u64> {
        let tensors = operands(self.kind?, &self.extents()?)?;
        let types = self.types();
        let sizes = tensors.iter().enumerate().map(|(nth, elements)| {
            let element = match types.as_slice() {
                [only] => only,
                all if all.len() == tensors.len() => all.get(nth)?,
                _ => return None,
            };
            bytes((*elements)?, element)
        });
        sizes.sum()
    }
}

/// Returns the number of elements of each operand, inputs first, for kinds whose loops determine them.
fn operands(kind: &str, loops: &[u64]) -> Option<Vec<Option<u64>>> {
    let named = match kind.split("_transpose").next().unwrap_or(kind) {
        // Loops of a generic product are also rows, columns and depth: the compiler moves reductions behind the others.
        "matmul_like" => "matmul",
        "matvec_like" => "matvec",
        "softmax" | "copy" | "transpose" => {
            return Some(vec![product(loops.iter().copied()); 2]);
        }
        other => other,
    };
    let (maps, count) = named::maps(named)?;
    let elements = |map: &&[usize]| product(map.iter().filter_map(|nth| loops.get(*nth).copied()));
    (count == loops.len()).then(|| maps.iter().map(elements).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Told = (&'static str, &'static str, &'static str, &'static str, Option<u64>, Option<u64>);

    /// Names as IREE 3.13 and earlier versions write them, with kind, shape, element types, flops and bytes.
    const NAMES: &[Told] = &[
        (
            "main_dispatch_0_matmul_32x256x128_f32",
            "matmul",
            "32x256x128",
            "f32",
            Some(2 * 32 * 256 * 128),
            Some(4 * (32 * 128 + 128 * 256 + 32 * 256)),
        ),
        (
            "mm_transpose_b_dispatch_0_matmul_128x512x256_f16xf16xf32",
            "matmul",
            "128x512x256",
            "f16xf16xf32",
            Some(2 * 128 * 512 * 256),
            Some(2 * 128 * 256 + 2 * 256 * 512 + 4 * 128 * 512),
        ),
        (
            "main$async_dispatch_1_matmul_transpose_b_1x1200x400_f64",
            "matmul_transpose_b",
            "1x1200x400",
            "f64",
            Some(2 * 1200 * 400),
            Some(8 * (400 + 1200 * 400 + 1200)),
        ),
        (
            "dyn_dispatch_0_matmul_Dx48x64_f16xf16xf32",
            "matmul",
            "Dx48x64",
            "f16xf16xf32",
            None,
            None,
        ),
        (
            "batch_dispatch_0_batch_matmul_4x32x48x64_i8xi8xi32",
            "batch_matmul",
            "4x32x48x64",
            "i8xi8xi32",
            Some(2 * 4 * 32 * 48 * 64),
            Some(4 * (32 * 64 + 64 * 48 + 4 * 32 * 48)),
        ),
        (
            "prefill$async_dispatch_22_matmul_like_4096x640x2048_f16xf16xf32",
            "matmul_like",
            "4096x640x2048",
            "f16xf16xf32",
            Some(2 * 4096 * 640 * 2048),
            Some(2 * 4096 * 2048 + 2 * 2048 * 640 + 4 * 4096 * 640),
        ),
        (
            "matvec_dispatch_0_matvec_512x256_f32",
            "matvec",
            "512x256",
            "f32",
            Some(2 * 512 * 256),
            Some(4 * (512 * 256 + 256 + 512)),
        ),
        (
            "decode_dispatch_3_matvec_like_4x512x256_f32",
            "matvec_like",
            "4x512x256",
            "f32",
            Some(2 * 4 * 512 * 256),
            None,
        ),
        (
            "main_dispatch_5_mmt4d_4x8x128x8x4x1_f32",
            "mmt4d",
            "4x8x128x8x4x1",
            "f32",
            Some(2 * 32 * 32 * 128),
            Some(4 * (32 * 128 + 32 * 128 + 32 * 32)),
        ),
        (
            "conv_dispatch_0_conv_16x29x29x3x7x7_f32",
            "conv",
            "16x29x29x3x7x7",
            "f32",
            Some(2 * 16 * 29 * 29 * 3 * 7 * 7),
            None,
        ),
        (
            "main$async_dispatch_3_conv_2d_nchw_fchw_1x64x112x112x3x7x7_f32",
            "conv_2d_nchw_fchw",
            "1x64x112x112x3x7x7",
            "f32",
            Some(2 * 64 * 112 * 112 * 3 * 7 * 7),
            None,
        ),
        (
            "main_dispatch_9_depthwise_conv_2d_nhwc_hwc_1x32x32x32x3x3_f32",
            "depthwise_conv_2d_nhwc_hwc",
            "1x32x32x32x3x3",
            "f32",
            Some(2 * 32 * 32 * 32 * 9),
            None,
        ),
        (
            "main_dispatch_9_pooling_nhwc_max_1x17x17x32x2x2_f32",
            "pooling_nhwc_max",
            "1x17x17x32x2x2",
            "f32",
            Some(17 * 17 * 32 * 4),
            None,
        ),
        (
            "main_dispatch_2_softmax_32x64xf32_dispatch_tensor_store",
            "softmax",
            "32x64",
            "f32",
            Some(5 * 32 * 64),
            Some(2 * 4 * 32 * 64),
        ),
        (
            "main_dispatch_3_transpose_32x64_f32",
            "transpose",
            "32x64",
            "f32",
            Some(0),
            Some(2 * 4 * 32 * 64),
        ),
        (
            "main_dispatch_4_elementwise_transpose_32x64_f32xf16",
            "elementwise_transpose",
            "32x64",
            "f32xf16",
            None,
            None,
        ),
        ("gelu_dispatch_0_elementwise_128x256_f32", "elementwise", "128x256", "f32", None, None),
        ("main_dispatch_4_elementwise_D_f32", "elementwise", "D", "f32", None, None),
        (
            "gather_dispatch_0_elementwise_broadcast_32x64_i32xf32",
            "elementwise_broadcast",
            "32x64",
            "i32xf32",
            None,
            None,
        ),
        ("main$async_dispatch_0_reduction_5x1024_f32", "reduction", "5x1024", "f32", None, None),
        (
            "attention_dispatch_0_attention_4x64x32x32x128",
            "attention",
            "4x64x32x32x128",
            "",
            None,
            None,
        ),
        (
            "main_dispatch_7_attention_20x1024x64xf16_generic",
            "attention",
            "20x1024x64",
            "f16",
            None,
            None,
        ),
        (
            "main_graph$async_dispatch_12_matvec_like_6272_f32",
            "matvec_like",
            "6272",
            "f32",
            Some(2 * 6272),
            None,
        ),
        (
            "main$async_dispatch_29_matmul_like_384x14x14x64_f32",
            "matmul_like",
            "384x14x14x64",
            "f32",
            Some(2 * 384 * 14 * 14 * 64),
            None,
        ),
        (
            "main$async_dispatch_12_scatter_32x2x16xi8_dispatch_tensor_store",
            "scatter",
            "32x2x16",
            "i8",
            None,
            None,
        ),
        (
            "prefill_bs1$async_dispatch_12_attention_4x2xDx32x32xD",
            "attention",
            "4x2xDx32x32xD",
            "",
            None,
            None,
        ),
        (
            "main_dispatch_1_generic_128x256_f32xf32xf16",
            "generic",
            "128x256",
            "f32xf32xf16",
            None,
            None,
        ),
        ("main_dispatch_6_pack_f32", "pack", "", "f32", Some(0), None),
        ("main_dispatch_6_unpack_f32", "unpack", "", "f32", Some(0), None),
        (
            "main_dispatch_8_unpack_elementwise_128x256_f32_pack",
            "elementwise",
            "128x256",
            "f32",
            None,
            None,
        ),
        ("main_dispatch_0_set_encoding_LHS_128x256", "set_encoding", "128x256", "", Some(0), None),
        ("slice_dispatch_0_slow_memcpy", "slow_memcpy", "", "", Some(0), None),
        ("_initializer_0_dispatch_0", "", "", "", None, None),
        (
            "jit_eval_3_dispatch_0_transpose_512x128_i4",
            "transpose",
            "512x128",
            "i4",
            Some(0),
            Some(512 * 128),
        ),
        ("main_dispatch_12_fill_64x64_f32", "fill", "64x64", "f32", Some(0), None),
        (
            "main_dispatch_2_copy_64x64_f8E4M3FNUZ",
            "copy",
            "64x64",
            "f8E4M3FNUZ",
            Some(0),
            Some(2 * 64 * 64),
        ),
        ("main_dispatch_2_elementwise_64_complex_f32_", "elementwise", "64", "", None, None),
        ("_encoding_2_encode_64x32xf32_to_64x32xf32", "encode", "64x32", "f32", Some(0), None),
    ];

    #[test]
    fn names_tell_kind_shape_types_and_work() {
        for (key, kind, shape, dtype, flops, bytes) in NAMES {
            let name = Name::read(key).expect(key);
            let text = |part: Option<&str>| part.unwrap_or_default().to_owned();
            assert_eq!(text(name.kind), *kind, "{key}");
            assert_eq!(text(name.shape), *shape, "{key}");
            assert_eq!(text(name.dtype), *dtype, "{key}");
            assert_eq!(name.flops(), *flops, "flops of {key}");
            assert_eq!(name.bytes(), *bytes, "bytes of {key}");
        }
    }

    #[test]
    fn ordinals_stand_before_the_summary() {
        let read = |key| Name::read(key).map(|name| (name.of.to_owned(), name.ordinal));
        let told = |of: &str, ordinal| Some((of.to_owned(), ordinal));
        assert_eq!(read("main$async_dispatch_17_slow_memcpy"), told("main", 17));
        assert_eq!(read("a_dispatch_1_dispatch_0_matmul_2x2x2_f32"), told("a_dispatch_1", 0));
        assert_eq!(read("_initializer_0_dispatch_4"), told("_initializer_0", 4));
        assert_eq!(read("dispatch_3"), told("", 3));
        for other in ["", "matmul", "executable7#2", "dispatch_x", "predispatch_1", "dispatch_1x2"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_unknown() {
        let key = "m_dispatch_0_matmul_4294967296x4294967296x4294967296_f32";
        let name = Name::read(key).expect("a dispatch");
        assert_eq!((name.flops(), name.bytes()), (None, None));
    }
}
