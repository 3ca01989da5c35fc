"""Launch-time values, integer arithmetic, well-formedness."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spyrelang.affine import Const, Dim, FloorDiv
from spyrelang.affine.expr import Add
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p
from spyrelang.isa.arith import OPERATIONS
from spyrelang.isa.symbols import evaluate
from spyrelang.isa.validate import validate

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))
from handmade import Body, executable, machine, word_symbol

LOW = -(2**63)


def kernel(*symbols: p.SymbolValue, inputs: int = 1) -> p.Executable:
    return executable(machine(1), [("spload", (1,), Body().code)], inputs=inputs, symbols=symbols)


def code(exe: p.Executable, values: dict[int, int]) -> str:
    with pytest.raises(SpyreError) as caught:
        evaluate(exe, values)
    return caught.value.code


def test_values_follow_from_inputs_and_earlier_values() -> None:
    twice = p.SymbolValue(-9, Dim(0) + Dim(1), (-3, -1), False, 40)
    assert evaluate(kernel(word_symbol(-3, -1), twice), {-1: 640}) == {-1: 640, -3: 10, -9: 650}


def test_given_values_win_over_expressions() -> None:
    assert evaluate(kernel(word_symbol(-3, -1)), {-3: 7}) == {-3: 7}


def test_what_is_refused() -> None:
    exe = kernel(word_symbol(-3, -1))
    assert code(exe, {}) == "SPY520"
    assert code(exe, {-1: 100}) == "SPY521"
    assert code(exe, {-1: -64}) == "SPY522"
    assert code(exe, {-1: 64 * 2**32}) == "SPY522"
    assert code(exe, {-3: 2**32}) == "SPY522"


def test_a_division_inside_must_be_exact_too() -> None:
    inner = p.SymbolValue(-3, Add(FloorDiv(Dim(0), Const(64)), Const(1)), (-1,))
    assert code(kernel(inner), {-1: 65}) == "SPY521"
    assert evaluate(kernel(replace(inner, exact=False)), {-1: 65})[-3] == 2


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        ("add", (2**63 - 1, 1), LOW),
        ("mul", (2**62, 4), 0),
        ("divsi", (-7, 2), -3),
        ("floordivsi", (-7, 2), -4),
        ("ceildivsi", (7, 2), 4),
        ("remsi", (-7, 2), -1),
        ("remsi", (7, -2), 1),
        ("divui", (-1, 2), 2**63 - 1),
        ("remui", (-1, 16), 15),
        ("divsi", (LOW, -1), LOW),
        ("minui", (-1, 5), 5),
        ("maxui", (-1, 5), -1),
        ("cmp_slt", (-1, 0), 1),
        ("cmp_ult", (-1, 0), 0),
        ("cmp_uge", (-1, 0), 1),
        ("select", (0, 3, 4), 4),
        ("xori", (6, 3), 5),
    ],
)
def test_arithmetic(op: str, operands: tuple[int, ...], expected: int) -> None:
    assert OPERATIONS[op](*operands) == expected


def malformed(*code_: p.Instr, orchestrator: tuple[p.Instr, ...] | None = None) -> None:
    exe = executable(machine(2), [("spload", (2, 3), code_)], orchestrator=orchestrator, inputs=1)
    with pytest.raises(SpyreError) as caught:
        validate(exe)
    assert caught.value.code == "SPY524"


def test_malformed_programs_are_refused() -> None:
    one = p.Const(0, 0, 1)
    malformed(p.Arith(0, 1, "add", (0, 0)))
    malformed(one, p.Arith(0, 1, "pow", (0, 0)))
    malformed(one, p.Arith(0, 1, "select", (0, 0)))
    malformed(p.Table(0, 0, (1, 2, 3)))
    malformed(p.Symbol(0, 0, (-7,)))
    malformed(one, p.View(0, 1, (9,), 0, 1, (4,), (1,), 0, "f16"))
    malformed(one, p.View(0, 1, (0,), 0, 1, (4, 4), (1,), 0, "f16"))
    malformed(p.Receive(0, 0, (99,), "f16", 64))
    malformed(one, p.For(0, 1, 0, 0, 0, (), (0,), (2,), (), ()))
    malformed(one, p.If(0, 0, (p.Const(0, 1, 1),), (), (1,), (), (2,)))
    malformed(p.If(0, 0, ()))
    malformed(one, p.If(0, 0, (p.Const(0, 1, 1),)), p.Arith(0, 2, "add", (1, 1)))
    malformed(orchestrator=(p.Call(0, 3),))
    malformed(orchestrator=(p.Const(0, 0, 1), p.Call(0, 0, (0,))))


def test_a_unit_with_two_bodies_is_refused() -> None:
    exe = executable(machine(2), [("spload", (2,), ()), ("spload", (2,), ())])
    with pytest.raises(SpyreError) as caught:
        validate(exe)
    assert caught.value.code == "SPY524"
