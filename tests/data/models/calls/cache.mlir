// A step of a decoder: reads the position from a global, writes a row of a cache that is another one, and works on the whole cache.
util.global private mutable @position = dense<0> : tensor<i32>
util.global private mutable @cache = dense<0.5> : tensor<64x64xf32>
func.func @main(%row: tensor<1x64xf32>, %weights: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %length = arith.constant 64 : i32
  %kept = util.global.load @position : tensor<i32>
  %at = tensor.extract %kept[] : tensor<i32>
  %next = arith.addi %at, %one : i32
  %wrapped = arith.remsi %next, %length : i32
  %stored = tensor.from_elements %wrapped : tensor<i32>
  util.global.store %stored, @position : tensor<i32>
  %index = arith.index_cast %at : i32 to index
  %empty = tensor.empty() : tensor<1x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64xf32>) -> tensor<1x64xf32>
  %key = linalg.matmul ins(%row, %weights : tensor<1x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<1x64xf32>) -> tensor<1x64xf32>
  %cache = util.global.load @cache : tensor<64x64xf32>
  %written = tensor.insert_slice %key into %cache[%index, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<64x64xf32>
  util.global.store %written, @cache : tensor<64x64xf32>
  %scores = linalg.matmul ins(%row, %written : tensor<1x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<1x64xf32>) -> tensor<1x64xf32>
  %softmax = linalg.softmax dimension(1) ins(%scores : tensor<1x64xf32>) outs(%empty : tensor<1x64xf32>) -> tensor<1x64xf32>
  %result = linalg.matmul ins(%softmax, %written : tensor<1x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}
