"""Expressions: construction, spelling, evaluation, substitution, coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyrelang.affine import CeilDiv, Const, Dim, Expr, FloorDiv, Linear, Mod, Sym, parse_expr
from spyrelang.errors import SpyreError

LEAVES = ("d0", "d1", "s0", "-3", "-1", "0", "1", "2", "4", "6", "d0 * 4", "d1 * -1")


def combine(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.tuples(st.sampled_from(["+", "-"]), children, children),
        st.tuples(
            st.sampled_from(["*", "floordiv", "ceildiv", "mod"]),
            children,
            st.sampled_from(["1", "2", "3", "4", "8", "12"]),
        ),
        st.tuples(st.just("*"), children, st.sampled_from(["-1", "-2", "0", "s0"])),
        st.tuples(st.just("floordiv"), children, st.sampled_from(["s0", "-2", "-1"])),
    )


TREES = st.recursive(st.sampled_from(LEAVES), combine, max_leaves=8)


def as_text(tree: Any) -> str:
    if isinstance(tree, str):
        return tree
    op, a, b = tree
    return f"({as_text(a)}) {op} ({as_text(b)})"


def brute(tree: Any, d: tuple[int, int], s: int) -> int:
    if isinstance(tree, str):
        return int(eval(tree, {}, {"d0": d[0], "d1": d[1], "s0": s}))
    op, ta, tb = tree
    a, b = brute(ta, d, s), brute(tb, d, s)
    return {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "floordiv": lambda: a // b,
        "ceildiv": lambda: -(-a // b),
        "mod": lambda: a % b,
    }[op]()


NAMES = {"d0": Dim(0), "d1": Dim(1), "s0": Sym(0)}
SMALL = st.integers(-20, 20)


def read(tree: Any) -> Expr:
    return parse_expr(as_text(tree), NAMES)


@given(TREES, SMALL, SMALL, st.integers(1, 9))
def test_simplification_keeps_the_value(tree: Any, a: int, b: int, s: int) -> None:
    assert read(tree).eval((a, b), (s,)) == brute(tree, (a, b), s)


@given(TREES)
def test_spelling_is_mlirs(tree: Any) -> None:
    from mlir import ir

    text = f"affine_map<(d0, d1)[s0] -> ({as_text(tree)})>"
    with ir.Context():
        theirs = str(ir.Attribute.parse(text))
    assert f"affine_map<(d0, d1)[s0] -> ({read(tree)})>" == theirs


@given(TREES, SMALL, SMALL, st.integers(1, 9))
def test_printed_text_reads_as_the_same_function(tree: Any, a: int, b: int, s: int) -> None:
    again = parse_expr(str(read(tree)), NAMES)
    assert again.eval((a, b), (s,)) == brute(tree, (a, b), s)


@given(TREES)
def test_equal_text_gives_equal_expressions(tree: Any) -> None:
    assert read(tree) == read(tree)
    assert hash(read(tree)) == hash(read(tree))


@given(TREES, SMALL, SMALL, st.integers(1, 9))
def test_substitution_composes(tree: Any, a: int, b: int, s: int) -> None:
    moved = read(tree).substitute((Dim(1) * 2 + 1, Dim(0) - Sym(0)))
    assert moved.eval((a, b), (s,)) == brute(tree, (b * 2 + 1, a - s), s)


@given(TREES)
def test_arrays_evaluate_element_by_element(tree: Any) -> None:
    d0, d1 = np.arange(-4, 5)[:, None], np.arange(-3, 4)[None, :]
    got = np.broadcast_to(read(tree).eval((d0, d1), (np.int64(3),)), (9, 7))
    want = [[brute(tree, (i, j), 3) for j in range(-3, 4)] for i in range(-4, 5)]
    np.testing.assert_array_equal(got, want)


@given(TREES, SMALL, SMALL, st.integers(1, 9))
def test_linear_coefficients_give_the_value(tree: Any, a: int, b: int, s: int) -> None:
    linear = read(tree).linear()
    if linear is None:
        return
    total = linear.constant + sum(c * (a, b)[i] for i, c in linear.dims.items())
    assert total + sum(c * s for c in linear.syms.values()) == brute(tree, (a, b), s)


def test_canonical_order() -> None:
    assert str(63 - Dim(0)) == "-d0 + 63"
    assert str(2 * Dim(0) + Dim(1)) == "d0 * 2 + d1"
    assert str(Sym(0) + Dim(0)) == "d0 + s0"
    assert str((Dim(0) + 2) + Dim(1) + 3) == "d0 + d1 + 5"
    assert str(Dim(0) - Dim(1) * 3) == "d0 - d1 * 3"
    assert str(Dim(1) + Dim(0)) == "d0 + d1"
    assert str(Dim(2) + Dim(1) + Dim(0)) == "d1 + d2 + d0"
    assert str(Sym(1) * Sym(0) * 2 + Dim(0)) == "d0 + (s0 * s1) * 2"
    assert str(Dim(1) * 2 + Dim(0)) == "d1 * 2 + d0"
    assert str((Dim(0) * 128) // 64) == "d0 * 2"
    assert (Dim(0) * 128) % 64 == Const(0)
    assert Dim(0) - Dim(0) // 8 * 8 == Dim(0) % 8


def test_nodes_that_stay() -> None:
    assert isinstance(Dim(0) // 3, FloorDiv)
    assert isinstance(Dim(0).ceildiv(3), CeilDiv)
    assert isinstance(Dim(0) % Sym(0), Mod)
    assert (Dim(0) * Sym(0)).linear() is None
    assert (Dim(0) * 2 + Sym(1) * 3 - 4).linear() == Linear({0: 2}, {1: 3}, -4)


def test_used_dims_and_symbols() -> None:
    expr = (Dim(2) + Sym(1)) % 4
    assert expr.dims() == {2}
    assert expr.syms() == {1}
    assert not expr.is_symbolic
    assert (Sym(0) + 1).is_symbolic


def test_other_names() -> None:
    assert (Dim(0) * 2 + Sym(0)).render(["%row"], ["%n"]) == "%row * 2 + %n"


@pytest.mark.parametrize(
    "build",
    [
        lambda: Dim(0) * Dim(1),
        lambda: Dim(0) // Dim(1),
        lambda: Dim(0) % Dim(1),
        lambda: Dim(0).ceildiv(Dim(0)),
        lambda: Dim(0) // 0,
        lambda: Dim(0) % -2,
        lambda: (Dim(0) * Sym(0)).substitute((), (Dim(1),)),
        lambda: (Dim(0) // Sym(0)).eval((4,), (0,)),
    ],
)
def test_what_is_not_affine_is_refused(build: Any) -> None:
    with pytest.raises(SpyreError, match="SPY111") as caught:
        build()
    assert isinstance(caught.value, ValueError)
