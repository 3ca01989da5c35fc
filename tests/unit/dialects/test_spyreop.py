"""spyreop: both texts of every op, and what is refused."""

from __future__ import annotations

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
