"""The small readers of text: extents, lists, dictionaries, literals, and blanks in linear time."""

from __future__ import annotations

import pytest

from spyrelang.ir import scan
from spyrelang.ir.cursor import Cursor, Malformed
from spyrelang.ir.translate import to_mlir_text, to_public_text


def cursor(text: str) -> Cursor:
    return Cursor(text, lambda pos, found: found)


def test_arrows_and_comparisons_close_nothing() -> None:
    text = 'a<affine_set<(d0) : (d0 >= 0)>, (x) -> y, "q>">, next'
    assert text[: scan.extent(text, 0)] == text.removesuffix(", next")


@pytest.mark.parametrize("text", ["<(>)", "[", "{]", '"open', "(((", "}"])
def test_unbalanced(text: str) -> None:
    with pytest.raises(scan.Unbalanced):
        scan.closing(f"<{text}", 0)


def test_depth_is_capped() -> None:
    deep = scan.MAX_DEPTH + 1
    with pytest.raises(scan.Unbalanced) as caught:
        scan.extent("(" * deep + ")" * deep, 0)
    assert caught.value.deep
    assert scan.extent("(" * (deep - 1) + ")" * (deep - 1), 0) == 2 * (deep - 1)


def test_dictionaries() -> None:
    assert scan.split_dict(' a = {b = 1, c}, "x y" = [1, 2], unit // c, d\n') == {
        "a": "{b = 1, c}",
        '"x y"': "[1, 2]",
        "unit": None,
    }
    for bad in ("a =", "a b", "= 1", "a, a", "a = 1,"):
        with pytest.raises(scan.Unbalanced):
            scan.split_dict(bad)


def test_function_types() -> None:
    c = cursor("(index, vector<4xf16>) -> (index, (f16) -> f16) {")
    assert c.type() == "(index, vector<4xf16>) -> (index, (f16) -> f16)"
    assert c.peek("{")
    assert cursor("() -> index, f16").type() == "() -> index"


@pytest.mark.parametrize(
    "text",
    ['"a" : !x.y', "-3 : i64", "1.5e+3 : f16", "#a.b<c, d>", "@a::@b", "dense<[1, 2]> : t", "[1]"],
)
def test_attributes(text: str) -> None:
    c = cursor(f"{text}, rest")
    assert c.attribute() == text
    assert c.take(",")


def test_words_end_at_a_boundary() -> None:
    c = cursor("ins(x)")
    assert not c.take("in")
    c.expect("ins(")
    with pytest.raises(Malformed):
        c.expect("y")


def test_long_indentation_is_no_trouble() -> None:
    c = cursor(" " * 20_000 + "x")
    assert not c.take("y")
    assert c.values() == []
    assert c.take("x")


@pytest.mark.parametrize(
    ("public", "inner"),
    [
        ("memref<4xf16, #ktdp.memory_space<global>>", "{ktdp.space = #ktdp.memory_space<global>}"),
        ("memref<4x?x!spyreop.df16>", "memref<4x?xtf32>"),
        ("vector<4x!spyreop.df16>", "vector<4xtf32>"),
        ("memref<!dataflow.custom<mxint4>>", "memref<si4>"),
        ("tensor<4x!spyreop.df16>", "tensor<4x!spyreop.df16>"),
        ("!dataflow.custom_vector<4x!dataflow.custom<mxfp4>>", "custom<mxfp4>"),
        ('{a = "memref<4x!spyreop.df16>"}', '"memref<4x!spyreop.df16>"'),
        ("[#ktdp.memory_space<global>, 1]", "[#ktdp.memory_space<global>, 1]"),
    ],
)
def test_spellings_for_mlir_and_back(public: str, inner: str) -> None:
    translated = to_mlir_text(public)
    assert inner in translated
    assert to_public_text(translated) == public


@pytest.mark.parametrize(
    ("odd", "one"),
    [
        ("!dataflow.custom_vector< 4 x f16 >", "!dataflow.custom_vector<4xf16>"),
        ("!dataflow.mxfp<8>", "!dataflow.custom<mxfp8>"),
        ("!dataflow.mxint<3>", "!dataflow.mxint<3>"),
        ("#agen< direction   BothWays >", "#agen<direction BothWays>"),
    ],
)
def test_types_are_brought_into_one_spelling(odd: str, one: str) -> None:
    assert to_mlir_text(odd) == one
