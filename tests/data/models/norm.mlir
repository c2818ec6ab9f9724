// A layer norm, which the compiler divides in two dispatches: the mean, then all that needs it. The root operation of the second
// uses a constant from outside, and what follows it begins with the same operands.
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @norm(%x: tensor<64x256xf32>, %gamma: tensor<256xf32>, %beta: tensor<256xf32>) -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 256.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x256xf32>) outs(%fill : tensor<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %a, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sum : tensor<64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %count : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %mean : tensor<64x256xf32>, tensor<64xf32>) outs(%fill : tensor<64xf32>) {
  ^bb0(%a: f32, %m: f32, %acc: f32):
    %0 = arith.subf %a, %m : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.divf %1, %count : f32
    %3 = arith.addf %2, %acc : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  %empty = tensor.empty() : tensor<64x256xf32>
  %result = linalg.generic {indexing_maps = [#all, #row, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %mean, %squares, %gamma, %beta : tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256xf32>, tensor<256xf32>) outs(%empty : tensor<64x256xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32, %g: f32, %b: f32, %out: f32):
    %1 = arith.addf %s, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.subf %a, %m : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %4, %g : f32
    %6 = arith.addf %5, %b : f32
    linalg.yield %6 : f32
  } -> tensor<64x256xf32>
  return %result : tensor<64x256xf32>
}
