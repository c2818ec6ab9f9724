// A function that calls two others, which are not inlined: it is three submissions, and their dispatches are named after three functions.
util.func private @product(%left: tensor<64x64xf32>, %right: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {inlining_policy = #util.inline.never} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%left, %right : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  util.return %product : tensor<64x64xf32>
}
util.func private @exp(%value: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {inlining_policy = #util.inline.never} {
  %exp = math.exp %value : tensor<64x64xf32>
  util.return %exp : tensor<64x64xf32>
}
func.func @main(%left: tensor<64x64xf32>, %right: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %first = util.call @product(%left, %right) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %second = util.call @exp(%first) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %last = math.tanh %second : tensor<64x64xf32>
  return %last : tensor<64x64xf32>
}
