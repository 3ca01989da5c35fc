"""Integer sets: text, membership, boxes, enumeration."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrelang.affine import Dim, Set, Sym
from spyrelang.errors import SpyreError


@pytest.mark.parametrize(
    "text",
    [
        "affine_set<() : (0 == 0)>",
        "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>",
        "affine_set<(d0, d1)[s0] : (d0 - s0 >= 0, d1 - 4 == 0)>",
        "affine_set<(d0) : (d0 mod 2 == 0)>",
    ],
)
def test_text_comes_back(text: str) -> None:
    assert str(Set.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "affine_set<() : ()>",
        "affine_set<(i)[n] : (i >= 0, i <= n - 1)>",
        "affine_set<(i, j) : (3 >= i, i + j == 7 - j, i floordiv 2 <= j ceildiv 3)>",
        "affine_set<(i)[a, b] : (a - 1 >= i, -i <= b)>",
        "affine_set<(i) : (1 == 0)>",
        "affine_set<(i) : (2 >= 5 * i, 4 <= 4)>",
    ],
)
def test_normalised_as_mlir_does(text: str) -> None:
    from mlir import ir

    with ir.Context():
        assert str(Set.parse(text)) == str(ir.Attribute.parse(text))


ROW = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-6, 6), st.booleans())
DIVISIONS = st.tuples(
    st.sampled_from(["mod", "//", "ceil"]),
    st.integers(-2, 2),
    st.integers(2, 4),
    st.integers(-2, 2),
    st.booleans(),
)


def build(rows: list[Any], divisions: list[Any]) -> Set:
    constraints = [(Dim(0) + 4, False), (-Dim(0) + 5, False)]
    constraints += [(Dim(1) + 3, False), (-Dim(1) + 4, False)]
    constraints += [(Dim(0) * a + Dim(1) * b + c, eq) for a, b, c, eq in rows]
    for op, a, by, c, eq in divisions:
        inner = Dim(0) * a + Dim(1)
        whole = {"mod": inner % by, "//": inner // by, "ceil": inner.ceildiv(by)}[op]
        constraints.append((whole + c, eq))
    return Set(2, 0, tuple(constraints))


GRID = list(product(range(-8, 9), repeat=2))


@settings(deadline=None)
@given(st.lists(ROW, max_size=3), st.lists(DIVISIONS, max_size=2))
def test_points_against_brute_force(rows: list[Any], divisions: list[Any]) -> None:
    found = build(rows, divisions)
    want = [p for p in GRID if found.contains(p)]
    assert list(found.points()) == want
    assert found.is_empty() == (not want)
    box = found.bounding_box()
    for point in want:
        assert box is not None
        assert all(lo <= v <= hi for v, (lo, hi) in zip(point, box, strict=True))


FACTOR, CONSTANT = st.integers(-3, 3).filter(bool), st.integers(-6, 6)
SIDE = st.tuples(FACTOR, st.just(0), CONSTANT, st.booleans())
"""A constraint on one dimension: all sets of such are boxes, if they have points."""


@given(st.lists(st.one_of(SIDE, SIDE.map(lambda r: (0, r[0], *r[2:]))), max_size=3))
def test_boxes_against_brute_force(rows: list[Any]) -> None:
    found = build(rows, [])
    box = found.box()
    if box is None:
        assert not list(found.points())
        return
    inside = [p for p in GRID if all(lo <= v <= hi for v, (lo, hi) in zip(p, box, strict=True))]
    assert inside == list(found.points())


def test_membership_of_arrays() -> None:
    even = Set.parse("(d0, d1) : (d0 mod 2 == 0, d1 - d0 >= 0)")
    i, j = np.arange(4)[:, None], np.arange(4)[None, :]
    np.testing.assert_array_equal(even.contains((i, j)), (i % 2 == 0) & (j >= i))


def test_box_of() -> None:
    box = Set.box_of((96, 64))
    assert str(box) == "affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
    assert box.box() == ((0, 95), (0, 63))
    assert box.extents() == (96, 64)
    assert Set.box_of(()).extents() == ()
    assert list(Set.box_of((0, 3)).points()) == []
    assert Set.box_of((0,)).extents() == (0,)


def test_box_with_symbols() -> None:
    box = Set.box_of((Sym(0), 4))
    assert (
        str(box) == "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 3 >= 0)>"
    )
    assert box.box() == ((0, Sym(0) - 1), (0, 3))
    assert box.extents() is None
    assert box.bind((5,)).extents() == (5, 4)
    assert len(list(box.points((2,)))) == 8


def test_between() -> None:
    assert Set.between(((2, 4), (-1, 0))).box() == ((2, 4), (-1, 0))


def test_symbols_only_compare_by_a_constant() -> None:
    assert Set.parse("(i)[n] : (i >= 0, n - i >= 0, n - 1 - i >= 0)").box() == ((0, Sym(0) - 1),)
    assert Set.parse("(i)[n] : (i >= 0, n - i >= 0, 7 - i >= 0)").box() is None


@pytest.mark.parametrize(
    "text",
    [
        "(d0) : (d0 >= 0)",
        "(d0, d1) : (d0 >= 0, d0 <= d1, d1 <= 3, d1 >= 0)",
        "(d0) : (d0 mod 2 == 0, d0 >= 0, d0 <= 4)",
        "(d0)[s0] : (d0 >= 0, d0 <= 3, s0 >= 2)",
    ],
)
def test_not_boxes(text: str) -> None:
    assert Set.parse(text).box() is None


def test_scaled_bounds() -> None:
    assert Set.parse("(i) : (2 * i - 1 >= 0, -3 * i + 10 >= 0)").box() == ((1, 3),)
    assert Set.parse("(i) : (2 * i - 6 == 0)").box() == ((3, 3),)
    assert Set.parse("(i) : (2 * i - 5 == 0)").is_empty()
    box = Set.parse("(i)[n] : (i >= 0, n - 2 * i >= 0)").box()
    assert box == ((0, Sym(0) // 2),)


def test_open_sets() -> None:
    half = Set.parse("(d0) : (d0 - 3 >= 0)")
    with pytest.raises(SpyreError, match="SPY112"):
        list(half.points())
    with pytest.raises(SpyreError, match="SPY112"):
        half.bounding_box()
    assert Set.parse("(d0, d1) : (d0 >= 1, 0 >= d0)").is_empty()
    assert not Set.parse("() : ()").is_empty()
    assert Set.parse("() : (1 == 0)").is_empty()


def test_wrong_number_of_symbols() -> None:
    with pytest.raises(SpyreError, match="SPY111"):
        Set.box_of((Sym(0),)).bind((1, 2))


@pytest.mark.parametrize(
    "text",
    [
        "(d0) : (d0)",
        "(d0) : (d0 > 0)",
        "(d0) : (d0 >= 0",
        "affine_set<(d0) -> (d0)>",
        "(d0) : (s0 == 0)",
    ],
)
def test_bad_text(text: str) -> None:
    with pytest.raises(SpyreError, match="SPY110"):
        Set.parse(text)
