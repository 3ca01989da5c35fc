// Comparisons and choices, built from the ordered comparisons of the vector unit. Numbers of
// arith.cmpf: 1 equal, 2 greater, 3 greater or equal, 4 less, 5 less or equal; all false on NaN.

ktdf_arch.device @comparisons {
  patterns ["pre_mapping"] {
    // arith.maxnumf: a NaN loses against a number
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %old = operation "arith.maxnumf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.maximumf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %i1 = type : i1
        %a0 = attribute = 1 : i64
        %o2 = operation "arith.cmpf"(%b, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.select"(%v2, %v1, %a : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.cmpf"(%a, %a : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.select"(%v4, %v3, %b : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // arith.minnumf: a NaN loses against a number
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %old = operation "arith.minnumf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.minimumf"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %i1 = type : i1
        %a0 = attribute = 1 : i64
        %o2 = operation "arith.cmpf"(%b, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.select"(%v2, %v1, %a : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.cmpf"(%a, %a : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.select"(%v4, %v3, %b : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // math.trunc: towards zero
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %old = operation "math.trunc"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "math.floor"(%v1 : !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "math.copysign"(%v2, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf one: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 6 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 4 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 2 : i64
        %o2 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.ori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf ord: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 7 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 1 : i64
        %o1 = operation "arith.cmpf"(%a, %a : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.cmpf"(%b, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.andi"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf ueq: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 8 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 4 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 2 : i64
        %o2 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.ori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        %a2 = attribute = true
        %o4 = operation "arith.constant" {"value" = %a2} -> (%mask : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.xori"(%v3, %v4 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // arith.cmpf ugt: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 9 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 5 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = true
        %o2 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.xori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf uge: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 10 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 4 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = true
        %o2 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.xori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf ult: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 11 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 3 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = true
        %o2 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.xori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf ule: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 12 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 2 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = true
        %o2 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.xori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf une: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 13 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 1 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = true
        %o2 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.xori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        replace %old with (%v3 : !pdl.value)
      }
    }
    // arith.cmpf uno: vector comparisons are ordered, so the others are made of those
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = 14 : i64
      %mask = type : i1
      %old = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%mask : !pdl.type)
      rewrite %old {
        %a0 = attribute = 1 : i64
        %o1 = operation "arith.cmpf"(%a, %a : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.cmpf"(%b, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%mask : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.andi"(%v1, %v2 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v3 = result 0 of %o3
        %a1 = attribute = true
        %o4 = operation "arith.constant" {"value" = %a1} -> (%mask : !pdl.type)
        %v4 = result 0 of %o4
        %o5 = operation "arith.xori"(%v3, %v4 : !pdl.value, !pdl.value) -> (%mask : !pdl.type)
        %v5 = result 0 of %o5
        replace %old with (%v5 : !pdl.value)
      }
    }
    // spyreop.compare equal: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<equal>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 1 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 1.0 : f32
        %v2 = apply_native_rewrite "spyrelang.splat"(%a1, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a2 = attribute = 0.0 : f32
        %v3 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o4 = operation "arith.select"(%v1, %v2, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.compare greaterthan: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<greaterthan>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 2 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 1.0 : f32
        %v2 = apply_native_rewrite "spyrelang.splat"(%a1, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a2 = attribute = 0.0 : f32
        %v3 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o4 = operation "arith.select"(%v1, %v2, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.compare greaterequal: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<greaterequal>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 3 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 1.0 : f32
        %v2 = apply_native_rewrite "spyrelang.splat"(%a1, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a2 = attribute = 0.0 : f32
        %v3 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o4 = operation "arith.select"(%v1, %v2, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.compare lesserthan: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<lesserthan>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 4 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 1.0 : f32
        %v2 = apply_native_rewrite "spyrelang.splat"(%a1, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a2 = attribute = 0.0 : f32
        %v3 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o4 = operation "arith.select"(%v1, %v2, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.compare lesserequal: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<lesserequal>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 5 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 1.0 : f32
        %v2 = apply_native_rewrite "spyrelang.splat"(%a1, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a2 = attribute = 0.0 : f32
        %v3 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o4 = operation "arith.select"(%v1, %v2, %v3 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
    // spyreop.compare notequal: 1 where it holds, else 0
    pdl.pattern : benefit(1) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %predicate = attribute = #spyreop.compare_predicate<notequal>
      %old = operation "spyreop.compare"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %predicate} -> (%t : !pdl.type)
      rewrite %old {
        %i1 = type : i1
        %a0 = attribute = 4 : i64
        %o1 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a0} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %a1 = attribute = 2 : i64
        %o2 = operation "arith.cmpf"(%a, %b : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.ori"(%v1, %v2 : !pdl.value, !pdl.value) -> (%i1 : !pdl.type)
        %v3 = result 0 of %o3
        %a2 = attribute = 1.0 : f32
        %v4 = apply_native_rewrite "spyrelang.splat"(%a2, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %a3 = attribute = 0.0 : f32
        %v5 = apply_native_rewrite "spyrelang.splat"(%a3, %a : !pdl.attribute, !pdl.value) : !pdl.value
        %o6 = operation "arith.select"(%v3, %v4, %v5 : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v6 = result 0 of %o6
        replace %old with (%v6 : !pdl.value)
      }
    }
    // spyreop.select: the second value where the condition is zero
    pdl.pattern : benefit(1) {
      %t = type
      %c = operand : %t
      %a = operand : %t
      %b = operand : %t
      %old = operation "spyreop.select"(%c, %a, %b : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %a0 = attribute = 0.0 : f32
        %zero = apply_native_rewrite "spyrelang.splat"(%a0, %c : !pdl.attribute, !pdl.value) : !pdl.value
        %i1 = type : i1
        %a1 = attribute = 1 : i64
        %o1 = operation "arith.cmpf"(%c, %zero : !pdl.value, !pdl.value) {"predicate" = %a1} -> (%i1 : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.select"(%v1, %b, %a : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        replace %old with (%v2 : !pdl.value)
      }
    }
    // spyreop.idx32toaddr: base + stride index
    pdl.pattern : benefit(1) {
      %t = type
      %index = operand : %t
      %base = operand : %t
      %stride = operand : %t
      %old = operation "spyreop.idx32toaddr"(%index, %base, %stride : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.muli"(%stride, %index : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.addi"(%base, %v1 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        replace %old with (%v2 : !pdl.value)
      }
    }
    // the same with numbers
    pdl.pattern : benefit(1) {
      %t = type
      %index = operand : %t
      %base_address = attribute
      %stride = attribute
      %old = operation "spyreop.idx32toaddr"(%index : !pdl.value) {"base_address" = %base_address, "stride" = %stride} -> (%t : !pdl.type)
      rewrite %old {
        %o1 = operation "arith.constant" {"value" = %base_address} -> (%t : !pdl.type)
        %v1 = result 0 of %o1
        %o2 = operation "arith.constant" {"value" = %stride} -> (%t : !pdl.type)
        %v2 = result 0 of %o2
        %o3 = operation "arith.muli"(%v2, %index : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v3 = result 0 of %o3
        %o4 = operation "arith.addi"(%v1, %v3 : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %v4 = result 0 of %o4
        replace %old with (%v4 : !pdl.value)
      }
    }
  }
}
