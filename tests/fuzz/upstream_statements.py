"""Statements of the upstream ops that kernels use; `statements` says how they are written."""

from __future__ import annotations

T = "tensor<8x32xf16>"
W = "tensor<8x32xf32>"
ROW = "tensor<32xf16>"
FLOATS = (
    *("addf", "subf", "mulf", "divf", "remf"),
    *("maximumf", "minimumf", "maxnumf", "minnumf"),
)
INTEGERS = (
    *("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui"),
    *("floordivsi", "andi", "ori", "xori", "shli", "shrsi", "shrui"),
    *("maxsi", "minsi", "maxui", "minui"),
)
FUNCTIONS = (
    *("absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh"),
    *("erf", "erfc", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round"),
    *("roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
NAMED = ("add", "sub", "mul", "div", "max", "min", "powf")
UNARY = (
    *("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt"),
    *("square", "tanh", "erf"),
)
EMPTY = f"%e{{n}} = tensor.empty() : {T}\n"
IDS = "affine_map<(d0, d1) -> (d0, d1)>"


def _unary() -> list[str]:
    return [f"%x{{n}} = math.{op} %f : f16\n%y{{n}} = math.{op} %t : {T}" for op in FUNCTIONS]


def _arithmetic() -> list[str]:
    floats = [f"%x{{n}} = arith.{op} %f, %f : f16\n%y{{n}} = arith.{op} %t, %t : {T}"
              for op in FLOATS]  # fmt: skip
    integers = [
        f"%x{{n}} = arith.{op} %k, %k : i32\n%y{{n}} = arith.{op} %i, %j : index" for op in INTEGERS
    ]
    return floats + integers


OTHER = (
    "%x{n} = arith.negf %f : f16\n%y{n} = math.fma %f, %f, %f : f16",
    "%x{n} = math.copysign %f, %f : f16\n%y{n} = math.atan2 %f, %f : f16",
    "%x{n} = math.powf %f, %f : f16\n%y{n} = math.fpowi %f, %k : f16, i32",
    "%x{n} = math.ipowi %k, %k : i32\n%y{n} = math.absi %k : i32",
    "%x{n} = math.ctlz %k : i32\n%y{n} = math.cttz %k : i32\n%z{n} = math.ctpop %k : i32",
    "%x{n} = math.isnan %f : f16\n%y{n} = math.isinf %f : f16\n%z{n} = math.isfinite %f : f16",
    "%x{n} = arith.extf %f : f16 to f32\n%y{n} = arith.truncf %w : f32 to f16",
    "%x{n} = arith.sitofp %k : i32 to f16\n%y{n} = arith.uitofp %k : i32 to f32",
    "%x{n} = arith.fptosi %w : f32 to i32\n%y{n} = arith.fptoui %w : f32 to i16",
    "%x{n} = arith.extsi %k : i32 to i64\n%y{n} = arith.extui %k : i32 to i64\n"
    "%z{n} = arith.trunci %l : i64 to i8",
    "%x{n} = arith.index_cast %k : i32 to index\n%y{n} = arith.index_castui %i : index to i64",
    "%x{n} = arith.bitcast %w : f32 to i32",
    "%x{n} = arith.cmpi slt, %i, %j : index\n%y{n} = arith.select %x{n}, %f, %f : f16",
    f"%x{{n}} = arith.cmpf oge, %t, %t : {T}\n"
    f"%y{{n}} = arith.select %x{{n}}, %t, %t : tensor<8x32xi1>, {T}",
    "%x{n}, %y{n} = arith.mulsi_extended %k, %k : i32\n%z{n}, %a{n} = arith.addui_extended %k, %k "
    ": i32, i1",
    "%x{n} = affine.apply affine_map<(d0)[s0] -> (d0 * {step} + s0 floordiv 2)>(%i)[%j]\n"
    "%y{n} = affine.min affine_map<(d0) -> (d0, {big})>(%i)\n"
    "%z{n} = affine.max affine_map<(d0) -> (d0 - {step}, 0)>(%j)",
)

LINALG = (
    *(EMPTY + f"%x{{n}} = linalg.{op} ins(%t, %t : {T}, {T}) outs(%e{{n}} : {T}) -> {T}"
      for op in NAMED),
    *(EMPTY + f"%x{{n}} = linalg.{op} ins(%t : {T}) outs(%e{{n}} : {T}) -> {T}" for op in UNARY),
    EMPTY + f"%x{{n}} = linalg.fill ins(%f : f16) outs(%e{{n}} : {T}) -> {T}",
    "%z{n} = arith.constant dense<0.0> : tensor<8x8xf32>\n"
    "%y{n} = arith.constant dense<0.5> : tensor<32x8xf16>\n"
    f"%x{{n}} = linalg.matmul ins(%t, %y{{n}} : {T}, tensor<32x8xf16>) "
    "outs(%z{n} : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "%z{n} = arith.constant dense<0.0> : tensor<8x8xf32>\n"
    "%x{n} = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, "
    "affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>] "
    f"ins(%t, %t : {T}, {T}) outs(%z{{n}} : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "%a{n} = arith.constant dense<0.5> : tensor<{size}x4x8xf16>\n"
    "%c{n} = arith.constant dense<0.5> : tensor<{size}x8x4xf16>\n"
    "%z{n} = arith.constant dense<0.0> : tensor<{size}x4x4xf32>\n"
    "%x{n} = linalg.batch_matmul ins(%a{n}, %c{n} : tensor<{size}x4x8xf16>, "
    "tensor<{size}x8x4xf16>) outs(%z{n} : tensor<{size}x4x4xf32>) -> tensor<{size}x4x4xf32>",
    "%e{n} = tensor.empty() : tensor<32x8xf16>\n%x{n} = linalg.transpose ins(%t : " + T
    + ") outs(%e{n} : tensor<32x8xf16>) permutation = [1, 0]",
    f"%a{{n}} = arith.constant dense<1.5> : {ROW}\n{EMPTY}%x{{n}} = linalg.broadcast "
    f"ins(%a{{n}} : {ROW}) outs(%e{{n}} : {T}) dimensions = [0]",
    f"%z{{n}} = arith.constant dense<0.0> : {ROW}\n%x{{n}} = linalg.reduce {{{{ arith.addf }}}} "
    f"ins(%t : {T}) outs(%z{{n}} : {ROW}) dimensions = [0]",
    f"%z{{n}} = arith.constant dense<0.0> : {ROW}\n%x{{n}}, %y{{n}} = linalg.reduce "
    f"ins(%t, %t : {T}, {T}) outs(%z{{n}}, %z{{n}} : {ROW}, {ROW}) dimensions = [0]\n"
    "(%a: f16, %c: f16, %d: f16, %g: f16) {{\n%p{n} = arith.addf %a, %d : f16\n"
    "%q{n} = arith.maximumf %c, %g : f16\nlinalg.yield %p{n}, %q{n} : f16, f16\n}}",
    EMPTY + f"%x{{n}} = linalg.map {{{{ arith.mulf }}}} ins(%t, %t : {T}, {T}) "
    f"outs(%e{{n}} : {T})",
    EMPTY + f"%x{{n}} = linalg.generic {{{{indexing_maps = [{IDS}, {IDS}], iterator_types = "
    f'["parallel", "parallel"]}}}} ins(%t : {T}) outs(%e{{n}} : {T}) {{{{\n^bb0(%a: f16, %c: f16):'
    "\n%p{n} = linalg.index 1 : index\n%q{n} = arith.index_cast %p{n} : index to i32\n"
    "%r{n} = arith.sitofp %q{n} : i32 to f16\n%s{n} = arith.addf %a, %r{n} : f16\n"
    f"linalg.yield %s{{n}} : f16\n}}}} -> {T}",
)  # fmt: skip

TENSOR = (
    "%x{n} = tensor.empty(%i) : tensor<?x32xf16>",
    f"%x{{n}} = tensor.splat %f : {T}",
    f"%x{{n}} = tensor.extract %t[%i, %j] : {T}\n%y{{n}} = tensor.insert %f into %t[%i, %j] : {T}",
    f"%x{{n}} = tensor.extract_slice %t[%i, 0] [2, 32] [1, 1] : {T} to tensor<2x32xf16>\n"
    f"%y{{n}} = tensor.insert_slice %x{{n}} into %t[0, 0] [2, 32] [{{step}}, 1] : "
    f"tensor<2x32xf16> into {T}",
    f"%x{{n}} = tensor.collapse_shape %t [[0, 1]] : {T} into tensor<256xf16>\n"
    "%y{n} = tensor.expand_shape %x{n} [[0, 1]] output_shape [8, 32] : tensor<256xf16> into " + T,
    "%a{n} = arith.constant dense<[4, 64]> : tensor<2xi32>\n"
    f"%x{{n}} = tensor.reshape %t(%a{{n}}) : ({T}, tensor<2xi32>) -> tensor<4x64xf16>",
    f"%x{{n}} = tensor.concat dim(0) %t, %t : ({T}, {T}) -> tensor<16x32xf16>",
    f"%x{{n}} = tensor.generate {{{{\n^bb0(%a: index, %c: index):\n%p{{n}} = arith.addi %a, %c : "
    "index\n%q{n} = arith.index_cast %p{n} : index to i32\n%r{n} = arith.sitofp %q{n} : i32 to "
    f"f16\ntensor.yield %r{{n}} : f16\n}}}} : {T}",
    "%x{n} = tensor.pad %t low[0, %i] high[1, 0] {{\n^bb0(%a: index, %c: index):\n"
    f"tensor.yield %f : f16\n}}}} : {T} to tensor<9x?xf16>",
    f"%x{{n}} = tensor.cast %t : {T} to tensor<?x32xf16>\n"
    "%z{n} = arith.constant 0 : index\n%y{n} = tensor.dim %x{n}, %z{n} : tensor<?x32xf16>",
    "%x{n} = tensor.from_elements %f, %f : tensor<2xf16>",
)

CONTROL = (
    "%z{n} = arith.constant 0.0 : f16\n%x{n} = scf.for %a = %i to %j step %i iter_args(%c = %z{n}) "
    "-> (f16) {{\n%p{n} = arith.addf %c, %f : f16\nscf.yield %p{n} : f16\n}}",
    f"%c{{n}} = arith.cmpi ult, %i, %j : index\n%x{{n}} = scf.if %c{{n}} -> ({T}) {{{{\n"
    f"%p{{n}} = arith.addf %t, %t : {T}\nscf.yield %p{{n}} : {T}\n}}}} else {{{{\n"
    f"scf.yield %t : {T}\n}}}}",
    "%x{n} = scf.while (%a = %i) : (index) -> index {{\n%c{n} = arith.cmpi ult, %a, %j : index\n"
    "scf.condition(%c{n}) %a : index\n}} do {{\n^bb0(%a: index):\n%p{n} = arith.addi %a, %i : "
    "index\nscf.yield %p{n} : index\n}}",
    "scf.parallel (%a, %c) = (%i, %i) to (%j, %j) step (%i, %i) {{\n"
    "%p{n} = arith.addi %a, %c : index\nscf.reduce\n}}",
    "%x{n} = func.call @twice(%f) : (f16) -> f16",
)

CALLEE = """func.func private @twice(%x: f16) -> f16 {
%y = arith.addf %x, %x : f16
return %y : f16
}
"""
"""What the calls call; every module has it."""

UPSTREAM = (*_arithmetic(), *_unary(), *OTHER, *LINALG, *TENSOR, *CONTROL)
