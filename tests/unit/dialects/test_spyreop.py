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


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("%0 = spyreop.exp %b : bf16", "SPY121"),
        ("%0 = spyreop.sqrt %t : tensor<8xf16>", "SPY121"),
        ("%0 = spyreop.gelu %f : f32", "SPY121"),
        ('%0 = "spyreop.silu"(%h) : (f16) -> f32', "SPY127"),
        ('%0 = "spyreop.realdiv"(%h, %f) : (f16, f32) -> f16', "SPY127"),
        ('%0 = "spyreop.realdiv"(%h) : (f16) -> f16', "SPY120"),
        ("%0 = spyreop.softplus %h beta 0.0 threshold 1.0 : f16", "SPY127"),
        ("%0 = spyreop.softplus %h beta -0.0 threshold 1.0 : f16", "SPY127"),
        ("%0 = spyreop.softplus %h beta 2 threshold 1.0 : f16", "SPY101"),
        ("%0 = spyreop.softplus %h threshold 1.0 beta 2.0 : f16", "SPY101"),
        ("%0 = spyreop.softplus %f beta 2.0 threshold 1.0 : f32", "SPY121"),
        ('%0 = "spyreop.softplus"(%h) {beta = 1.0 : f32} : (f16) -> f16', "SPY122"),
        ('%0 = "spyreop.softplus"(%h) {beta = 1.0 : f16, threshold = 1.0 : f32} : (f16) -> f16',
         "SPY123"),
        ("%0 = spyreop.addi32toi32 %i, %i : i32", None),
        ('%0 = "spyreop.muli32toi32"(%l, %l) : (i64, i64) -> i64', "SPY121"),
        ("%0 = spyreop.idx32toaddr %i base 0x1FFFFFFFF stride 4", "SPY101"),
        ('%0 = "spyreop.idx32toaddr"(%i) {stride = 4 : i32} : (i32) -> i32', "SPY127"),
        ('%0 = "spyreop.idx32toaddr"(%i, %i) : (i32, i32) -> i32', "SPY120"),
        ("%0 = spyreop.exx2_fused %h : f16 -> !spyreop.fp32_fused", "SPY127"),
        ("%0 = spyreop.exx2_fused %h : f16 -> f16", "SPY121"),
        ("%0 = spyreop.layernormscale_fused %p : !spyreop.fp16_fused -> f32", "SPY127"),
        ("%0 = spyreop.compare <less> %h, %h : f16", "SPY109"),
        ("%0 = spyreop.compare %h, %h : f16", None),
        ('%0 = "spyreop.compare"(%h, %h) : (f16, f16) -> f16', "SPY122"),
        ("%0 = spyreop.constant 1.0 : bf16", None),
        ("%0 = spyreop.constant 1 : i32", None),
        ('%0 = "spyreop.constant"() {value = 1.0 : f32} : () -> f16', "SPY127"),
        ("%0 = spyreop.slice_reduction %t : tensor<8xf16> -> tensor<8xf16>", "SPY122"),
        ("%0 = spyreop.topk %t : tensor<8xf16>", "SPY102"),
    ],
)  # fmt: skip
def test_refusals(line: str, code: str | None) -> None:
    refused(around(line), code, line=HEAD.count("\n") + 1)


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
