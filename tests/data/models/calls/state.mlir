// A product with a matrix that is kept from call to call: each waits for what the last one left.
util.global private mutable @state : tensor<64x64xf32>
util.initializer {
  %initial = util.unfoldable_constant dense<0.01> : tensor<64x64xf32>
  util.global.store %initial, @state : tensor<64x64xf32>
  util.return
}
func.func @main(%input: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %state = util.global.load @state : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%input, %state : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  util.global.store %product, @state : tensor<64x64xf32>
  %tanh = math.tanh %product : tensor<64x64xf32>
  return %tanh : tensor<64x64xf32>
}
