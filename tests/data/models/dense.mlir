// A dense layer and a sum over its rows: two dispatches a call, for long captures of short calls (benches/vs).
func.func @main(%x: tensor<32x128xf32>, %w: tensor<128x256xf32>) -> tensor<32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %m = linalg.matmul ins(%x, %w : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) -> tensor<32x256xf32>
  %e2 = tensor.empty() : tensor<32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%m : tensor<32x256xf32>) outs(%f2 : tensor<32xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}
