// Functions on f16 and bf16 get an f32 interior with one rounding at the end: a chain of operations,
// each rounded to 16 bits, loses the tails.

ktdf_arch.device @narrow {
  patterns ["pre_mapping"] {
    // spyreop.exp on f16 or bf16: math.exp on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.exp"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.exp on f16 or bf16: math.exp on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.exp"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.exp2 on f16 or bf16: math.exp2 on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.exp2"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.exp2"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.expm1 on f16 or bf16: math.expm1 on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.expm1"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.expm1"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log on f16 or bf16: math.log on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.log"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.log"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log2 on f16 or bf16: math.log2 on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.log2"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.log2"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log10 on f16 or bf16: math.log10 on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.log10"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.log10"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log1p on f16 or bf16: math.log1p on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.log1p"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.log1p"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.sqrt on f16 or bf16: math.sqrt on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.sqrt"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.sqrt on f16 or bf16: math.sqrt on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.sqrt"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.rsqrt on f16 or bf16: math.rsqrt on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.rsqrt"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.rsqrt on f16 or bf16: math.rsqrt on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.rsqrt"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.reciprocal on f16 or bf16: spyreop.reciprocal on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.reciprocal"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "spyreop.reciprocal"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.sigmoid on f16 or bf16: spyreop.sigmoid on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.sigmoid"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "spyreop.sigmoid"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.silu on f16 or bf16: spyreop.silu on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.silu"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "spyreop.silu"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.tanh on f16 or bf16: math.tanh on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.tanh"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.tanh"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.erf on f16 or bf16: math.erf on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.erf"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.erf"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.erfc on f16 or bf16: math.erfc on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.erfc"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.erfc"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.truncf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // spyreop.realdiv on f16 or bf16: a * (1 / b) on f32
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.realdiv"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%a : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%b : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "spyreop.reciprocal"(%v2 : !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.mulf"(%v1, %v3 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.truncf"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // arith.divf on f16 or bf16: a * (1 / b) on f32
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "arith.divf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%a : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%b : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "spyreop.reciprocal"(%v2 : !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.mulf"(%v1, %v3 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.truncf"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // math.powf on f16 or bf16: math.powf on f32
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %y = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "math.powf"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.extf"(%y : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.powf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.truncf"(%v3 : !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.gelu: x * N(x), where N(-|x|) = erfc(|x| / sqrt 2) / 2. erfc(z) is exp(-z^2) times a polynomial
    // in 1 / (1 + 0.4 z), so that the left tail keeps its digits. The last choice is for infinities.
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.gelu"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.absf"(%v1 : !pdl.value) -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.mulf"(%v1, %v1 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %a0 = attribute = -0.5 : f32
        %o4 = operation "arith.constant" {"value" = %a0} -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.mulf"(%v3, %v4 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v5 = result 0 of %o5
        %a1 = attribute = 0.7071067690849304 : f32
        %o6 = operation "arith.constant" {"value" = %a1} -> (%f32 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%v2, %v6 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v7 = result 0 of %o7
        %a2 = attribute = 0.4000000059604645 : f32
        %o8 = operation "arith.constant" {"value" = %a2} -> (%f32 : !pdl.type)
        %v8 = result 0 of %o8
        %a3 = attribute = 1.0 : f32
        %o9 = operation "arith.constant" {"value" = %a3} -> (%f32 : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "math.fma"(%v7, %v8, %v9 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v10 = result 0 of %o10
        %o11 = operation "spyreop.reciprocal"(%v10 : !pdl.value) -> (%f32 : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "math.exp"(%v5 : !pdl.value) -> (%f32 : !pdl.type)
        %v12 = result 0 of %o12
        %o13 = operation "arith.mulf"(%v12, %v11 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v13 = result 0 of %o13
        %a4 = attribute = 0.05026242509484291 : f32
        %o14 = operation "arith.constant" {"value" = %a4} -> (%f32 : !pdl.type)
        %v14 = result 0 of %o14
        %a5 = attribute = -0.18290260434150696 : f32
        %o15 = operation "arith.constant" {"value" = %a5} -> (%f32 : !pdl.type)
        %v15 = result 0 of %o15
        %o16 = operation "math.fma"(%v14, %v11, %v15 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v16 = result 0 of %o16
        %a6 = attribute = 0.16908715665340424 : f32
        %o17 = operation "arith.constant" {"value" = %a6} -> (%f32 : !pdl.type)
        %v17 = result 0 of %o17
        %o18 = operation "math.fma"(%v16, %v11, %v17 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v18 = result 0 of %o18
        %a7 = attribute = -0.005608899984508753 : f32
        %o19 = operation "arith.constant" {"value" = %a7} -> (%f32 : !pdl.type)
        %v19 = result 0 of %o19
        %o20 = operation "math.fma"(%v18, %v11, %v19 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v20 = result 0 of %o20
        %a8 = attribute = 0.1414320319890976 : f32
        %o21 = operation "arith.constant" {"value" = %a8} -> (%f32 : !pdl.type)
        %v21 = result 0 of %o21
        %o22 = operation "math.fma"(%v20, %v11, %v21 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v22 = result 0 of %o22
        %a9 = attribute = 0.1685418337583542 : f32
        %o23 = operation "arith.constant" {"value" = %a9} -> (%f32 : !pdl.type)
        %v23 = result 0 of %o23
        %o24 = operation "math.fma"(%v22, %v11, %v23 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v24 = result 0 of %o24
        %a10 = attribute = 0.20784270763397217 : f32
        %o25 = operation "arith.constant" {"value" = %a10} -> (%f32 : !pdl.type)
        %v25 = result 0 of %o25
        %o26 = operation "math.fma"(%v24, %v11, %v25 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v26 = result 0 of %o26
        %a11 = attribute = 0.22566959261894226 : f32
        %o27 = operation "arith.constant" {"value" = %a11} -> (%f32 : !pdl.type)
        %v27 = result 0 of %o27
        %o28 = operation "math.fma"(%v26, %v11, %v27 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v28 = result 0 of %o28
        %a12 = attribute = 0.22567586600780487 : f32
        %o29 = operation "arith.constant" {"value" = %a12} -> (%f32 : !pdl.type)
        %v29 = result 0 of %o29
        %o30 = operation "math.fma"(%v28, %v11, %v29 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v30 = result 0 of %o30
        %o31 = operation "arith.mulf"(%v13, %v30 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v31 = result 0 of %o31
        %a13 = attribute = 0.5 : f32
        %o32 = operation "arith.constant" {"value" = %a13} -> (%f32 : !pdl.type)
        %v32 = result 0 of %o32
        %o33 = operation "arith.mulf"(%v31, %v32 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v33 = result 0 of %o33
        %a14 = attribute = 0.0 : f32
        %o34 = operation "arith.constant" {"value" = %a14} -> (%f32 : !pdl.type)
        %v34 = result 0 of %o34
        %i1 = type : i1
        %a15 = attribute = 3 : i64
        %o35 = operation "arith.cmpf"(%v1, %v34 : !pdl.value, !pdl.value) {"predicate" = %a15} -> (%i1 : !pdl.type)
        %v35 = result 0 of %o35
        %o36 = operation "arith.subf"(%v9, %v33 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v36 = result 0 of %o36
        %o37 = operation "arith.select"(%v35, %v36, %v33 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v37 = result 0 of %o37
        %o38 = operation "arith.mulf"(%v1, %v37 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v38 = result 0 of %o38
        %a16 = attribute = -0.0 : f32
        %o39 = operation "arith.constant" {"value" = %a16} -> (%f32 : !pdl.type)
        %v39 = result 0 of %o39
        %o40 = operation "arith.maximumf"(%v1, %v39 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v40 = result 0 of %o40
        %a17 = attribute = 0x7F800000 : f32
        %o41 = operation "arith.constant" {"value" = %a17} -> (%f32 : !pdl.type)
        %v41 = result 0 of %o41
        %a18 = attribute = 4 : i64
        %o42 = operation "arith.cmpf"(%v2, %v41 : !pdl.value, !pdl.value) {"predicate" = %a18} -> (%i1 : !pdl.type)
        %v42 = result 0 of %o42
        %o43 = operation "arith.select"(%v42, %v38, %v40 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v43 = result 0 of %o43
        %o44 = operation "arith.truncf"(%v43 : !pdl.value) -> (%t : !pdl.type)
        %v44 = result 0 of %o44
        replace %old with (%v44 : !pdl.value)
      }
    }
    // spyreop.softplus: max(z, 0) + log(1 + exp(-|z|)), z = beta x, divided by beta; x itself above the threshold.
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %beta = attribute
      %threshold = attribute
      apply_native_constraint "spyrelang.is_narrow"(%t : !pdl.type)
      %old = operation "spyreop.softplus"(%x : !pdl.value) {"beta" = %beta, "threshold" = %threshold} -> (%t : !pdl.type)
      rewrite %old {
        %f32 = type : f32
        %o1 = operation "arith.extf"(%x : !pdl.value) -> (%f32 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.constant" {"value" = %beta} -> (%f32 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.constant" {"value" = %threshold} -> (%f32 : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.mulf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v4 = result 0 of %o4
        %a0 = attribute = 0.0 : f32
        %o5 = operation "arith.constant" {"value" = %a0} -> (%f32 : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.maximumf"(%v4, %v5 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "math.absf"(%v4 : !pdl.value) -> (%f32 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.negf"(%v7 : !pdl.value) -> (%f32 : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "math.exp"(%v8 : !pdl.value) -> (%f32 : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "math.log1p"(%v9 : !pdl.value) -> (%f32 : !pdl.type)
        %v10 = result 0 of %o10
        %o11 = operation "arith.addf"(%v6, %v10 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "spyreop.reciprocal"(%v2 : !pdl.value) -> (%f32 : !pdl.type)
        %v12 = result 0 of %o12
        %o13 = operation "arith.mulf"(%v11, %v12 : !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v13 = result 0 of %o13
        %i1 = type : i1
        %a1 = attribute = 2 : i64
        %o14 = operation "arith.cmpf"(%v4, %v3 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v14 = result 0 of %o14
        %o15 = operation "arith.select"(%v14, %v1, %v13 : !pdl.value, !pdl.value, !pdl.value) -> (%f32 : !pdl.type)
        %v15 = result 0 of %o15
        %o16 = operation "arith.truncf"(%v15 : !pdl.value) -> (%t : !pdl.type)
        %v16 = result 0 of %o16
        replace %old with (%v16 : !pdl.value)
      }
    }
  }
}
