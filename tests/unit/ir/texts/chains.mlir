#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 floordiv 4)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#set1 = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 >= 0)>
module {
  func.func @chains(%arg0: vector<32xf16>, %arg1: vector<32xi1>, %arg2: index, %arg3: f16, %arg4: vector<1xf16>) {
    %0 = vectorchain.binary %arg0, %arg0[%arg1 : vector<32xi1>] {binary_op = #vectorchain<binary_operator abs_max>, op_specific_map = #map} : vector<32xf16>, vector<32xf16>, vector<32xf16>
    %1 = vectorchain.multiply %0, %arg0 {reduction_map = #map1} : vector<32xf16>, vector<32xf16>, vector<8xf32>
    %2 = vectorchain.multiply_and_accumulate %arg0, %arg0, %1 {dbgName = "fma", reduction_map = #map1} : vector<32xf16>, vector<32xf16>, vector<8xf32>, vector<8xf32>
    %3 = vectorchain.element_wise_compare %arg0, %0 {compare_op = #vectorchain<element_wise_compare_operator compare_ge>} : vector<32xf16>, vector<32xf16>, vector<32xi1>
    %4 = vectorchain.element_wise_selection %3 ? %arg0 : %0[%arg1 : vector<32xi1>] : vector<32xi1>, vector<32xf16>, vector<32xf16>, vector<32xf16>
    %5 = vectorchain.select %arg0 {selection_map = #map1} : vector<32xf16>, vector<8xf16>
    %6 = vectorchain.merge %arg0, %arg0 {access_function_A = #map, access_function_B = #map, access_function_CA = #map1, access_function_CB = #map1, iteration_space_CA = #set, iteration_space_CB = #set} : vector<32xf16>, vector<32xf16>, vector<32xf16>
    %7 = vectorchain.create_affine_mask %arg2 {mask_set = #set1} : vector<32xi1>
    %8 = vectorchain.create_affine_mask {mask_set = #set} : vector<32xi1>
    %9 = vectorchain.pack %arg0, %arg0 {indices = [0, 31], repetition = 2 : index, sign_extend = true} : vector<32xf16>, vector<32xf16>, vector<4xf16>
    %10 = vectorchain.pack %arg0, %arg0 {indices = [], repetition = 1 : index} : vector<32xf16>, vector<32xf16>, vector<32xf16>
    %11 = vectorchain.cast %arg0 : vector<32xf16>, vector<4x8xf32>
    %12 = vectorchain.shuffle input(%arg4) {indices = [0 : i32], repetition = 32 : i32} : vector<1xf16>, vector<32xf16>
    %13 = vectorchain.shuffle input(%arg0), variable(%arg2), pad(%arg3, %arg3), mask(%arg1) {indices = [-3, 7], repetition = 3 : i32} : vector<32xf16>, index, f16, f16, vector<32xi1>, vector<6xf16>
    %14 = vectorchain.rotate %arg0, %arg2 : vector<32xf16>, index, vector<32xf16>
    %15 = vectorchain.rotate %arg0, %arg2 {right_shift = false} : vector<32xf16>, index, vector<32xf16>
    %16 = vectorchain.scan_with_gap %arg0 {eval_order = #vectorchain<eval_order right_to_left>, gap = 4 : index, reduction_op = #vectorchain<binary_operator max>} : vector<32xf16>, vector<32xf16>
    %17 = vectorchain.constant_bitstream {value = [0x3c00, 0xfbff]} : vector<2xf16>
    %18 = vectorchain.constant_bitstream {is_symbol = true, value = [-9, 2]} : vector<2xi32>
    %19 = vectorchain.exp_estimate %arg0[%arg1 : vector<32xi1>] {version = #vectorchain<exp_estimate b>} : vector<32xf16>, vector<32xf16>
    %20 = vectorchain.tanh_estimate %arg0 {version = #vectorchain<estimate_versions offset>} : vector<32xf16>, vector<32xf16>
    %21 = vectorchain.neg %20 {dbgName = "n"} : vector<32xf16>, vector<32xf16>
    return
  }
}
