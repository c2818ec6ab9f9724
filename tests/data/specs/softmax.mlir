// Written by ireescope for main_dispatch_2_softmax_32x64xf32_dispatch_tensor_store: distribution[0] = 8.
module @tuning_spec attributes {transform.with_named_sequence, iree_codegen.tuning_spec_with_default_entrypoint} {
  transform.named_sequence @apply_op_config(%op: !transform.any_op {transform.readonly}, %config: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @match_main_dispatch_2_softmax_32x64xf32_dispatch_tensor_store(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %inputs, %outputs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%operand0: tensor<32x64xf32>, %operand1: tensor<32xf32>, %operand2: tensor<32xf32>):
      %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%operand0, %operand1 : tensor<32x64xf32>, tensor<32xf32>) outs(%operand2 : tensor<32xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %10 = arith.subf %in, %in_1 : f32
        %11 = math.exp %10 : f32
        %12 = arith.addf %11, %out : f32
        linalg.yield %12 : f32
      } -> tensor<32xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %config = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [4, 0], vector_reduction = [0, 4]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>> -> !transform.any_param
    transform.yield %op, %config : !transform.any_op, !transform.any_param
  }
  transform.named_sequence @__kernel_config(%variant_op: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %result = transform.foreach_match in %variant_op
      @match_main_dispatch_2_softmax_32x64xf32_dispatch_tensor_store -> @apply_op_config
      : (!transform.any_op) -> !transform.any_op
    transform.yield %result : !transform.any_op
  }
}
