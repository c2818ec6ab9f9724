// A product, then a loop whose condition a dispatch makes: the greatest element decides whether there is another turn.
func.func @main(%start: tensor<64x64xf32>, %limit: f32) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %half = arith.constant 1.5 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%start, %start : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  %scalar = tensor.empty() : tensor<f32>
  %least = linalg.fill ins(%lowest : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %result = scf.while (%value = %product) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %greatest = linalg.reduce { arith.maximumf } ins(%value : tensor<64x64xf32>) outs(%least : tensor<f32>) dimensions = [0, 1]
    %element = tensor.extract %greatest[] : tensor<f32>
    %is_less = arith.cmpf olt, %element, %limit : f32
    scf.condition(%is_less) %value : tensor<64x64xf32>
  } do {
  ^bb0(%value: tensor<64x64xf32>):
    %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%value : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %more = arith.mulf %in, %half : f32
      linalg.yield %more : f32
    } -> tensor<64x64xf32>
    scf.yield %scaled : tensor<64x64xf32>
  }
  %softmax = linalg.softmax dimension(1) ins(%result : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %softmax : tensor<64x64xf32>
}
