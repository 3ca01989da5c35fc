// Functions on f32 that the vector unit does not have, built from those it has: exp, log, tanh,
// sigmoid, 1 / x and 1 / sqrt(x). Zeros, infinities and NaN give what the exact functions give.

ktdf_arch.device @functions {
  patterns ["pre_mapping"] {
    // spyreop.realdiv on f32: a * (1 / b); both are scaled down where 1 / b would lose bits as a subnormal
    pdl.pattern : benefit(1) {
      %t = type : f32
      %a = operand : %t
      %b = operand : %t
      %old = operation "spyreop.realdiv"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.absf"(%b : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 7.922816251426434e+28 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %i1 = type : i1
        %a1 = attribute = 2 : i64
        %o3 = operation "arith.cmpf"(%v1, %v2 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v3 = result 0 of %o3
        %a2 = attribute = 5.421010862427522e-20 : f32
        %o4 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %a3 = attribute = 1.0 : f32
        %o5 = operation "arith.constant" {"value" = %a3} -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.select"(%v3, %v4, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%a, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.mulf"(%b, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "spyreop.reciprocal"(%v8 : !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "arith.mulf"(%v7, %v9 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        replace %old with (%v10 : !pdl.value)
      }
    }
    // arith.divf on f32: a * (1 / b); both are scaled down where 1 / b would lose bits as a subnormal
    pdl.pattern : benefit(1) {
      %t = type : f32
      %a = operand : %t
      %b = operand : %t
      %old = operation "arith.divf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.absf"(%b : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 7.922816251426434e+28 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %i1 = type : i1
        %a1 = attribute = 2 : i64
        %o3 = operation "arith.cmpf"(%v1, %v2 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v3 = result 0 of %o3
        %a2 = attribute = 5.421010862427522e-20 : f32
        %o4 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %a3 = attribute = 1.0 : f32
        %o5 = operation "arith.constant" {"value" = %a3} -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.select"(%v3, %v4, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%a, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.mulf"(%b, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "spyreop.reciprocal"(%v8 : !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "arith.mulf"(%v7, %v9 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        replace %old with (%v10 : !pdl.value)
      }
    }
    // spyreop.sqrt on f32: x / sqrt(x), and x itself at zero and infinity
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "spyreop.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a0 = attribute = 0x7F800000 : f32
        %o3 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %i1 = type : i1
        %a1 = attribute = 4 : i64
        %o4 = operation "arith.cmpf"(%x, %v3 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.select"(%v4, %v2, %x : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %a2 = attribute = 0.0 : f32
        %o6 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %a3 = attribute = 1 : i64
        %o7 = operation "arith.cmpf"(%x, %v6 : !pdl.value, !pdl.value) {"predicate" = %a3} -> (%i1 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.select"(%v7, %x, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        replace %old with (%v8 : !pdl.value)
      }
    }
    // math.sqrt on f32: x / sqrt(x), and x itself at zero and infinity
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a0 = attribute = 0x7F800000 : f32
        %o3 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %i1 = type : i1
        %a1 = attribute = 4 : i64
        %o4 = operation "arith.cmpf"(%x, %v3 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.select"(%v4, %v2, %x : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %a2 = attribute = 0.0 : f32
        %o6 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %a3 = attribute = 1 : i64
        %o7 = operation "arith.cmpf"(%x, %v6 : !pdl.value, !pdl.value) {"predicate" = %a3} -> (%i1 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.select"(%v7, %x, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        replace %old with (%v8 : !pdl.value)
      }
    }
    // spyreop.silu on f32: x sigmoid(x), -0 at -infinity
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "spyreop.silu"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "spyreop.sigmoid"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a0 = attribute = 0xFF800000 : f32
        %o3 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %i1 = type : i1
        %a1 = attribute = 1 : i64
        %o4 = operation "arith.cmpf"(%x, %v3 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v4 = result 0 of %o4
        %a2 = attribute = -0.0 : f32
        %o5 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.select"(%v4, %v5, %v2 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        replace %old with (%v6 : !pdl.value)
      }
    }
    // math.exp2 on f32: exp(x ln 2)
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.exp2"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = 0.6931471824645996 : f32
        %o1 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.exp"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log2 on f32: log(x) / ln 2
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.log2"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.log"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 1.4426950216293335 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.mulf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log10 on f32: log(x) / ln 10
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.log10"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.log"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 0.4342944920063019 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.mulf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // math.log1p on f32: with u = 1 + x rounded, log(u) x / (u - 1) undoes what the rounding did to u; x itself
    // where u is 1, and at infinity.
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.log1p"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = 1.0 : f32
        %o1 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.addf"(%x, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.log"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.subf"(%v2, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "spyreop.reciprocal"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.mulf"(%x, %v5 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%v3, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %a1 = attribute = 0x7F800000 : f32
        %o8 = operation "arith.constant" {"value" = %a1} -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %i1 = type : i1
        %a2 = attribute = 4 : i64
        %o9 = operation "arith.cmpf"(%x, %v8 : !pdl.value, !pdl.value) {"predicate" = %a2} -> (%i1 : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "arith.select"(%v9, %v7, %x : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        %a3 = attribute = 1 : i64
        %o11 = operation "arith.cmpf"(%v2, %v1 : !pdl.value, !pdl.value) {"predicate" = %a3} -> (%i1 : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "arith.select"(%v11, %x, %v10 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v12 = result 0 of %o12
        replace %old with (%v12 : !pdl.value)
      }
    }
    // math.expm1 on f32: with u = exp(x) rounded, (u - 1) x / log(u); x itself where u is 1, u - 1 away from 0.
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.expm1"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %a0 = attribute = 1.0 : f32
        %o2 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.subf"(%v1, %v2 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "math.log"(%v1 : !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "spyreop.reciprocal"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %o6 = operation "arith.mulf"(%x, %v5 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.mulf"(%v3, %v6 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %i1 = type : i1
        %a1 = attribute = 4 : i64
        %o9 = operation "arith.cmpf"(%v8, %v2 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "arith.select"(%v9, %v7, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        %a2 = attribute = 1 : i64
        %o11 = operation "arith.cmpf"(%v1, %v2 : !pdl.value, !pdl.value) {"predicate" = %a2} -> (%i1 : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "arith.select"(%v11, %x, %v10 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v12 = result 0 of %o12
        replace %old with (%v12 : !pdl.value)
      }
    }
    // math.erf on f32: x times a polynomial in x^2 near zero, elsewhere 1 - erfc(|x|) with the sign of x
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.erf"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %a0 = attribute = 0.0047179898247122765 : f32
        %o3 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %a1 = attribute = -0.02675718441605568 : f32
        %o4 = operation "arith.constant" {"value" = %a1} -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "math.fma"(%v3, %v2, %v4 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %a2 = attribute = 0.11282822489738464 : f32
        %o6 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "math.fma"(%v5, %v2, %v6 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %a3 = attribute = -0.37612608075141907 : f32
        %o8 = operation "arith.constant" {"value" = %a3} -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "math.fma"(%v7, %v2, %v8 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        %a4 = attribute = 1.1283791065216064 : f32
        %o10 = operation "arith.constant" {"value" = %a4} -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        %o11 = operation "math.fma"(%v9, %v2, %v10 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "arith.mulf"(%x, %v11 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v12 = result 0 of %o12
        %a5 = attribute = 1.0 : f32
        %o13 = operation "arith.constant" {"value" = %a5} -> (%t : !pdl.type)
        %v13 = result 0 of %o13
        %o14 = operation "arith.negf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v14 = result 0 of %o14
        %a6 = attribute = 0.4000000059604645 : f32
        %o15 = operation "arith.constant" {"value" = %a6} -> (%t : !pdl.type)
        %v15 = result 0 of %o15
        %o16 = operation "math.fma"(%v1, %v15, %v13 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v16 = result 0 of %o16
        %o17 = operation "spyreop.reciprocal"(%v16 : !pdl.value) -> (%t : !pdl.type)
        %v17 = result 0 of %o17
        %o18 = operation "math.exp"(%v14 : !pdl.value) -> (%t : !pdl.type)
        %v18 = result 0 of %o18
        %o19 = operation "arith.mulf"(%v18, %v17 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v19 = result 0 of %o19
        %a7 = attribute = 0.05026242509484291 : f32
        %o20 = operation "arith.constant" {"value" = %a7} -> (%t : !pdl.type)
        %v20 = result 0 of %o20
        %a8 = attribute = -0.18290260434150696 : f32
        %o21 = operation "arith.constant" {"value" = %a8} -> (%t : !pdl.type)
        %v21 = result 0 of %o21
        %o22 = operation "math.fma"(%v20, %v17, %v21 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v22 = result 0 of %o22
        %a9 = attribute = 0.16908715665340424 : f32
        %o23 = operation "arith.constant" {"value" = %a9} -> (%t : !pdl.type)
        %v23 = result 0 of %o23
        %o24 = operation "math.fma"(%v22, %v17, %v23 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v24 = result 0 of %o24
        %a10 = attribute = -0.005608899984508753 : f32
        %o25 = operation "arith.constant" {"value" = %a10} -> (%t : !pdl.type)
        %v25 = result 0 of %o25
        %o26 = operation "math.fma"(%v24, %v17, %v25 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v26 = result 0 of %o26
        %a11 = attribute = 0.1414320319890976 : f32
        %o27 = operation "arith.constant" {"value" = %a11} -> (%t : !pdl.type)
        %v27 = result 0 of %o27
        %o28 = operation "math.fma"(%v26, %v17, %v27 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v28 = result 0 of %o28
        %a12 = attribute = 0.1685418337583542 : f32
        %o29 = operation "arith.constant" {"value" = %a12} -> (%t : !pdl.type)
        %v29 = result 0 of %o29
        %o30 = operation "math.fma"(%v28, %v17, %v29 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v30 = result 0 of %o30
        %a13 = attribute = 0.20784270763397217 : f32
        %o31 = operation "arith.constant" {"value" = %a13} -> (%t : !pdl.type)
        %v31 = result 0 of %o31
        %o32 = operation "math.fma"(%v30, %v17, %v31 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v32 = result 0 of %o32
        %a14 = attribute = 0.22566959261894226 : f32
        %o33 = operation "arith.constant" {"value" = %a14} -> (%t : !pdl.type)
        %v33 = result 0 of %o33
        %o34 = operation "math.fma"(%v32, %v17, %v33 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v34 = result 0 of %o34
        %a15 = attribute = 0.22567586600780487 : f32
        %o35 = operation "arith.constant" {"value" = %a15} -> (%t : !pdl.type)
        %v35 = result 0 of %o35
        %o36 = operation "math.fma"(%v34, %v17, %v35 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v36 = result 0 of %o36
        %o37 = operation "arith.mulf"(%v19, %v36 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v37 = result 0 of %o37
        %o38 = operation "arith.subf"(%v13, %v37 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v38 = result 0 of %o38
        %a16 = attribute = 0.0 : f32
        %o39 = operation "arith.constant" {"value" = %a16} -> (%t : !pdl.type)
        %v39 = result 0 of %o39
        %i1 = type : i1
        %a17 = attribute = 4 : i64
        %o40 = operation "arith.cmpf"(%x, %v39 : !pdl.value, !pdl.value) {"predicate" = %a17} -> (%i1 : !pdl.type)
        %v40 = result 0 of %o40
        %o41 = operation "arith.negf"(%v38 : !pdl.value) -> (%t : !pdl.type)
        %v41 = result 0 of %o41
        %o42 = operation "arith.select"(%v40, %v41, %v38 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v42 = result 0 of %o42
        %a18 = attribute = 0.5 : f32
        %o43 = operation "arith.constant" {"value" = %a18} -> (%t : !pdl.type)
        %v43 = result 0 of %o43
        %o44 = operation "arith.cmpf"(%v1, %v43 : !pdl.value, !pdl.value) {"predicate" = %a17} -> (%i1 : !pdl.type)
        %v44 = result 0 of %o44
        %o45 = operation "arith.select"(%v44, %v12, %v42 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v45 = result 0 of %o45
        replace %old with (%v45 : !pdl.value)
      }
    }
    // math.erfc on f32: exp(-z^2) times a polynomial in 1 / (1 + 0.4 z), z = |x|, and 2 minus that below zero.
    // What the rounding of z^2 leaves out is put back, because the exponent reaches 88.
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %old = operation "math.erfc"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.mulf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.negf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "math.fma"(%x, %x, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %a0 = attribute = 1.0000000150474662e+30 : f32
        %o5 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %i1 = type : i1
        %a1 = attribute = 4 : i64
        %o6 = operation "arith.cmpf"(%v2, %v5 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v6 = result 0 of %o6
        %a2 = attribute = 0.0 : f32
        %o7 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.select"(%v6, %v4, %v7 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "arith.negf"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        %a3 = attribute = 0.4000000059604645 : f32
        %o10 = operation "arith.constant" {"value" = %a3} -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        %a4 = attribute = 1.0 : f32
        %o11 = operation "arith.constant" {"value" = %a4} -> (%t : !pdl.type)
        %v11 = result 0 of %o11
        %o12 = operation "math.fma"(%v1, %v10, %v11 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v12 = result 0 of %o12
        %o13 = operation "spyreop.reciprocal"(%v12 : !pdl.value) -> (%t : !pdl.type)
        %v13 = result 0 of %o13
        %o14 = operation "math.exp"(%v9 : !pdl.value) -> (%t : !pdl.type)
        %v14 = result 0 of %o14
        %o15 = operation "arith.mulf"(%v14, %v13 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v15 = result 0 of %o15
        %a5 = attribute = 0.05026242509484291 : f32
        %o16 = operation "arith.constant" {"value" = %a5} -> (%t : !pdl.type)
        %v16 = result 0 of %o16
        %a6 = attribute = -0.18290260434150696 : f32
        %o17 = operation "arith.constant" {"value" = %a6} -> (%t : !pdl.type)
        %v17 = result 0 of %o17
        %o18 = operation "math.fma"(%v16, %v13, %v17 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v18 = result 0 of %o18
        %a7 = attribute = 0.16908715665340424 : f32
        %o19 = operation "arith.constant" {"value" = %a7} -> (%t : !pdl.type)
        %v19 = result 0 of %o19
        %o20 = operation "math.fma"(%v18, %v13, %v19 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v20 = result 0 of %o20
        %a8 = attribute = -0.005608899984508753 : f32
        %o21 = operation "arith.constant" {"value" = %a8} -> (%t : !pdl.type)
        %v21 = result 0 of %o21
        %o22 = operation "math.fma"(%v20, %v13, %v21 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v22 = result 0 of %o22
        %a9 = attribute = 0.1414320319890976 : f32
        %o23 = operation "arith.constant" {"value" = %a9} -> (%t : !pdl.type)
        %v23 = result 0 of %o23
        %o24 = operation "math.fma"(%v22, %v13, %v23 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v24 = result 0 of %o24
        %a10 = attribute = 0.1685418337583542 : f32
        %o25 = operation "arith.constant" {"value" = %a10} -> (%t : !pdl.type)
        %v25 = result 0 of %o25
        %o26 = operation "math.fma"(%v24, %v13, %v25 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v26 = result 0 of %o26
        %a11 = attribute = 0.20784270763397217 : f32
        %o27 = operation "arith.constant" {"value" = %a11} -> (%t : !pdl.type)
        %v27 = result 0 of %o27
        %o28 = operation "math.fma"(%v26, %v13, %v27 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v28 = result 0 of %o28
        %a12 = attribute = 0.22566959261894226 : f32
        %o29 = operation "arith.constant" {"value" = %a12} -> (%t : !pdl.type)
        %v29 = result 0 of %o29
        %o30 = operation "math.fma"(%v28, %v13, %v29 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v30 = result 0 of %o30
        %a13 = attribute = 0.22567586600780487 : f32
        %o31 = operation "arith.constant" {"value" = %a13} -> (%t : !pdl.type)
        %v31 = result 0 of %o31
        %o32 = operation "math.fma"(%v30, %v13, %v31 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v32 = result 0 of %o32
        %o33 = operation "arith.mulf"(%v15, %v32 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v33 = result 0 of %o33
        %o34 = operation "arith.negf"(%v8 : !pdl.value) -> (%t : !pdl.type)
        %v34 = result 0 of %o34
        %o35 = operation "math.fma"(%v33, %v34, %v33 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v35 = result 0 of %o35
        %o36 = operation "arith.cmpf"(%x, %v7 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v36 = result 0 of %o36
        %a14 = attribute = 2.0 : f32
        %o37 = operation "arith.constant" {"value" = %a14} -> (%t : !pdl.type)
        %v37 = result 0 of %o37
        %o38 = operation "arith.subf"(%v37, %v35 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v38 = result 0 of %o38
        %o39 = operation "arith.select"(%v36, %v38, %v35 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v39 = result 0 of %o39
        replace %old with (%v39 : !pdl.value)
      }
    }
    // math.powf on f32: exp(y log |x|), with the sign of x for odd y. Below zero other than whole y give NaN; 1 to
    // any power and anything to the power 0 are 1, and so is -1 to the power of an infinity.
    pdl.pattern : benefit(1) {
      %t = type : f32
      %x = operand : %t
      %y = operand : %t
      %old = operation "math.powf"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = 1.0 : f32
        %o1 = operation "arith.constant" {"value" = %a0} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.log"(%v2 : !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.mulf"(%y, %v3 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "math.exp"(%v4 : !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        %i1 = type : i1
        %a1 = attribute = 1 : i64
        %o6 = operation "arith.cmpf"(%v2, %v1 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v6 = result 0 of %o6
        %o7 = operation "arith.cmpf"(%y, %y : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v7 = result 0 of %o7
        %o8 = operation "arith.select"(%v7, %v1, %y : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v8 = result 0 of %o8
        %o9 = operation "arith.select"(%v6, %v8, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v9 = result 0 of %o9
        %o10 = operation "math.floor"(%y : !pdl.value) -> (%t : !pdl.type)
        %v10 = result 0 of %o10
        %o11 = operation "arith.cmpf"(%v10, %y : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v11 = result 0 of %o11
        %a2 = attribute = 0.5 : f32
        %o12 = operation "arith.constant" {"value" = %a2} -> (%t : !pdl.type)
        %v12 = result 0 of %o12
        %o13 = operation "arith.mulf"(%y, %v12 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v13 = result 0 of %o13
        %o14 = operation "math.floor"(%v13 : !pdl.value) -> (%t : !pdl.type)
        %v14 = result 0 of %o14
        %o15 = operation "arith.cmpf"(%v14, %v13 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v15 = result 0 of %o15
        %o16 = operation "math.copysign"(%v9, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v16 = result 0 of %o16
        %o17 = operation "arith.select"(%v15, %v9, %v16 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v17 = result 0 of %o17
        %a3 = attribute = 0.0 : f32
        %o18 = operation "arith.constant" {"value" = %a3} -> (%t : !pdl.type)
        %v18 = result 0 of %o18
        %a4 = attribute = 4 : i64
        %o19 = operation "arith.cmpf"(%x, %v18 : !pdl.value, !pdl.value) {"predicate" = %a4} -> (%i1 : !pdl.type)
        %v19 = result 0 of %o19
        %a5 = attribute = 0xFF800000 : f32
        %o20 = operation "arith.constant" {"value" = %a5} -> (%t : !pdl.type)
        %v20 = result 0 of %o20
        %a6 = attribute = 2 : i64
        %o21 = operation "arith.cmpf"(%x, %v20 : !pdl.value, !pdl.value) {"predicate" = %a6} -> (%i1 : !pdl.type)
        %v21 = result 0 of %o21
        %o22 = operation "arith.andi"(%v19, %v21 : !pdl.value, !pdl.value) -> (%i1 : !pdl.type)
        %v22 = result 0 of %o22
        %a7 = attribute = 0x7FC00000 : f32
        %o23 = operation "arith.constant" {"value" = %a7} -> (%t : !pdl.type)
        %v23 = result 0 of %o23
        %o24 = operation "arith.select"(%v22, %v23, %v9 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v24 = result 0 of %o24
        %o25 = operation "arith.select"(%v11, %v17, %v24 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v25 = result 0 of %o25
        %o26 = operation "arith.cmpf"(%y, %v18 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v26 = result 0 of %o26
        %o27 = operation "arith.select"(%v26, %v1, %v25 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v27 = result 0 of %o27
        %o28 = operation "arith.cmpf"(%x, %v1 : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v28 = result 0 of %o28
        %o29 = operation "arith.select"(%v28, %v1, %v27 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v29 = result 0 of %o29
        replace %old with (%v29 : !pdl.value)
      }
    }
  }
}
