// What is left on vectors inside program units maps one to one onto vectorchain.

ktdf_arch.device @vectors {
  patterns ["post_lowering"] {
    // math.exp
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.fast_exp"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // spyreop.exp
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "spyreop.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.fast_exp"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.log
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.log"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.ln_estimate"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.rsqrt
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.rsqrt_estimate"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // spyreop.rsqrt
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "spyreop.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.rsqrt_estimate"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // spyreop.reciprocal
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "spyreop.reciprocal"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.rec_estimate"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.floor
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.floor"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.floor"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // arith.negf
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "arith.negf"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.neg"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.tanh
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.tanh"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = #vectorchain<estimate_versions slope>
        %o1 = operation "vectorchain.tanh_estimate"(%x : !pdl.value) {"version" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // spyreop.sigmoid
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "spyreop.sigmoid"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = #vectorchain<estimate_versions slope>
        %o1 = operation "vectorchain.sigmoid_estimate"(%x : !pdl.value) {"version" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.absf: the larger magnitude of x and x
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = #vectorchain<binary_operator abs_max>
        %a1 = attribute = affine_map<(d0) -> (d0)>
        %o1 = operation "vectorchain.binary"(%x, %x : !pdl.value, !pdl.value) {"binary_op" = %a0, "op_specific_map" = %a1} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.absi: the larger magnitude of x and x
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.absi"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = #vectorchain<binary_operator abs_max>
        %a1 = attribute = affine_map<(d0) -> (d0)>
        %o1 = operation "vectorchain.binary"(%x, %x : !pdl.value, !pdl.value) {"binary_op" = %a0, "op_specific_map" = %a1} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // math.ceil: the floor from the other side
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.ceil"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "vectorchain.neg"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "vectorchain.floor"(%v1 : !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "vectorchain.neg"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.fma
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %c = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.fma"(%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = affine_map<(d0) -> (d0)>
        %o1 = operation "vectorchain.multiply_and_accumulate"(%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) {"reduction_map" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        replace %old with (%v1 : !pdl.value)
      }
    }
    // arith.xori: (a or b) and not (a and b)
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "arith.xori"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = #vectorchain<binary_operator or0>
        %a1 = attribute = affine_map<(d0) -> (d0)>
        %o1 = operation "vectorchain.binary"(%a, %b : !pdl.value, !pdl.value) {"binary_op" = %a0, "op_specific_map" = %a1} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a2 = attribute = #vectorchain<binary_operator and0>
        %o2 = operation "vectorchain.binary"(%a, %b : !pdl.value, !pdl.value) {"binary_op" = %a2, "op_specific_map" = %a1} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a3 = attribute = #vectorchain<binary_operator and_not>
        %o3 = operation "vectorchain.binary"(%v1, %v2 : !pdl.value, !pdl.value) {"binary_op" = %a3, "op_specific_map" = %a1} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.copysign: all bits of x but the sign, which is that of y
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %y = operand : %t
      apply_native_constraint "spyrelang.is_vector"(%t : !pdl.type)
      %old = operation "math.copysign"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = -0.0 : f32
        %sign = apply_native_rewrite "spyrelang.splat"(%a0, %x : !pdl.attribute, !pdl.value) : !pdl.value
        %a1 = attribute = #vectorchain<binary_operator and_not>
        %a2 = attribute = affine_map<(d0) -> (d0)>
        %o1 = operation "vectorchain.binary"(%x, %sign : !pdl.value, !pdl.value) {"binary_op" = %a1, "op_specific_map" = %a2} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a3 = attribute = #vectorchain<binary_operator and0>
        %o2 = operation "vectorchain.binary"(%y, %sign : !pdl.value, !pdl.value) {"binary_op" = %a3, "op_specific_map" = %a2} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a4 = attribute = #vectorchain<binary_operator or0>
        %o3 = operation "vectorchain.binary"(%v1, %v2 : !pdl.value, !pdl.value) {"binary_op" = %a4, "op_specific_map" = %a2} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
  }
}
