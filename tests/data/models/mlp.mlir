// A small network of several different dispatches: two dense layers with bias and ReLU, a softmax over the result, and
// a transposed copy, so that a capture holds kernels of different cost.
#row = affine_map<(d0, d1) -> (d0, d1)>
#bias = affine_map<(d0, d1) -> (d1)>
#reduce = affine_map<(d0, d1) -> (d0)>

func.func @main(
    %input: tensor<32x128xf32>, %w0: tensor<128x256xf32>, %b0: tensor<256xf32>,
    %w1: tensor<256x64xf32>, %b1: tensor<64xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x256xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x256xf32>) -> tensor<32x256xf32>
  %m0 = linalg.matmul ins(%input, %w0 : tensor<32x128xf32>, tensor<128x256xf32>)
      outs(%i0 : tensor<32x256xf32>) -> tensor<32x256xf32>
  %h0 = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]}
      ins(%m0, %b0 : tensor<32x256xf32>, tensor<256xf32>) outs(%e0 : tensor<32x256xf32>) {
    ^bb0(%x: f32, %b: f32, %out: f32):
      %s = arith.addf %x, %b : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
  } -> tensor<32x256xf32>
  %e1 = tensor.empty() : tensor<32x64xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%h0, %w1 : tensor<32x256xf32>, tensor<256x64xf32>)
      outs(%i1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h1 = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]}
      ins(%m1, %b1 : tensor<32x64xf32>, tensor<64xf32>) outs(%e1 : tensor<32x64xf32>) {
    ^bb0(%x: f32, %b: f32, %out: f32):
      %s = arith.addf %x, %b : f32
      linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %soft = linalg.softmax dimension(1) ins(%h1 : tensor<32x64xf32>) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %et = tensor.empty() : tensor<64x32xf32>
  %t = linalg.transpose ins(%soft : tensor<32x64xf32>) outs(%et : tensor<64x32xf32>) permutation = [1, 0]
  return %soft, %t : tensor<32x64xf32>, tensor<64x32xf32>
}
