// Calls functions of another module (library.mlir), the first one twice, with dispatches of its own between and after them.
module @application {
  func.func private @library.scale(!hal.buffer_view) -> !hal.buffer_view
  func.func private @library.project(!hal.buffer_view) -> !hal.buffer_view
  func.func @main(%input: !hal.buffer_view) -> !hal.buffer_view {
    %tensor = hal.tensor.import %input : !hal.buffer_view -> tensor<64x64xf32>
    %exp = math.exp %tensor : tensor<64x64xf32>
    %exp_view = hal.tensor.export %exp : tensor<64x64xf32> -> !hal.buffer_view
    %scaled = call @library.scale(%exp_view) : (!hal.buffer_view) -> !hal.buffer_view
    %projected = call @library.project(%scaled) : (!hal.buffer_view) -> !hal.buffer_view
    %middle = hal.tensor.import %projected : !hal.buffer_view -> tensor<64x64xf32>
    %tanh = math.tanh %middle : tensor<64x64xf32>
    %tanh_view = hal.tensor.export %tanh : tensor<64x64xf32> -> !hal.buffer_view
    %again = call @library.scale(%tanh_view) : (!hal.buffer_view) -> !hal.buffer_view
    %last = hal.tensor.import %again : !hal.buffer_view -> tensor<64x64xf32>
    %empty = tensor.empty() : tensor<64x64xf32>
    %turned = linalg.transpose ins(%last : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) permutation = [1, 0]
    %result = hal.tensor.export %turned : tensor<64x64xf32> -> !hal.buffer_view
    return %result : !hal.buffer_view
  }
}
