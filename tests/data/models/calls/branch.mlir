// A product of which the host reads a value, by which it goes on: a call is two submissions.
func.func @main(%left: tensor<64x64xf32>, %right: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%left, %right : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  %value = tensor.extract %product[%c0, %c0] : tensor<64x64xf32>
  %is_positive = arith.cmpf ogt, %value, %zero : f32
  %result = scf.if %is_positive -> tensor<64x64xf32> {
    %again = linalg.matmul ins(%product, %right : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
    %exp = math.exp %again : tensor<64x64xf32>
    scf.yield %exp : tensor<64x64xf32>
  } else {
    %tanh = math.tanh %product : tensor<64x64xf32>
    scf.yield %tanh : tensor<64x64xf32>
  }
  return %result : tensor<64x64xf32>
}
