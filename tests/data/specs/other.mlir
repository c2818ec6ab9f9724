// Written by ireescope for main_dispatch_0_matmul_32x256x128_f32: distribution = [32, 32, 0], vector_reduction[2] = 4.
module @tuning_spec attributes {transform.with_named_sequence, iree_codegen.tuning_spec_with_default_entrypoint} {
  transform.named_sequence @apply_op_config(%op: !transform.any_op {transform.readonly}, %config: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @match_main_dispatch_0_matmul_32x256x128_f32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %inputs, %outputs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%operand0: tensor<32x128xf32>, %operand1: tensor<128x256xf32>, %operand2: tensor<32x256xf32>):
      %9 = linalg.matmul ins(%operand0, %operand1 : tensor<32x128xf32>, tensor<128x256xf32>) outs(%operand2 : tensor<32x256xf32>) -> tensor<32x256xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %config = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<cache_parallel = [8, 64, 0], distribution = [32, 32, 0], vector_common_parallel = [8, 4, 0], vector_reduction = [0, 0, 4]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {enable_loop_peeling}>> -> !transform.any_param
    transform.yield %op, %config : !transform.any_op, !transform.any_param
  }
  transform.named_sequence @__kernel_config(%variant_op: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %result = transform.foreach_match in %variant_op
      @match_main_dispatch_0_matmul_32x256x128_f32 -> @apply_op_config
      : (!transform.any_op) -> !transform.any_op
    transform.yield %result : !transform.any_op
  }
}
