"""spyreop: both texts of every op, and what is refused."""

from __future__ import annotations

import pytest
from dialect_cases import check_round_trip, printed, refused

from spyrelang import ir
from spyrelang.dialects import spyreop

HEAD = """func.func @f(%h: f16, %f: f32, %b: bf16, %i: i32, %l: i64, %q: !spyreop.df16,
    %t: tensor<8xf16>, %p: !spyreop.fp16_fused) {
"""


def around(line: str) -> str:
    return f"{HEAD}  {line}\n  return\n}}"


def test_round_trip() -> None:
    check_round_trip("spyreop")


FLOATS = ("f16", "f32", "!spyreop.df16")
HALVES = ("f16", "!spyreop.df16")
PAIRS = {"f16": "fp16_fused", "f32": "fp32_fused", "!spyreop.df16": "df16_fused"}
FORMS = {
    "exp": ("{op} %x : {t}", FLOATS),
    "sigmoid": ("{op} %x : {t}", FLOATS),
    "silu": ("{op} %x : {t}", FLOATS),
    "sqrt": ("{op} %x : {t}", FLOATS),
    "rsqrt": ("{op} %x : {t}", FLOATS),
    "reciprocal": ("{op} %x : {t}", FLOATS),
    "gelu": ("{op} %x : {t}", HALVES),
    "softplus": ("{op} %x beta 2.0 threshold 20.0 : {t}", HALVES),
    "realdiv": ("{op} %x, %x : {t}", FLOATS),
    "exx2": ("{op} %x : {t}", FLOATS),
    "exx2_fused": ("{op} %x : {t} -> !spyreop.{pair}", FLOATS),
    "exx2_zeromean_fused": ("{op} %x : {t} -> !spyreop.{pair}", FLOATS),
    "layernormscale": ("{op} %x squares %x : {t}", FLOATS),
    "layernormnorm": ("{op} %x squares %x scale %x weight %x bias %x : {t}", FLOATS),
    "compare": ("{op} <lesserthan> %x, %x : {t}", FLOATS),
    "select": ("{op} %x, %x, %x : {t}", FLOATS),
    "constant": ("{op} 0.5 : {t}", ("f16", "f32")),
}
OTHERS = ("bf16", "f64", "i32", "index", "tensor<8xf16>", "memref<8xf16>")


def one_op(name: str, kind: str) -> str:
    form, _ = FORMS[name]
    text = form.format(op=f"spyreop.{name}", t=kind, pair=PAIRS.get(kind, "fp16_fused"))
    results = "%a, %b" if name == "exx2" else "%a"
    return f"func.func @f(%x: {kind}) {{\n  {results} = {text}\n  return\n}}"


@pytest.mark.parametrize("name", FORMS)
def test_each_op_takes_its_types_and_no_other(name: str) -> None:
    allowed = FORMS[name][1]
    for kind in allowed:
        once = printed(one_op(name, kind))
        assert f"spyreop.{name} " in once
        assert printed(once) == once
        assert printed(printed(once, generic=True)) == once
    for kind in (*FLOATS, *OTHERS):
        if kind not in allowed:
            refused(one_op(name, kind), line=2)


def test_pairs_stand_in_tensors() -> None:
    text = printed(
        "func.func @f(%t: tensor<4x!spyreop.fp16_fused>, %o: tensor<4xf16>) -> tensor<4xf16> {\n"
        "  %0 = linalg.map ins(%t : tensor<4x!spyreop.fp16_fused>) outs(%o : tensor<4xf16>)\n"
        "    (%p: !spyreop.fp16_fused, %i: f16) {\n"
        "      %s = spyreop.layernormscale_fused %p : !spyreop.fp16_fused -> f16\n"
        "      linalg.yield %s : f16\n    }\n  return %0 : tensor<4xf16>\n}"
    )
    assert printed(text) == text


def test_unknown_types_and_cases() -> None:
    refused("func.func private @f(!spyreop.fp8)", "SPY109")
    refused("func.func private @f(!spyreop.df16<4>)", "SPY109")
    refused("func.func private @f() attributes {a = #spyreop.reduction_kind<xor>}", "SPY109")


def test_numbers_read_in_any_spelling() -> None:
    text = printed(around("%0 = spyreop.idx32toaddr %i base -1 stride 0x10"))
    assert "base 0xFFFFFFFF stride 16" in text
    text = printed(around("%0 = spyreop.softplus %h beta 0.5 threshold 1.0e1 : f16"))
    assert "beta 5.000000e-01 threshold 1.000000e+01" in text


def test_builders_and_accessors() -> None:
    module = ir.parse(around("%0 = spyreop.exp %h : f16"), "t.mlir", guard=False)
    (func,) = module.funcs()
    exp = func.regions[0].blocks[0].operations[0].operation
    assert spyreop.EXP.operand(exp, "input") == exp.operands[0]
    from mlir import ir as mlir

    with ir.context(), mlir.InsertionPoint(exp), mlir.Location.unknown():
        made = spyreop.SOFTPLUS.build(
            input=exp.operands[0], beta="2.0 : f32", threshold="8.0 : f32", results=["f16"]
        )
        pair = spyreop.COMPARE.build(
            lhs=exp.operands[0],
            rhs=made.results[0],
            predicate="#spyreop.compare_predicate<equal>",
            results=["f16"],
        )
    assert spyreop.SOFTPLUS.attr(made, "beta").value == 2.0
    assert spyreop.COMPARE.operands(pair, "rhs") == [made.results[0]]
    ir.verify(module)
    assert "spyreop.compare <equal> %arg0, %0 : f16" in ir.print_module(module)
