//! The knobs of lowering configurations by the attribute that holds them, as the dialects of IREE's compiler name them
//! (`Codegen/Dialect/CPU/IR/IREECPUAttrs.cpp`, `Codegen/Dialect/GPU/IR/IREEGPUAttrs.cpp`, `GPULoweringConfigUtils.cpp`).
//! The compiler ignores what it does not know in those for GPUs, so that a typing error would go unnoticed.

use crate::tuning::attribute::Attribute;

const KNOBS: [(&str, &[&str]); 2] = [
    (
        "iree_cpu.lowering_config",
        &[
            "distribution",
            "cache_parallel",
            "cache_reduction",
            "vector_common_parallel",
            "vector_reduction",
            "vector_inner_parallel",
        ],
    ),
    (
        "iree_gpu.lowering_config",
        &[
            "workgroup",
            "partial_reduction",
            "reduction",
            "serial",
            "thread",
            "subgroup",
            "lane",
            "subgroup_basis",
            "lane_basis",
            "mma_kind",
            "promote_operands",
            "promotion_types",
            "padding",
            "padding_conv",
            "convert_acc_gemm",
            "lowering_strategy",
            "workgroup_reordering_strategy",
        ],
    ),
];

/// Returns the knobs that a lowering configuration may have: those that it has, and those of its dialect.
pub(crate) fn of_lowering(lowering: &Attribute) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for (path, _) in lowering.knobs() {
        let root = path.split(['[', '.']).next().unwrap_or(&path);
        known.push(root.to_owned());
    }
    if let Attribute::Dialect { name, .. } = lowering {
        let of_dialect = KNOBS.iter().filter(|(of, _)| name.contains(of));
        known.extend(of_dialect.flat_map(|(_, knobs)| knobs.iter().map(|it| (*it).to_owned())));
    }
    let mut seen = std::collections::HashSet::new();
    known.retain(|knob| !knob.is_empty() && seen.insert(knob.clone()));
    known
}
