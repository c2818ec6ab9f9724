// The same product of two inputs, whose numbers of rows are dynamic: one function, called twice.
func.func @main(%x: tensor<?x128xf32>, %y: tensor<?x128xf32>, %w: tensor<128x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x128xf32>
  %empty = tensor.empty(%rows) : tensor<?x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %first = linalg.matmul ins(%x, %w : tensor<?x128xf32>, tensor<128x64xf32>)
      outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
  %others = tensor.dim %y, %c0 : tensor<?x128xf32>
  %empty_2 = tensor.empty(%others) : tensor<?x64xf32>
  %fill_2 = linalg.fill ins(%zero : f32) outs(%empty_2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %second = linalg.matmul ins(%y, %w : tensor<?x128xf32>, tensor<128x64xf32>)
      outs(%fill_2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %first, %second : tensor<?x64xf32>, tensor<?x64xf32>
}
