// A loop within a loop: three times two turns, of which the host knows the number, between two softmaxes.
func.func @main(%start: tensor<64x64xf32>, %turns: i32) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %turns : i32 to index
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %first = linalg.softmax dimension(1) ins(%start : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %outer = scf.for %turn = %c0 to %end step %c1 iter_args(%value = %first) -> (tensor<64x64xf32>) {
    %product = linalg.matmul ins(%value, %start : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
    %inner = scf.for %again = %c0 to %end step %c1 iter_args(%more = %product) -> (tensor<64x64xf32>) {
      %exp = math.exp %more : tensor<64x64xf32>
      scf.yield %exp : tensor<64x64xf32>
    }
    scf.yield %inner : tensor<64x64xf32>
  }
  %last = linalg.softmax dimension(0) ins(%outer : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %last : tensor<64x64xf32>
}
