// Adds one until the host reads 7: each turn is a submission.
func.func @main(%start: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %limit = arith.constant 7.0 : f32
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %result = scf.while (%value = %start) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %first = tensor.extract %value[%c0, %c0] : tensor<64x64xf32>
    %is_less = arith.cmpf olt, %first, %limit : f32
    scf.condition(%is_less) %value : tensor<64x64xf32>
  } do {
  ^bb0(%value: tensor<64x64xf32>):
    %sum = arith.addf %value, %one : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  return %result : tensor<64x64xf32>
}
