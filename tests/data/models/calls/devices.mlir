// A product on one device, and what follows on another.
func.func @main(%input: tensor<64x64xf32> {iree.abi.affinity = #hal.device.promise<@first>})
    -> (tensor<64x64xf32> {iree.abi.affinity = #hal.device.promise<@second>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul ins(%input, %input : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  %moved = flow.tensor.transfer %product : tensor<64x64xf32> to #hal.device.promise<@second>
  %exp = math.exp %moved : tensor<64x64xf32>
  %again = linalg.matmul ins(%exp, %exp : tensor<64x64xf32>, tensor<64x64xf32>) outs(%filled : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %again : tensor<64x64xf32>
}
