"""What element-wise functions are made of: scalar ops per element type.

An intrinsic of the device (`spyreop`) is used where it has the type; other types get the same
function from arith and math, in f32 with one rounding at the end where that is more exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from spyrelang.language.graph import BodyOp
from spyrelang.language.scalars import Number
from spyrelang.semantics.dtypes import DType, get

F32, I1, I64 = get("f32"), get("i1"), get("i64")


class Body:
    """A scalar computation under construction; values are numbers (inputs first)."""

    def __init__(self, inputs: tuple[DType, ...]) -> None:
        self.dtypes = list(inputs)
        self.ops: list[BodyOp] = []

    def const(self, value: Number, dtype: DType) -> int:
        """A constant; equal ones are shared."""
        wanted = (repr(value), dtype)
        number = len(self.dtypes)
        for op in reversed(self.ops):
            number -= op.results
            if op.name == "arith.constant" and (repr(op.value), op.dtype) == wanted:
                return number
        return self.append(BodyOp("arith.constant", (), dtype, (), value))

    def op(self, name: str, *operands: int, to: DType | None = None, **attributes: str) -> int:
        """Append an op; the result has the type of the first operand unless `to` says otherwise."""
        dtype = to if to is not None else self.dtypes[operands[0]]
        return self.append(BodyOp(name, operands, dtype, tuple(sorted(attributes.items()))))

    def several(self, name: str, results: int, *operands: int, **attributes: str) -> int:
        """Append an op of several results of the first operand's type; the first one's number."""
        extra = tuple(sorted(attributes.items()))
        dtype = self.dtypes[operands[0]]
        return self.append(BodyOp(name, operands, dtype, extra, results=results))

    def append(self, op: BodyOp) -> int:
        """Append an op; the number of its (first) result."""
        self.ops.append(op)
        self.dtypes += [op.dtype] * op.results
        return len(self.dtypes) - op.results


Build = Callable[..., int]
"""(body, operand numbers…) -> result number."""


def single(name: str, *, to: DType | None = None, **attributes: str) -> Build:
    """The builder that is one op on its operands."""

    def build(body: Body, *operands: int) -> int:
        return body.op(name, *operands, to=to, **attributes)

    return build


def identity(body: Body, x: int) -> int:
    """The builder that computes nothing."""
    del body
    return x


def chain(first: Build, second: Build) -> Build:
    """One builder after the other."""

    def build(body: Body, x: int) -> int:
        return second(body, first(body, x))

    return build


# --- two operands ---------------------------------------------------------------------------------

_BINARY: dict[str, tuple[str | None, str | None, str | None]] = {
    # for floats, for integers, for i1
    "add": ("arith.addf", "arith.addi", None),
    "sub": ("arith.subf", "arith.subi", None),
    "mul": ("arith.mulf", "arith.muli", None),
    "div": ("arith.divf", None, None),
    "floordiv": (None, "arith.floordivsi", None),
    "mod": (None, "", None),
    "pow": ("math.powf", "math.ipowi", None),
    "and": (None, "arith.andi", "arith.andi"),
    "or": (None, "arith.ori", "arith.ori"),
    "xor": (None, "arith.xori", "arith.xori"),
    "shl": (None, "arith.shli", None),
    "shr": (None, "arith.shrsi", None),
    "maximum": ("arith.maximumf", "arith.maxsi", None),
    "minimum": ("arith.minimumf", "arith.minsi", None),
    "realdiv": ("", None, None),
}
_CMPF = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
_CMPI = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}


def binary(name: str, dtype: DType) -> Build | None:
    """The builder of a function of two operands; None where the type does not have it."""
    if name in _CMPF:
        return _comparison(name, dtype)
    kind = 2 if dtype.name == "i1" else 1 if dtype.is_int else 0
    op = _BINARY[name][kind]
    if op is None:
        return None
    if name == "mod":
        return _modulo
    if name == "realdiv":
        op = "spyreop.realdiv" if dtype.name in ("f16", "df16", "f32") else "arith.divf"
    return single(op)


def _comparison(name: str, dtype: DType) -> Build | None:
    if dtype.name == "i1" and name not in ("eq", "ne"):
        return None
    op, predicate = ("arith.cmpf", _CMPF[name]) if dtype.is_float else ("arith.cmpi", _CMPI[name])
    return single(op, to=I1, predicate=f"{predicate} : i64")


def _modulo(body: Body, a: int, b: int) -> int:
    """Python's remainder, which has the sign of the divisor."""
    quotient = body.op("arith.floordivsi", a, b)
    return body.op("arith.subi", a, body.op("arith.muli", quotient, b))


def power(dtype: DType, exponent: int) -> Build:
    """The builder of x ** exponent by multiplication, exponent >= 0; narrow floats in f32."""
    build = partial(_power, exponent)
    return in_f32(build) if dtype.is_float else build


def _power(exponent: int, body: Body, x: int) -> int:
    dtype = body.dtypes[x]
    product = "arith.mulf" if dtype.is_float else "arith.muli"
    result: int | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else body.op(product, result, x)
        exponent >>= 1
        x = body.op(product, x, x) if exponent else x
    if result is None:
        return body.const(1.0 if dtype.is_float else 1, dtype)
    return result


# --- one operand ----------------------------------------------------------------------------------

_INTRINSIC = {"exp", "sqrt", "rsqrt", "sigmoid", "silu", "reciprocal"}  # f16, df16 and f32
_MATH = {"exp", "exp2", "log", "sqrt", "rsqrt", "tanh", "erf"}


def unary(name: str, dtype: DType) -> Build | None:
    """The builder of a function of one operand; None where the type does not have it."""
    if dtype.name == "i1":
        return None
    if name in ("abs", "neg"):
        return _sign(name, dtype)
    if not dtype.is_float:
        return None
    if name in _INTRINSIC and dtype.name in ("f16", "df16", "f32"):
        return single(f"spyreop.{name}")
    if name == "gelu" and dtype.name in ("f16", "df16"):
        return single("spyreop.gelu")
    if name in _MATH:
        return single(f"math.{name}")
    if name == "reciprocal":
        return partial(_reciprocal, dtype)
    if name == "gelu":
        return in_f32(_gelu)
    return in_f32(single(f"spyreop.{name}"))


def _reciprocal(dtype: DType, body: Body, x: int) -> int:
    return body.op("arith.divf", body.const(1.0, dtype), x)


def _sign(name: str, dtype: DType) -> Build:
    if dtype.is_float:
        return single("math.absf" if name == "abs" else "arith.negf")
    return single("math.absi") if name == "abs" else _negated


def _negated(body: Body, x: int) -> int:
    return body.op("arith.subi", body.const(0, body.dtypes[x]), x)


def in_f32(build: Build) -> Build:
    """`build` computed in f32 and rounded to the operand's type once."""

    def wrapped(body: Body, x: int) -> int:
        dtype = body.dtypes[x]
        if dtype == F32:
            return build(body, x)
        wide = body.op("arith.extf", x, to=F32)
        return body.op("arith.truncf", build(body, wide), to=dtype)

    return wrapped


def _gelu(body: Body, x: int) -> int:
    """x/2 · erfc(-x/√2): exact in the left tail; clamped there, where -inf would give NaN."""
    x = body.op("arith.maximumf", x, body.const(-16.0, F32))
    scaled = body.op("arith.mulf", x, body.const(-0.7071067811865476, F32))
    half = body.op("arith.mulf", x, body.const(0.5, F32))
    return body.op("arith.mulf", half, body.op("math.erfc", scaled))


def softplus(dtype: DType, beta: float, threshold: float) -> Build:
    """log(1 + e^(βx)) / β, and x itself where βx > threshold."""
    if dtype.name in ("f16", "df16"):
        return single("spyreop.softplus", beta=_f32_text(beta), threshold=_f32_text(threshold))
    return in_f32(partial(_softplus, beta, threshold))


def _f32_text(value: float) -> str:
    """Nine digits tell all f32 numbers apart; MLIR's literals need the point."""
    return f"{value:.9e} : f32"


def _softplus(beta: float, threshold: float, body: Body, x: int) -> int:
    factor = body.const(beta, F32)
    scaled = body.op("arith.mulf", x, factor)
    soft = body.op("math.log1p", body.op("math.exp", scaled))
    soft = body.op("arith.divf", soft, factor)
    limit = body.const(threshold, F32)
    past = body.op("arith.cmpf", scaled, limit, to=I1, predicate=f"{_CMPF['gt']} : i64")
    return body.op("arith.select", past, x, soft, to=F32)


# --- casts ----------------------------------------------------------------------------------------


def cast(source: DType, target: DType) -> Build:
    """The builder of a conversion, rounded once."""
    if "index" in (source.name, target.name):
        return _index_cast(source, target)
    if source.is_float:
        return _from_float(source, target)
    return _from_int(source, target)


def _from_float(source: DType, target: DType) -> Build:
    if target.name == "i1":
        return partial(_nonzero, "arith.cmpf", 0.0, _CMPF["ne"])
    if target.is_int:
        return single("arith.fptosi", to=target)
    if source.bits == target.bits:  # f16, bf16, df16: f32 holds them all
        return chain(single("arith.extf", to=F32), single("arith.truncf", to=target))
    return single("arith.extf" if target.bits > source.bits else "arith.truncf", to=target)


def _from_int(source: DType, target: DType) -> Build:
    if target.name == "i1":
        return partial(_nonzero, "arith.cmpi", 0, _CMPI["ne"])
    boolean = source.name == "i1"
    if target.is_float:
        return single("arith.uitofp" if boolean else "arith.sitofp", to=target)
    if target.bits < source.bits:
        return single("arith.trunci", to=target)
    return single("arith.extui" if boolean else "arith.extsi", to=target)


def _nonzero(op: str, zero: Number, predicate: int, body: Body, x: int) -> int:
    other = body.const(zero, body.dtypes[x])
    return body.op(op, x, other, to=I1, predicate=f"{predicate} : i64")


def _index_cast(source: DType, target: DType) -> Build:
    """Through i64, which index is cast to and from."""
    if source.name == "index":
        step = single("arith.index_cast", to=I64)
        return step if target == I64 else chain(step, cast(I64, target))
    step = single("arith.index_cast", to=target)
    return step if source == I64 else chain(cast(source, I64), step)
