func.func @main(%lhs: tensor<256x512xf32>, %rhs: tensor<512x128xf32>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x128xf32>) -> tensor<256x128xf32>
  %out = linalg.matmul ins(%lhs, %rhs : tensor<256x512xf32>, tensor<512x128xf32>) outs(%init : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %out : tensor<256x128xf32>
}
