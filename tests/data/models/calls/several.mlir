// Three loops, one after the other: with one turn of each, a call is three submissions. A back end with an executable for
// each dispatch has none that two of them share.
func.func @main(%start: tensor<64x64xf32>, %turns: i32) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %turns : i32 to index
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %first = scf.for %turn = %c0 to %end step %c1 iter_args(%value = %start) -> (tensor<64x64xf32>) {
    %product = linalg.matmul ins(%value, %start : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %product : tensor<64x64xf32>
  }
  %second = scf.for %turn = %c0 to %end step %c1 iter_args(%value = %first) -> (tensor<64x64xf32>) {
    %exp = math.exp %value : tensor<64x64xf32>
    scf.yield %exp : tensor<64x64xf32>
  }
  %third = scf.for %turn = %c0 to %end step %c1 iter_args(%value = %second) -> (tensor<64x64xf32>) {
    %tanh = math.tanh %value : tensor<64x64xf32>
    scf.yield %tanh : tensor<64x64xf32>
  }
  return %third : tensor<64x64xf32>
}
