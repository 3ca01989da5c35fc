module {
  func.func @ops(%arg0: index, %arg1: index, %arg2: f16, %arg3: f32, %arg4: i32, %arg5: i64, %arg6: memref<8x32xf16>, %arg7: memref<16xi32>, %arg8: tensor<8x32xf16>, %arg9: vector<32xf16>, %arg10: vector<32xi1>, %arg11: memref<2x32xf16>, %arg12: !ktdf.fifo.slot<"READ" -> "VEC", 32xf16>) {
    %0 = spyreop.exp %arg2 : f16
    %1 = spyreop.exp %arg3 : f32
    %2 = spyreop.softplus %arg2 beta 5.000000e-01 threshold 2.000000e+01 : f16
    %3 = spyreop.realdiv %arg2, %arg2 : f16
    %4 = spyreop.compare <equal> %arg2, %arg2 : f16
    %5 = spyreop.addi32toi32 %arg4, %arg4
    %6 = spyreop.addi64toi64 %arg5, %arg5
    %7 = spyreop.idx32toaddr %arg4 base %arg4 stride %arg4
    %8:2 = spyreop.exx2 %arg3 : f32
    %9 = spyreop.layernormscale %8#0 squares %8#1 : f32
    %10 = spyreop.exx2_fused %arg2 : f16 -> !spyreop.fp16_fused
    %11 = spyreop.constant 5.000000e-01 : f16
    %12 = spyreop.slice_reduction %arg8 {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>} : tensor<8x32xf16> -> tensor<8x32xf16>
    %13 = spyreop.exx2_zeromean_fused %arg3 : f32 -> !spyreop.fp32_fused
    %14 = spyreop.layernormscale_fused %13 : !spyreop.fp32_fused -> f32
    %15 = spyreop.layernormnorm %arg3 squares %arg3 scale %arg3 weight %arg3 bias %arg3 : f32
    %16 = spyreop.gelu %arg2 : f16
    %17 = spyreop.silu %arg2 {tag} : f16
    %18 = spyreop.sigmoid %arg3 : f32
    %19 = spyreop.select %arg2, %arg2, %arg2 : f16
    %20 = spyreop.muli32toi32 %arg4, %arg4
    %21 = spyreop.sqrt %arg3 : f32
    %22 = spyreop.rsqrt %arg3 : f32
    %23 = spyreop.reciprocal %arg2 : f16
    return
  }
}
