//! Families of matrix instructions, and the attributes that both kinds of schedules write.

use crate::bench::element::Types;
use crate::bench::target::Target;

/// An instruction with which a subgroup multiplies small matrices.
pub struct Intrinsic {
    pub name: &'static str,
    pub types: Types,
    /// Rows, columns and depth of one instruction.
    pub sides: [u64; 3],
}

/// A family of instructions, with at most one per combination of types.
pub struct Family {
    pub core: &'static str,
    pub name: &'static str,
    /// Additional entries of the lowering configuration.
    pub extra: &'static str,
    pub intrinsics: &'static [Intrinsic],
    /// The architectures that have the instructions.
    pub(crate) architectures: &'static [&'static str],
}

impl Family {
    /// Returns the instruction for these types; fails if the target has none.
    pub fn intrinsic(&self, types: Types, target: &Target) -> Result<&Intrinsic, String> {
        let architecture = target.architecture().unwrap_or_default();
        if !self.architectures.contains(&architecture) {
            return Err(format!(
                "{} instructions require {}; the target is {architecture}",
                self.name,
                self.architectures.join(", ")
            ));
        }
        self.intrinsics.iter().find(|it| it.types == types).ok_or_else(|| {
            format!(
                "the compiler has no {} instruction that multiplies {} and accumulates in {}",
                self.name,
                types.operand().name(),
                types.result().name()
            )
        })
    }
}

/// Writes the `compilation_info` attribute.
pub fn info(config: &str, pipeline: &str, threads: u64, target: &Target, options: &str) -> String {
    let subgroup = target.limits().subgroup;
    format!(
        "#iree_codegen.compilation_info<\n  \
         lowering_config = #iree_gpu.lowering_config<{{{config}}}>,\n  \
         translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<{pipeline}> \
         workgroup_size = [{threads}, 1, 1] subgroup_size = {subgroup}{options}>>"
    )
}

/// Writes the options of a pipeline with prefetching.
pub fn stages(count: u64, patches: bool) -> String {
    format!(
        ", {{gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = {count}, \
         no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = {patches}>}}"
    )
}
