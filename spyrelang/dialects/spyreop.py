"""spyreop: the intrinsics of the device, on scalars in `linalg.generic`, later on vectors."""

from __future__ import annotations

import re

from spyrelang.dialects.shapes import operand_types
from spyrelang.ir import kinds as k
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, one, optional, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Piece

DF16 = "!spyreop.df16"
PAIRS = {
    "f16": "!spyreop.fp16_fused",
    DF16: "!spyreop.df16_fused",
    "f32": "!spyreop.fp32_fused",
}
"""The pair type of each float type: a mean and a mean of squares as one value."""

PREDICATES = ("equal", "notequal", "greaterthan", "greaterequal", "lesserthan", "lesserequal")
REDUCTION_KINDS = ("add", "sub", "max", "min", "mul", "abs_max")
REDUCTION_SCOPES = ("in_slice", "across_slice")

for _name in (DF16, *PAIRS.values()):
    k.bare(_name)


def _declare_enum(name: str, cases: tuple[str, ...]) -> k.Kind:
    def normalise(body: str | None) -> str | None:
        return f"{name}<{(body or '').strip()}>" if (body or "").strip() in cases else None

    k.declare_opaque(name, normalise, f"{name}<…> with one of {', '.join(cases)}")
    return k.enum(f"{name}<", cases)


PREDICATE = _declare_enum("#spyreop.compare_predicate", PREDICATES)
REDUCTION_KIND = _declare_enum("#spyreop.reduction_kind", REDUCTION_KINDS)
REDUCTION_SCOPE = _declare_enum("#spyreop.reduction_scope", REDUCTION_SCOPES)

# Vectors of these types appear inside program units, where `post_lowering` patterns meet them.
_VECTOR = r"|vector<(?:\d+x)*(?:{})>"
_FL = rf"f16|f32|{DF16}"
FLOAT = k.matching("f16, f32 or !spyreop.df16 (or a vector of it)", _FL + _VECTOR.format(_FL))
HALF = k.matching(
    "f16 or !spyreop.df16 (or a vector of it)", rf"f16|{DF16}" + _VECTOR.format(f"f16|{DF16}")
)
PLAIN = k.matching("f16 or f32", r"f16|f32")
PAIR = k.matching("a pair", "|".join(PAIRS.values()))
I64 = k.exactly("i64", "i64")
FLOAT32_ATTR = k.matching("a 32-bit float", r"[^:]+ : f32")
FLOAT_ATTR = k.matching("a float", r"[^:]+ : f(16|32)")


def _same_type(*parts: str) -> Piece:
    """The one type that all the operands and results `parts` have."""

    def read(c: Cursor, d: Draft) -> None:
        found = c.type()
        for part in parts:
            d.types[part] = [found] * len(d.operands.get(part, ("",)))

    def write(d: Draft) -> str:
        return d.types[parts[0]][0]

    return Custom(read, write, anchor=parts[0])


def _one_type(op: OpRef) -> None:
    """All operands and results have one type."""
    types = {*operand_types(op), *op.result_types()}
    if len(types) > 1:
        raise op.fail(f"operands and results must have one type, not {', '.join(sorted(types))}")
    if any(t.startswith("vector<") for t in types) and not _in_unit(op):
        raise op.fail(f"works on scalars, not on {types.pop()}: vectors stand in program units")


def _in_unit(op: OpRef) -> bool:
    parent = op.op.parent
    while parent is not None and parent.operation.name != "dataflow.program_unit":
        parent = parent.operation.parent
    return parent is not None


def _float_op(name: str, inputs: str, text: str, kind: k.Kind, outputs: str = "result") -> OpDef:
    """An op whose operands and results all have one type of `kind`; names separated by blanks."""
    ins, outs = inputs.split(), outputs.split()
    return OpDef(
        f"spyreop.{name}",
        operands=[one(i, kind) for i in ins],
        results=[result(o, kind) for o in outs],
        assembly=f"{text}$dict : $type",
        custom={"type": _same_type(*ins, *outs)},
        verify=_one_type,
    )


EXP = _float_op("exp", "input", " $input", FLOAT)
GELU = _float_op("gelu", "input", " $input", HALF)
SIGMOID = _float_op("sigmoid", "input", " $input", FLOAT)
SILU = _float_op("silu", "input", " $input", FLOAT)
SQRT = _float_op("sqrt", "input", " $input", FLOAT)
RSQRT = _float_op("rsqrt", "input", " $input", FLOAT)
RECIPROCAL = _float_op("reciprocal", "input", " $input", FLOAT)
REALDIV = _float_op("realdiv", "lhs rhs", " $lhs, $rhs", FLOAT)
EXX2 = _float_op("exx2", "input", " $input", FLOAT, "mean squares")
SELECT = _float_op(
    "select", "condition on_true on_false", " $condition, $on_true, $on_false", FLOAT
)
LAYERNORMNORM = _float_op(
    "layernormnorm",
    "input squares scale weight bias",
    " $input squares $squares scale $scale weight $weight bias $bias",
    FLOAT,
)

# --- softplus --------------------------------------------------------------------------------

_LITERAL = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?|0x[0-9a-fA-F]+")


def _bare_f32(name: str) -> Piece:
    """An f32 attribute printed without its type."""

    def read(c: Cursor, d: Draft) -> None:
        start = c.start()
        text = c.plain_attribute()
        if _LITERAL.fullmatch(text) is None:
            raise c.fail("expected a float literal (1.0)", start)
        d.attrs[name] = f"{text} : f32"

    def write(d: Draft) -> str:
        return (d.attrs[name] or "").removesuffix(" : f32")

    return Custom(read, write, shows=[name], anchor=name)


def _softplus_rules(op: OpRef) -> None:
    _one_type(op)
    if float_value(op.text("beta")) == 0:
        raise op.fail("beta must not be zero")


def float_value(text: str) -> float:
    """The value of an f32 attribute's text; a hexadecimal one gives the bits."""
    number = text.split(":", 1)[0].strip()
    if number.startswith("0x"):
        # Only zero matters here: other bit patterns are infinities and NaNs.
        return float(int(number, 16) & 0x7FFFFFFF)
    return float(number)


SOFTPLUS = OpDef(
    "spyreop.softplus",
    operands=[one("input", HALF)],
    attributes=[Attr("beta", FLOAT32_ATTR), Attr("threshold", FLOAT32_ATTR)],
    results=[result("result", HALF)],
    assembly=" $input beta $beta_value threshold $threshold_value$dict : $type",
    custom={
        "type": _same_type("input", "result"),
        "beta_value": _bare_f32("beta"),
        "threshold_value": _bare_f32("threshold"),
    },
    verify=_softplus_rules,
)

# --- layer norm ------------------------------------------------------------------------------

LAYERNORMSCALE = OpDef(
    "spyreop.layernormscale",
    operands=[one("input", FLOAT), optional("squares", FLOAT)],
    results=[result("result", FLOAT)],
    assembly=" $input{? squares $squares?}$dict : $type",
    custom={"type": _same_type("input", "squares", "result")},
    verify=_one_type,
)


def _pair_rules(op: OpRef) -> None:
    """The pair type belongs to the scalar type."""
    scalar, pair = operand_types(op)[0], op.result_types()[0]
    if scalar not in PAIRS:
        scalar, pair = pair, scalar
    if PAIRS.get(scalar) != pair:
        raise op.fail(f"the pair of {scalar} is {PAIRS.get(scalar)}, not {pair}")


def _pair_op(name: str, operand: k.Kind, made: k.Kind) -> OpDef:
    return OpDef(
        f"spyreop.{name}",
        operands=[one("input", operand)],
        results=[result("result", made)],
        assembly=" $input$dict : $input:type -> $result:type",
        verify=_pair_rules,
    )


SCALAR = k.matching("f16, f32 or !spyreop.df16", _FL)
EXX2_FUSED = _pair_op("exx2_fused", SCALAR, PAIR)
EXX2_ZEROMEAN_FUSED = _pair_op("exx2_zeromean_fused", SCALAR, PAIR)
LAYERNORMSCALE_FUSED = _pair_op("layernormscale_fused", PAIR, SCALAR)

# --- compare, constant -----------------------------------------------------------------------


def _read_predicate(c: Cursor, d: Draft) -> None:
    d.attrs["predicate"] = c.short_type("#spyreop.compare_predicate")


def _write_predicate(d: Draft) -> str:
    return (d.attrs["predicate"] or "").removeprefix("#spyreop.compare_predicate")


COMPARE = OpDef(
    "spyreop.compare",
    operands=[one("lhs", FLOAT), one("rhs", FLOAT)],
    attributes=[Attr("predicate", PREDICATE)],
    results=[result("result", FLOAT)],
    assembly=" $which $lhs, $rhs$dict : $type",
    custom={
        "which": Custom(_read_predicate, _write_predicate, shows=["predicate"]),
        "type": _same_type("lhs", "rhs", "result"),
    },
    verify=_one_type,
)


def _read_constant(c: Cursor, d: Draft) -> None:
    value = c.attribute()
    d.attrs["value"] = value
    d.types["result"] = [value.rsplit(":", 1)[-1].strip()]


def _write_constant(d: Draft) -> str:
    return d.attrs["value"] or ""


def _constant_rules(op: OpRef) -> None:
    if op.text("value").rsplit(" ", 1)[-1] != op.result_types()[0]:
        raise op.fail("the value and the result must have one type")


CONSTANT = OpDef(
    "spyreop.constant",
    attributes=[Attr("value", FLOAT_ATTR)],
    results=[result("result", PLAIN)],
    assembly="$dict $literal",
    custom={"literal": Custom(_read_constant, _write_constant, shows=["value"])},
    verify=_constant_rules,
)

# --- integers --------------------------------------------------------------------------------


def _integer_op(name: str, kind: k.Kind) -> OpDef:
    return OpDef(
        f"spyreop.{name}",
        operands=[one("lhs", kind), one("rhs", kind)],
        results=[result("result", kind)],
        assembly=" $lhs, $rhs$dict",
    )


ADDI32 = _integer_op("addi32toi32", k.I32)
ADDI64 = _integer_op("addi64toi64", I64)
MULI32 = _integer_op("muli32toi32", k.I32)


def _read_address(c: Cursor, d: Draft) -> None:
    """`base 0x1F00 stride 4` as attributes, or `base %b stride %s` as operands."""
    c.expect("base")
    if c.text.startswith("%", c.start()):
        d.operands["base_value"] = [c.value()]
        c.expect("stride")
        d.operands["stride_value"] = [c.value()]
        d.types["base_value"] = d.types["stride_value"] = ["i32"]
        return
    d.attrs["base_address"] = _i32(c)
    c.expect("stride")
    d.attrs["stride"] = _i32(c)


def _i32(c: Cursor) -> str:
    """An integer of 32 bits, signed or not, as the text of an i32 attribute."""
    start = c.start()
    value = int(c.integer(), 0)
    if not -(2**31) <= value < 2**32:
        raise c.fail("the number does not fit 32 bits", start)
    return f"{value - 2**32 if value >= 2**31 else value} : i32"


def _write_address(d: Draft) -> str:
    if d.operands.get("base_value"):
        return f"base {d.one('base_value')} stride {d.one('stride_value')}"
    base = int((d.attrs["base_address"] or "0").split()[0]) & 0xFFFFFFFF
    return f"base 0x{base:X} stride {(d.attrs['stride'] or '0').split()[0]}"


def _address_rules(op: OpRef) -> None:
    given = [name for name in ("base_address", "stride") if op.has(name)]
    if len(given) != (2 if len(operand_types(op)) == 1 else 0):
        raise op.fail("base and stride are both attributes (base_address, stride) or both operands")


def _address_counts(total: int, integer: object) -> list[int]:
    del integer
    return [1, 1, 1] if total == 3 else [total, 0, 0]


IDX32TOADDR = OpDef(
    "spyreop.idx32toaddr",
    operands=[
        one("index", k.I32),
        optional("base_value", k.I32),
        optional("stride_value", k.I32),
    ],
    attributes=[
        Attr("base_address", k.I32_ATTR, required=False),
        Attr("stride", k.I32_ATTR, required=False),
    ],
    results=[result("result", k.I32)],
    counts=_address_counts,
    assembly=" $index $where$dict",
    custom={"where": Custom(_read_address, _write_address, shows=["base_address", "stride"])},
    verify=_address_rules,
)

# --- slices ----------------------------------------------------------------------------------

RANKED = k.matching("a ranked tensor", r"tensor<(?!\*).*")

SLICE_REDUCTION = OpDef(
    "spyreop.slice_reduction",
    operands=[one("input", RANKED)],
    attributes=[Attr("reduction_kind", REDUCTION_KIND), Attr("reduction_scope", REDUCTION_SCOPE)],
    results=[result("result", RANKED)],
    assembly=" $input$dict : $input:type -> $result:type",
    verify=_one_type,
)
