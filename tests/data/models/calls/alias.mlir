// A sum that is written into an input: nothing is allocated, and no queue operation waits.
func.func @main(%view: !hal.buffer_view, %other: tensor<64x64xf32>) -> !hal.buffer_view {
  %value = hal.tensor.import %view : !hal.buffer_view -> tensor<64x64xf32>
  %sum = arith.addf %value, %other : tensor<64x64xf32>
  %written = hal.tensor.alias %sum : tensor<64x64xf32> to %view : !hal.buffer_view
  %result = hal.tensor.export %written : tensor<64x64xf32> -> !hal.buffer_view
  return %result : !hal.buffer_view
}
