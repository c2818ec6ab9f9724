// Two products with weights that are parameters, of 256 KiB each, and a softmax between them. Tools load parameters before they
// begin to record.
util.global private @w1 = #flow.parameter.named<"model"::"w1"> : tensor<256x256xf32>
util.global private @w2 = #flow.parameter.named<"model"::"w2"> : tensor<256x256xf32>
func.func @main(%x: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %w1 = util.global.load @w1 : tensor<256x256xf32>
  %w2 = util.global.load @w2 : tensor<256x256xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x256xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x256xf32>) -> tensor<4x256xf32>
  %first = linalg.matmul ins(%x, %w1 : tensor<4x256xf32>, tensor<256x256xf32>)
      outs(%fill : tensor<4x256xf32>) -> tensor<4x256xf32>
  %soft = linalg.softmax dimension(1) ins(%first : tensor<4x256xf32>) outs(%empty : tensor<4x256xf32>) -> tensor<4x256xf32>
  %second = linalg.matmul ins(%soft, %w2 : tensor<4x256xf32>, tensor<256x256xf32>)
      outs(%fill : tensor<4x256xf32>) -> tensor<4x256xf32>
  return %second : tensor<4x256xf32>
}
