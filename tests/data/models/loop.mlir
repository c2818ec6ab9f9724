// A product that is repeated as often as an input says: the host runs the loop, so each turn is a submission.
func.func @main(%start: tensor<64x64xf32>, %turns: i32) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %turns : i32 to index
  %result = scf.for %turn = %c0 to %end step %c1 iter_args(%value = %start) -> (tensor<64x64xf32>) {
    %empty = tensor.empty() : tensor<64x64xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %product = linalg.matmul ins(%value, %start : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %product : tensor<64x64xf32>
  }
  return %result : tensor<64x64xf32>
}
