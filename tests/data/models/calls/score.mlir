// Two parts: the host reads a value of the first back; the result is one number.
func.func @main(%input: tensor<64x64xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%input, %input : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  %value = tensor.extract %product[%c0, %c0] : tensor<64x64xf32>
  %is_positive = arith.cmpf ogt, %value, %zero : f32
  %chosen = scf.if %is_positive -> tensor<64x64xf32> {
    scf.yield %product : tensor<64x64xf32>
  } else {
    scf.yield %input : tensor<64x64xf32>
  }
  %scalar = tensor.empty() : tensor<f32>
  %none = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%chosen : tensor<64x64xf32>) outs(%none : tensor<f32>) dimensions = [0, 1]
  return %sum : tensor<f32>
}
