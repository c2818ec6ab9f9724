// An operation of each kind, each in a function of its own, for tests of what names and dumped sources tell.
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#t2 = affine_map<(d0, d1) -> (d1, d0)>
#r2 = affine_map<(d0, d1) -> (d0)>
#c2 = affine_map<(d0, d1) -> (d1)>
func.func @conv(%x: tensor<1x3x64x64xf32>, %w: tensor<16x3x7x7xf32>) -> tensor<1x16x29x29xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x29x29xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x29x29xf32>) -> tensor<1x16x29x29xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x3x64x64xf32>, tensor<16x3x7x7xf32>) outs(%f : tensor<1x16x29x29xf32>) -> tensor<1x16x29x29xf32>
  return %r : tensor<1x16x29x29xf32>
}
func.func @depthwise(%x: tensor<1x34x34x32xf32>, %w: tensor<3x3x32xf32>) -> tensor<1x32x32x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x32x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x34x34x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32>
  return %r : tensor<1x32x32x32xf32>
}
func.func @pool(%x: tensor<1x34x34x32xf32>) -> tensor<1x17x17x32xf32> {
  %z = arith.constant -3.0e38 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x17x17x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x17x17x32xf32>) -> tensor<1x17x17x32xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x34x34x32xf32>, tensor<2x2xf32>) outs(%f : tensor<1x17x17x32xf32>) -> tensor<1x17x17x32xf32>
  return %r : tensor<1x17x17x32xf32>
}
func.func @batch(%x: tensor<4x32x64xi8>, %w: tensor<4x64x48xi8>) -> tensor<4x32x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x32x48xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<4x32x48xi32>) -> tensor<4x32x48xi32>
  %r = linalg.batch_matmul ins(%x, %w : tensor<4x32x64xi8>, tensor<4x64x48xi8>) outs(%f : tensor<4x32x48xi32>) -> tensor<4x32x48xi32>
  return %r : tensor<4x32x48xi32>
}
func.func @dyn(%x: tensor<?x64xf16>, %w: tensor<64x48xf16>) -> tensor<?x48xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%d) : tensor<?x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf16>, tensor<64x48xf16>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
func.func @matvec(%x: tensor<512x256xf32>, %w: tensor<256xf32>) -> tensor<512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %r = linalg.matvec ins(%x, %w : tensor<512x256xf32>, tensor<256xf32>) outs(%f : tensor<512xf32>) -> tensor<512xf32>
  return %r : tensor<512xf32>
}
func.func @gelu(%x: tensor<128x256xf32>, %b: tensor<256xf32>) -> tensor<128x256xf32> {
  %h = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %s = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [#id2, #c2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<128x256xf32>, tensor<256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%i: f32, %bb: f32, %o: f32):
    %v = arith.addf %i, %bb : f32
    %a = arith.mulf %v, %s : f32
    %c = math.erf %a : f32
    %d = arith.addf %c, %one : f32
    %g = arith.mulf %v, %d : f32
    %k = arith.mulf %g, %h : f32
    linalg.yield %k : f32
  } -> tensor<128x256xf32>
  return %r : tensor<128x256xf32>
}
func.func @rowsum(%x: tensor<128x256xf32>) -> tensor<128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %r = linalg.generic {indexing_maps = [#id2, #r2], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<128x256xf32>) outs(%f : tensor<128xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %i : f32
    %k = arith.addf %m, %o : f32
    linalg.yield %k : f32
  } -> tensor<128xf32>
  return %r : tensor<128xf32>
}
func.func @transposed(%x: tensor<128x256xf16>) -> tensor<256x128xf16> {
  %e = tensor.empty() : tensor<256x128xf16>
  %r = linalg.transpose ins(%x : tensor<128x256xf16>) outs(%e : tensor<256x128xf16>) permutation = [1, 0]
  return %r : tensor<256x128xf16>
}
func.func @mm_transpose_b(%x: tensor<128x256xf16>, %w: tensor<512x256xf16>) -> tensor<128x512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%x, %w : tensor<128x256xf16>, tensor<512x256xf16>) outs(%f : tensor<128x512xf32>) -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}
func.func @attention(%q: tensor<4x64x32xf32>, %k: tensor<4x128x32xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x64x32xf32> {
  %s = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<4x64x32xf32>
  %r = iree_linalg_ext.attention <{indexing_maps = [affine_map<(b, m, n, k1, k2) -> (b, m, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, n)>, affine_map<(b, m, n, k1, k2) -> ()>, affine_map<(b, m, n, k1, k2) -> (b, m, n)>]}> ins(%q, %k, %v, %s : tensor<4x64x32xf32>, tensor<4x128x32xf32>, tensor<4x128x32xf32>, f32) outs(%e : tensor<4x64x32xf32>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<4x64x32xf32>
  return %r : tensor<4x64x32xf32>
}
func.func @gather(%x: tensor<1000x64xf32>, %i: tensor<32xi32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [#r2, #id2], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<32xi32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%in: i32, %o: f32):
    %a = arith.index_cast %in : i32 to index
    %c = linalg.index 1 : index
    %g = tensor.extract %x[%a, %c] : tensor<1000x64xf32>
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}
func.func @slice(%x: tensor<64x64xf32>) -> tensor<16x48xf32> {
  %r = tensor.extract_slice %x[3, 5] [16, 48] [2, 1] : tensor<64x64xf32> to tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}
