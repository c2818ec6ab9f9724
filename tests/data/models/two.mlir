// A module with two entry points without inputs, which a benchmark calls one after the other: a product, and two of them
// with a softmax behind.
func.func @first() -> tensor<64x64xf32> {
  %one = util.unfoldable_constant dense<0.01> : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%one, %one : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %product : tensor<64x64xf32>
}
func.func @second() -> tensor<32x64xf32> {
  %left = util.unfoldable_constant dense<0.5> : tensor<32x128xf32>
  %right = util.unfoldable_constant dense<0.25> : tensor<128x64xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x64xf32>) -> tensor<32x64xf32>
  %product = linalg.matmul ins(%left, %right : tensor<32x128xf32>, tensor<128x64xf32>) outs(%filled : tensor<32x64xf32>) -> tensor<32x64xf32>
  %softmax = linalg.softmax dimension(1) ins(%product : tensor<32x64xf32>) outs(%empty : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %softmax : tensor<32x64xf32>
}
