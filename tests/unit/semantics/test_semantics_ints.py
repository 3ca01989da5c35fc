"""Integer arithmetic against Python's integers, at every width."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantics_reference import INTS, bind

from spyrelang.semantics import dtypes
from spyrelang.semantics.ints import PREDICATES


def signed(code: int, width: int) -> int:
    code &= (1 << width) - 1
    return code - (1 << width) if code >> width - 1 else code


def truncated(a: int, b: int) -> int:
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return 0 if b == 0 else a - b * truncated(a, b)


def floor(a: int, b: int) -> int:
    return 0 if b == 0 else a // b


def ceil(a: int, b: int) -> int:
    return 0 if b == 0 else -(-a // b)


SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "divsi": truncated,
    "floordivsi": floor,
    "ceildivsi": ceil,
    "remsi": remainder,
    "maxsi": max,
    "minsi": min,
}
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": floor,
    "ceildivui": ceil,
    "remui": remainder,
    "maxui": max,
    "minui": min,
}


def codes(dtype: str, seed: int) -> list[int]:
    width = dtypes.get(dtype).bits
    rng = np.random.default_rng(seed)
    edges = [
        0,
        1,
        2,
        3,
        7,
        (1 << width) - 1,
        1 << width - 1,
        (1 << width - 1) - 1,
        (1 << width) - 2,
    ]
    some = [int(c) for c in rng.integers(0, 1 << 63, 25, dtype=np.uint64) * 2 + 1]
    return sorted({c & ((1 << width) - 1) for c in edges + some})


def grid(dtype: str) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """All pairs of interesting codes, as arrays and as codes."""
    pairs = [(a, b) for a in codes(dtype, 0) for b in codes(dtype, 1)]
    a, b = zip(*pairs, strict=True)
    return make(a, dtype), make(b, dtype), pairs


def make(values, dtype: str) -> np.ndarray:
    kind = dtypes.get(dtype)
    if dtype == "i1":
        return np.array([v & 1 for v in values], np.bool_)
    return np.array(list(values), np.uint64).astype(f"u{kind.bytes}").view(kind.numpy)


def as_codes(values: np.ndarray, dtype: str) -> list[int]:
    return [int(v) & ((1 << dtypes.get(dtype).bits) - 1) for v in values]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", [*SIGNED, *UNSIGNED])
def test_binary(op, dtype):
    a, b, pairs = grid(dtype)
    width = dtypes.get(dtype).bits
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = bind(f"arith.{op}", f"{dtype} {dtype}", dtype)(a, b)
    assert got.dtype == a.dtype
    for (x, y), z in zip(pairs, as_codes(got, dtype), strict=True):
        if op in SIGNED:
            want = SIGNED[op](signed(x, width), signed(y, width))
        else:
            want = UNSIGNED[op](x, y)
        assert z == want & ((1 << width) - 1), (op, dtype, x, y)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ["shli", "shrui", "shrsi"])
def test_shifts(op, dtype):
    a, b, pairs = grid(dtype)
    width = dtypes.get(dtype).bits
    small = make([y % (width + 2) for _, y in pairs], dtype)
    for amounts in (b, small):
        got = bind(f"arith.{op}", f"{dtype} {dtype}", dtype)(a, amounts)
        by = as_codes(amounts, dtype)
        for (x, _), y, z in zip(pairs, by, as_codes(got, dtype), strict=True):
            if y >= width:
                want = 0
            else:
                want = {"shli": x << y, "shrui": x >> y, "shrsi": signed(x, width) >> y}[op]
            assert z == want & ((1 << width) - 1), (op, dtype, x, y)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("number", range(10))
def test_comparisons(number, dtype):
    a, b, pairs = grid(dtype)
    name, width = PREDICATES[number], dtypes.get(dtype).bits
    got = bind("arith.cmpi", f"{dtype} {dtype}", "i1", predicate=number)(a, b)
    for (x, y), z in zip(pairs, got, strict=True):
        p, q = (x, y) if name[0] == "u" else (signed(x, width), signed(y, width))
        relation = name if name in ("eq", "ne") else name[1:]
        want = {"eq": p == q, "ne": p != q, "lt": p < q, "le": p <= q, "gt": p > q, "ge": p >= q}
        assert z == want[relation], (name, dtype, x, y)


@pytest.mark.parametrize("dtype", INTS)
def test_two_results(dtype):
    a, b, pairs = grid(dtype)
    width = dtypes.get(dtype).bits
    mask = (1 << width) - 1
    total, carry = bind("arith.addui_extended", f"{dtype} {dtype}", f"{dtype} i1")(a, b)
    ul, uh = bind("arith.mului_extended", f"{dtype} {dtype}", f"{dtype} {dtype}")(a, b)
    sl, sh = bind("arith.mulsi_extended", f"{dtype} {dtype}", f"{dtype} {dtype}")(a, b)
    columns = [as_codes(v, dtype) for v in (total, ul, uh, sl, sh)]
    for k, (x, y) in enumerate(pairs):
        s, u, v = x + y, x * y, signed(x, width) * signed(y, width)
        want = [s & mask, u & mask, u >> width & mask, v & mask, v >> width & mask]
        assert [c[k] for c in columns] == want, (dtype, x, y)
        assert carry[k] == s >> width


@pytest.mark.parametrize("dtype", INTS)
def test_bit_counts_and_magnitude(dtype):
    width = dtypes.get(dtype).bits
    values = codes(dtype, 2)
    x = make(values, dtype)
    ones, lead, trail, size = (
        as_codes(bind(f"math.{op}", dtype, dtype)(x), dtype)
        for op in ("ctpop", "ctlz", "cttz", "absi")
    )
    mask = (1 << width) - 1
    for v, *got in zip(values, ones, lead, trail, size, strict=True):
        low = (v & -v).bit_length() - 1 if v else width
        want = [v.bit_count(), width - v.bit_length(), low, abs(signed(v, width))]
        assert got == [w & mask for w in want], (dtype, v)


@settings(max_examples=200, deadline=None)
@given(st.integers(-(2**31), 2**31 - 1), st.integers(-5, 70))
def test_integer_power(base, exponent):
    got = bind("math.ipowi", "i32 i32", "i32")(
        np.array([base], np.int32), np.array([exponent], np.int32)
    )
    if exponent >= 0:
        want = signed(base**exponent, 32)
    else:
        want = base ** (-exponent % 2) if abs(base) == 1 else 0
    assert got[0] == want


def test_broadcast_and_scalars():
    add = bind("arith.addi", "index index", "index")
    assert add(np.array(3), np.array([1, 2])).tolist() == [4, 5]
    wrapped = bind("arith.addi", "i32 i32", "i32")(
        np.array(2**31 - 1, np.int32), np.array(1, np.int32)
    )
    assert wrapped.shape == ()
    assert wrapped == -(2**31)
