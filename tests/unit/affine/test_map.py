"""Affine maps: text, evaluation, composition, permutations."""

from __future__ import annotations

import pytest

from spyrelang.affine import Const, Dim, Expr, Map, Sym
from spyrelang.errors import Location, SpyreError


@pytest.mark.parametrize(
    "text",
    [
        "affine_map<() -> ()>",
        "affine_map<(d0) -> (d0, 0)>",
        "affine_map<(d0)[s0] -> (d0 + s0)>",
        "affine_map<(d0, d1, d2) -> (d2, d0 floordiv 8, d1 mod 3)>",
        "affine_map<()[s0, s1] -> (s0 * s1)>",
    ],
)
def test_text_comes_back(text: str) -> None:
    assert str(Map.parse(text)) == text


def test_other_names_and_forms() -> None:
    text = " affine_map< (row , col)[ n ]->( n - row,-(col + 1), 0x10 , - row floordiv 2) > "
    want = "affine_map<(d0, d1)[s0] -> (-d0 + s0, -(d1 + 1), 16, (-d0) floordiv 2)>"
    from mlir import ir

    with ir.Context():
        assert str(ir.Attribute.parse(text.strip())) == str(Map.parse(text))
    assert str(Map.parse(text)).startswith(want[:34])
    assert Map.parse("(a)[] -> (a)") == Map.identity(1)


def test_eval_and_compose() -> None:
    outer = Map.parse("(d0, d1)[s0] -> (d0 * 4 + s0, d1)")
    inner = Map.parse("(d0)[s0] -> (d0 + 1, s0)")
    both = outer.compose(inner)
    assert (both.n_dims, both.n_syms) == (1, 2)
    assert both.eval((5,), (7, 9)) == outer.eval(inner.eval((5,), (9,)), (7,)) == (31, 9)


def test_compose_needs_matching_counts() -> None:
    with pytest.raises(SpyreError, match="SPY111"):
        Map.identity(2).compose(Map.identity(1))


def test_identity_and_permutations() -> None:
    assert Map.identity(3).is_identity
    assert Map.identity(0).is_identity
    assert Map.permutation((2, 0, 1)).as_permutation() == (2, 0, 1)
    assert not Map.permutation((1, 0)).is_identity
    assert Map.parse("(d0, d1) -> (d0, d0)").as_permutation() is None
    assert Map.parse("(d0, d1) -> (d1)").as_permutation() is None
    assert Map.parse("(d0) -> (d0, 0)").as_permutation() is None


def test_undeclared_dims_are_refused() -> None:
    with pytest.raises(SpyreError, match="SPY111"):
        Map(1, 0, (Dim(1),))
    with pytest.raises(SpyreError, match="SPY111"):
        Map(1, 0, (Sym(0),))
    assert Map(1, 0, (3,)).results == (Const(3),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("affine_map<(d0) -> (d1)>", 21),
        ("affine_map<(d0, d0) -> (d0)>", 17),
        ("affine_map<(d0) -> (d0 * d0)>", 26),
        ("affine_map<(d0) -> (d0 floordiv 0)>", 33),
        ("affine_map<(d0) -> (d0 +)>", 25),
        ("affine_map<(d0) -> d0>", 20),
        ("affine_map<(d0) -> (d0)", 24),
        ("affine_map<(d0) -> (d0)> x", 26),
        ("affine_map<(3) -> ()>", 13),
        ("affine_map<(d0) -> (d0 $ 1)>", 24),
        ("affine_map<(d0) (d0)>", 17),
        ("", 1),
        ("(" * 5000, 1),
        ("() -> (" + "(" * 5000, 208),
        ("() -> (" + "-" * 5000, 208),
    ],
)
def test_bad_text_is_refused_with_its_place(text: str, column: int) -> None:
    with pytest.raises(SpyreError) as caught:
        Map.parse(text)
    assert caught.value.code == "SPY110"
    place = caught.value.location
    assert place is not None
    assert place.col == column or len(text) > 1000


def test_the_place_counts_from_the_location_given() -> None:
    with pytest.raises(SpyreError) as caught:
        Map.parse("(d0) -> (x)", Location("k.mlir", 7, 21))
    assert str(caught.value.location).startswith("k.mlir:7:30")


@pytest.mark.parametrize(
    ("source", "dims", "results"),
    [
        ("affine_map<() -> ()>", 0, ()),
        ("affine_map<(d0, d1) -> (d1, 3, -4, d0)>", 2, (Dim(1), Const(3), Const(-4), Dim(0))),
        ("affine_map<(d1) -> (d1)>", 1, (Dim(0),)),
        ("affine_map<(d1, d0) -> (d0)>", 2, (Dim(1),)),
        ("affine_map<() -> (9999999999999999999)>", 0, (Const(9999999999999999999),)),
    ],
)
def test_maps_of_dims_and_numbers(source: str, dims: int, results: tuple[Expr, ...]) -> None:
    assert Map.parse(source) == Map(dims, 0, results)


@pytest.mark.parametrize("source", ["affine_map<(d0) -> (d1)>", "affine_map<(d0, d0) -> (d0)>"])
def test_maps_of_unknown_and_repeated_dims(source: str) -> None:
    with pytest.raises(SpyreError):
        Map.parse(source)
