// The element-wise parts of layer norm.

ktdf_arch.device @layernorm {
  patterns ["pre_mapping"] {
    // spyreop.layernormscale on f16: 1 / sqrt(squares - mean^2 + epsilon), epsilon 1e-5
    pdl.pattern : benefit(1) {
      %t = type
      %mean = operand : %t
      %squares = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.layernormscale"(%mean, %squares : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%mean : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%squares : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.negf"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "math.fma"(%v3, %v1, %v2 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %a0 = attribute = 9.999999747378752e-06 : f32
        %o5 = operation "arith.constant" {"value" = %a0} -> (%f32 : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.addf"(%v4, %v5 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "math.rsqrt"(%v6 : !pdl.value) -> (%f32 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.truncf"(%v7 : !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        replace %old with (%v8 : !pdl.value)
      }
    }
    // the same on f32
    pdl.pattern : benefit(1) {
      %t = type : f32
      %mean = operand : %t
      %squares = operand : %t
      %old = operation "spyreop.layernormscale"(%mean, %squares : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.negf"(%mean : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.fma"(%v1, %mean, %squares : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a0 = attribute = 9.999999747378752e-06 : f32
        %o3 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.addf"(%v2, %v3 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "math.rsqrt"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // spyreop.layernormscale of a variance, on f16
    pdl.pattern : benefit(1) {
      %t = type
      %variance = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.layernormscale"(%variance : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%variance : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 9.999999747378752e-06 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.addf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "math.rsqrt"(%v3 : !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.truncf"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // the same on f32
    pdl.pattern : benefit(1) {
      %t = type : f32
      %variance = operand : %t
      %old = operation "spyreop.layernormscale"(%variance : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = 9.999999747378752e-06 : f32
        %o1 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.addf"(%variance, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.rsqrt"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // the forms with an epsilon of their own win
    pdl.pattern : benefit(2) {
      %t = type
      %mean = operand : %t
      %squares = operand : %t
      %epsilon = attribute
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.layernormscale"(%mean, %squares : !pdl.value, !pdl.value) {"epsilon" = %epsilon} -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%mean : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%squares : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.negf"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "math.fma"(%v3, %v1, %v2 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.constant" {"value" = %epsilon} -> (%f32 : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.addf"(%v4, %v5 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "math.rsqrt"(%v6 : !pdl.value) -> (%f32 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.truncf"(%v7 : !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        replace %old with (%v8 : !pdl.value)
      }
    }
    // the same on f32
    pdl.pattern : benefit(2) {
      %t = type : f32
      %mean = operand : %t
      %squares = operand : %t
      %epsilon = attribute
      %old = operation "spyreop.layernormscale"(%mean, %squares : !pdl.value, !pdl.value) {"epsilon" = %epsilon} -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.negf"(%mean : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.fma"(%v1, %mean, %squares : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.constant" {"value" = %epsilon} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.addf"(%v2, %v3 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "math.rsqrt"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // spyreop.layernormnorm on f16: (x - mean) scale weight + bias
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %mean = operand : %t
      %scale = operand : %t
      %weight = operand : %t
      %bias = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.layernormnorm"(%x, %mean, %scale, %weight, %bias : !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%mean : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.extf"(%scale : !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.extf"(%weight : !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.extf"(%bias : !pdl.value) -> (%f32 : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.subf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%v6, %v3 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "math.fma"(%v7, %v4, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "arith.truncf"(%v8 : !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        replace %old with (%v9 : !pdl.value)
      }
    }
    // the same on f32
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %mean = operand : %t
      %scale = operand : %t
      %weight = operand : %t
      %bias = operand : %t
      %old = operation "spyreop.layernormnorm"(%x, %mean, %scale, %weight, %bias : !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.subf"(%x, %mean : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%v1, %scale : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.fma"(%v2, %weight, %bias : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
  }
}
