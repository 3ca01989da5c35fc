"""vectorchain: what compute units do with vectors. One result each, no effects."""

from __future__ import annotations

import re

from spyrelang.dialects.dataflow import DBG_NAME, VECTOR
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, many, one, optional, result
from spyrelang.ir.opref import OpRef, integer_of
from spyrelang.ir.pieces import Custom, Draft

BINARY_OPERATORS = (
    "and0", "or0", "xnor", "and_not", "min", "max",
    "abs_min", "abs_max", "add", "mul", "sub", "mul_div2",
)  # fmt: skip
COMPARES = tuple(f"compare_{c}" for c in ("eq", "neq", "lt", "le", "gt", "ge"))
EVAL_ORDERS = ("left_to_right", "right_to_left")
EXP_VERSIONS = ("a", "b")
ESTIMATE_VERSIONS = ("slope", "offset")

_ENUMS = {
    "binary_operator": BINARY_OPERATORS,
    "element_wise_compare_operator": COMPARES,
    "eval_order": EVAL_ORDERS,
    "exp_estimate": EXP_VERSIONS,
    "estimate_versions": ESTIMATE_VERSIONS,
}
k.declare_enum("vectorchain", _ENUMS)


def _enum(name: str) -> k.Kind:
    return k.enum(f"#vectorchain<{name} ", _ENUMS[name])


OPERATOR = _enum("binary_operator")
FLAT_MASK = k.matching("a 1-D vector of i1", r"vector<(\d+|\[\d+\])xi1>")
BUILTIN = k.BUILTIN_VECTOR

_SHAPE = re.compile(r"(?:vector|!dataflow\.custom_vector)<((?:\[?\d+\]?x)*)(.*)>", re.DOTALL)


def shape_of(vector: str) -> tuple[list[int], str]:
    """Extents and element type of a vector's text."""
    found = _SHAPE.fullmatch(vector)
    if found is None:
        return [], vector
    return [int(n.strip("[]")) for n in found[1].split("x") if n], found[2]


def lanes_of(vector: str) -> int:
    """How many elements a vector has."""
    total = 1
    for extent in shape_of(vector)[0]:
        total *= extent
    return total


_MASKED = "{?[$mask : $mask:type]?}"

BINARY = OpDef(
    "vectorchain.binary",
    operands=[one("lhs", VECTOR), one("rhs", VECTOR), optional("mask", VECTOR)],
    attributes=[Attr("binary_op", OPERATOR), Attr("op_specific_map", k.AFFINE_MAP), DBG_NAME],
    results=[result("result", VECTOR)],
    assembly=f" $lhs, $rhs{_MASKED}$dict : $lhs:type, $rhs:type, $result:type",
)
MULTIPLY = OpDef(
    "vectorchain.multiply",
    operands=[one("lhs", VECTOR), one("rhs", VECTOR), optional("mask", VECTOR)],
    attributes=[Attr("reduction_map", k.AFFINE_MAP), DBG_NAME],
    results=[result("result", VECTOR)],
    assembly=f" $lhs, $rhs{_MASKED}$dict : $lhs:type, $rhs:type, $result:type",
)
MULTIPLY_AND_ACCUMULATE = OpDef(
    "vectorchain.multiply_and_accumulate",
    operands=[
        one("lhs", VECTOR),
        one("rhs", VECTOR),
        one("acc", VECTOR),
        optional("mask", VECTOR),
    ],
    attributes=[Attr("reduction_map", k.AFFINE_MAP), DBG_NAME],
    results=[result("result", VECTOR)],
    assembly=f" $lhs, $rhs, $acc{_MASKED}$dict : $lhs:type, $rhs:type, $acc:type, $result:type",
)
ELEMENT_WISE_COMPARE = OpDef(
    "vectorchain.element_wise_compare",
    operands=[one("lhs", BUILTIN), one("rhs", BUILTIN), optional("mask", FLAT_MASK)],
    attributes=[Attr("compare_op", _enum("element_wise_compare_operator")), DBG_NAME],
    results=[result("result", BUILTIN)],
    assembly=f" $lhs, $rhs{_MASKED}$dict : $lhs:type, $rhs:type, $result:type",
)
ELEMENT_WISE_SELECTION = OpDef(
    "vectorchain.element_wise_selection",
    operands=[
        one("condition", BUILTIN),
        one("on_true", BUILTIN),
        one("on_false", BUILTIN),
        optional("mask", FLAT_MASK),
    ],
    attributes=[DBG_NAME],
    results=[result("result", BUILTIN)],
    assembly=f" $condition ? $on_true : $on_false{_MASKED}$dict"
    " : $condition:type, $on_true:type, $on_false:type, $result:type",
)
SELECT = OpDef(
    "vectorchain.select",
    operands=[one("input", VECTOR)],
    attributes=[Attr("selection_map", k.AFFINE_MAP)],
    results=[result("result", VECTOR)],
    assembly=" $input$dict : $input:type, $result:type",
)
# Known by its name only, so it is read and shown in generic form, and no engine runs it.
SELECT_DYNAMIC = OpDef(
    "vectorchain.select_dynamic",
    operands=[many("operands", VECTOR | k.INDEX)],
    results=[result("result", VECTOR)],
)
MERGE = OpDef(
    "vectorchain.merge",
    operands=[one("lhs", VECTOR), one("rhs", VECTOR)],
    attributes=[
        Attr("iteration_space_CA", k.AFFINE_SET),
        Attr("access_function_CA", k.AFFINE_MAP),
        Attr("access_function_A", k.AFFINE_MAP),
        Attr("iteration_space_CB", k.AFFINE_SET),
        Attr("access_function_CB", k.AFFINE_MAP),
        Attr("access_function_B", k.AFFINE_MAP),
        DBG_NAME,
    ],
    results=[result("result", VECTOR)],
    assembly=" $lhs, $rhs$dict : $lhs:type, $rhs:type, $result:type",
)
CREATE_AFFINE_MASK = OpDef(
    "vectorchain.create_affine_mask",
    operands=[optional("parameter")],
    attributes=[Attr("mask_set", k.AFFINE_SET)],
    results=[result("mask", FLAT_MASK)],
    assembly="{? $parameter?}$dict : $mask:type",
)
PACK = OpDef(
    "vectorchain.pack",
    operands=[one("lhs", VECTOR), one("rhs", VECTOR), optional("mask", VECTOR)],
    attributes=[
        Attr("indices", k.ARRAY),
        Attr("repetition", k.INDEX_ATTR),
        Attr("sign_extend", k.BOOL, default="false"),
        DBG_NAME,
    ],
    results=[result("result", VECTOR)],
    assembly=f" $lhs, $rhs{_MASKED}$dict : $lhs:type, $rhs:type, $result:type",
)


def _same_count(op: OpRef) -> None:
    source, target = op.types("input")[0], op.result_types()[0]
    if lanes_of(source) != lanes_of(target):
        raise op.fail(f"{source} and {target} have different element counts")


CAST = OpDef(
    "vectorchain.cast",
    operands=[one("input", VECTOR), optional("mask", VECTOR)],
    attributes=[DBG_NAME],
    results=[result("result", VECTOR)],
    assembly=f" $input{_MASKED}$dict : $input:type, $result:type",
    verify=_same_count,
)

# --- shuffle -----------------------------------------------------------------------------------

_CLAUSES = ("variable", "pad", "mask")


def _read_shuffle(c: Cursor, d: Draft) -> None:
    c.expect("input(")
    d.operands["input"] = [c.value()]
    c.expect(")")
    while c.take(","):
        clause = c.word()
        if clause not in _CLAUSES or clause in d.operands:
            raise c.fail("expected one of variable(…), pad(…), mask(…), each once")
        c.expect("(")
        d.operands[clause] = [c.value()] if clause == "mask" else c.values()
        c.expect(")")
    d.attrs.update(c.dictionary())
    c.expect(":")
    for part in ("input", *_CLAUSES):
        found = d.operands.setdefault(part, [])
        d.types[part] = []
        for _ in found:
            d.types[part].append(c.type())
            c.expect(",")
    d.types["result"] = [c.type()]


def _write_shuffle(d: Draft) -> str:
    clauses = "".join(f", {p}({d.values(p)})" for p in _CLAUSES if d.operands[p])
    from spyrelang.ir.opdef import SEGMENTS

    attrs = {key: value for key, value in d.attrs.items() if key != SEGMENTS}
    types = d.type_list("input", *_CLAUSES, "result")
    return f" input({d.one('input')}){clauses} {{{scan.join_dict(attrs)}}} : {types}"


def _shuffle(op: OpRef) -> None:
    source, target = op.types("input")[0], op.result_types()[0]
    lanes, repetition = lanes_of(source), op.integer("repetition") or 0
    items = op.items("indices")
    if lanes_of(target) != len(items) * repetition:
        raise op.fail(f"{len(items)} indices times {repetition} are not {lanes_of(target)} lanes")
    if shape_of(source)[1] != shape_of(target)[1]:
        raise op.fail(f"{source} and {target} have different element types")
    lowest = -len(op.operands("variable")) - len(op.operands("pad"))
    for item in items:
        value = integer_of(item) if k.INTEGER.accepts(item) else None
        if value is None:
            raise op.fail(f"index {item} is not an integer")
        if not lowest <= value < lanes:
            raise op.fail(f"index {value} is outside {lowest} to {lanes - 1}")


SHUFFLE = OpDef(
    "vectorchain.shuffle",
    operands=[
        one("input", VECTOR),
        many("variable", k.SCALAR),
        many("pad", k.SCALAR),
        optional("mask", VECTOR),
    ],
    attributes=[Attr("indices", k.ARRAY), Attr("repetition", k.I32_ATTR), DBG_NAME],
    results=[result("result", VECTOR)],
    segments=True,
    assembly="$whole",
    custom={"whole": Custom(_read_shuffle, _write_shuffle)},
    verify=_shuffle,
)

ROTATE = OpDef(
    "vectorchain.rotate",
    operands=[one("input", VECTOR), one("position")],
    attributes=[Attr("right_shift", k.BOOL, default="true"), DBG_NAME],
    results=[result("result", VECTOR)],
    assembly=" $input, $position$dict : $input:type, $position:type, $result:type",
)
SCAN_WITH_GAP = OpDef(
    "vectorchain.scan_with_gap",
    operands=[one("input", VECTOR)],
    attributes=[
        Attr("eval_order", _enum("eval_order")),
        Attr("gap", k.INDEX_ATTR),
        Attr("reduction_op", OPERATOR),
        DBG_NAME,
    ],
    results=[result("result", VECTOR)],
    assembly=" $input$dict : $input:type, $result:type",
)

# --- constant_bitstream --------------------------------------------------------------------------

_LANE_BITS = re.compile(
    r"(?:[su]?i|bf|f|tf)(\d+)|!dataflow\.(?:custom<mx(?:fp|int)|mx(?:fp|int)<)(\d+)>"
)


def lane_bits(element: str) -> int | None:
    """The width of a lane type in bits; None where it has none (index, df16)."""
    found = _LANE_BITS.match(element)
    return int(found[1] or found[2]) if found else None


def _read_bits(c: Cursor, d: Draft) -> None:
    d.attrs.update(c.dictionary())


def _write_bits(d: Draft) -> str:
    if d.attrs.get("is_symbol") == "true":
        return f" {{{scan.join_dict(d.attrs)}}}"
    items = scan.split_list((d.attrs.get("value") or "[]")[1:-1])
    values = ", ".join(f"0x{integer_of(i) or 0:x}" for i in items)
    # The public printer shows nothing else; other entries would be lost, so they are kept here.
    rest = {
        key: v
        for key, v in d.attrs.items()
        if key != "value" and (key, v) != ("is_symbol", "false")
    }
    return f" {{{scan.join_dict({**rest, 'value': f'[{values}]'})}}}"


def _bits(op: OpRef) -> None:
    extents, element = shape_of(op.result_types()[0])
    width = lane_bits(element)
    if width is None or len(extents) != 1:
        raise op.fail("the result must be a vector of integers or floats of a known width")
    items = op.items("value")
    if len(items) != extents[0]:
        raise op.fail(f"{len(items)} values for {extents[0]} lanes")
    if op.text("is_symbol") == "true":
        return
    for item in items:
        _lane_value(op, item, width)


def _lane_value(op: OpRef, item: str, width: int) -> None:
    value = integer_of(item) if k.INTEGER.accepts(item) else None
    if value is None or " : ui" in item:
        raise op.fail(f"value {item} is not a signless integer")
    # The public verifier knows no 64-bit constants but zero; what we emit must pass it.
    if not 0 <= value < (1 << width if width < 64 else 1):
        raise op.fail(f"value {item} does not fit a lane of {width} bits")


CONSTANT_BITSTREAM = OpDef(
    "vectorchain.constant_bitstream",
    attributes=[
        Attr("value", k.ARRAY),
        Attr("is_symbol", k.BOOL, required=False, discardable=True),
    ],
    results=[result("result", VECTOR)],
    assembly="$whole : $result:type",
    custom={"whole": Custom(_read_bits, _write_bits, shows=["value", "is_symbol"])},
    verify=_bits,
)

# --- functions of one operand ------------------------------------------------------------------


def _unary(name: str, *attributes: Attr) -> OpDef:
    return OpDef(
        f"vectorchain.{name}",
        operands=[one("input", BUILTIN), optional("mask", FLAT_MASK)],
        attributes=[*attributes, DBG_NAME],
        results=[result("result", BUILTIN)],
        assembly=f" $input{_MASKED}$dict : $input:type, $result:type",
    )


FAST_EXP = _unary("fast_exp")
FLOOR = _unary("floor")
NEG = _unary("neg")
REC_ESTIMATE = _unary("rec_estimate")
LN_ESTIMATE = _unary("ln_estimate")
RSQRT_ESTIMATE = _unary("rsqrt_estimate")
EXP_ESTIMATE = _unary("exp_estimate", Attr("version", _enum("exp_estimate")))
SIGMOID_ESTIMATE = _unary("sigmoid_estimate", Attr("version", _enum("estimate_versions")))
TANH_ESTIMATE = _unary("tanh_estimate", Attr("version", _enum("estimate_versions")))
