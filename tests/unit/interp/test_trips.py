"""Trips of loops run together where they cannot depend on each other, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.interp import InterpOutcome, compiler, loops, trips
from spyrelang.interp.frame import Frame

from .kit import compiled, kernel, load, rng, store, tile, view

ROWS, COLUMNS = 9, 4
SHAPE, ROW = (ROWS, COLUMNS), (1, COLUMNS)
HEAD = (
    "%id = ktdp.get_compute_tile_id : index\n%n = arith.constant 9 : index\n"
    "%two = arith.constant 2 : index\n%three = arith.constant 3 : index\n"
)


def looped(body: str, start: str = "%c0", step: str = "%c1") -> str:
    head = HEAD + "".join(view(name, SHAPE, "f32") for name in "xoy")
    return head + f"scf.for %i = {start} to %n step {step} {{\n{body}}}\n"


def rows(name: str, at: str, result: str | None = None) -> str:
    return tile(name, SHAPE, ROW, f"{at}, 0", "f32", result)


NEGATE = "%r = arith.negf %xx : tensor<1x4xf32>\n"
LOAD = rows("x", "%i") + load("x", ROW, "f32")

# text, whether trips run together
CASES: dict[str, tuple[str, bool]] = {
    "rows": (looped(LOAD + NEGATE + rows("o", "%i") + store("%r", "o", ROW, "f32")), True),
    "every second row": (
        looped(LOAD + NEGATE + rows("o", "%i") + store("%r", "o", ROW, "f32"), step="%two"),
        True,
    ),
    "rows of each tile": (
        looped(
            LOAD + NEGATE + rows("o", "%i") + store("%r", "o", ROW, "f32"), "%id", step="%three"
        ),
        True,
    ),
    "more rows on some tiles": (
        looped(LOAD + NEGATE + rows("o", "%i") + store("%r", "o", ROW, "f32"), "%id", step="%two"),
        True,
    ),
    "two results, one of them in one place": (
        looped(
            LOAD
            + NEGATE
            + rows("o", "%i")
            + store("%r", "o", ROW, "f32")
            + rows("y", "0")
            + store("%xx", "y", ROW, "f32")
        ),
        True,
    ),
    "in place": (
        looped(LOAD + NEGATE + rows("x", "%i", "w") + store("%r", "w", ROW, "f32")),
        False,
    ),
    "one place": (looped(LOAD + NEGATE + rows("o", "0") + store("%r", "o", ROW, "f32")), True),
    "places that overlap": (
        looped(
            "%h = arith.divui %i, %two : index\n"
            + LOAD
            + NEGATE
            + rows("o", "%h")
            + store("%r", "o", ROW, "f32")
        ),
        True,
    ),
    "two stores": (
        looped(
            "%j = arith.addi %i, %c1 : index\n%k = arith.remui %j, %n : index\n"
            + LOAD
            + NEGATE
            + rows("o", "%i")
            + store("%r", "o", ROW, "f32")
            + rows("o", "%k", "p")
            + store("%xx", "p", ROW, "f32")
        ),
        False,
    ),
    "reads what it wrote": (
        looped(
            "%j = arith.maxsi %i, %c1 : index\n%k = arith.subi %j, %c1 : index\n"
            + rows("o", "%k", "p")
            + load("p", ROW, "f32")
            + LOAD
            + "%r = arith.addf %xx, %px : tensor<1x4xf32>\n"
            + rows("o", "%i")
            + store("%r", "o", ROW, "f32")
        ),
        False,
    ),
    "branches": (
        looped(
            "%m = arith.remui %i, %three : index\n%p = arith.cmpi eq, %m, %c0 : index\n"
            + LOAD
            + NEGATE
            + "scf.if %p {\n"
            + rows("o", "%i")
            + store("%r", "o", ROW, "f32")
            + "}\n"
        ),
        True,
    ),
    "inner loop of as many trips": (
        looped(
            LOAD
            + "%s = scf.for %k = %c0 to %i step %c1 iter_args(%a = %xx) -> (tensor<1x4xf32>) {\n"
            + "%b = arith.addf %a, %xx : tensor<1x4xf32>\nscf.yield %b : tensor<1x4xf32>\n}\n"
            + rows("o", "%i")
            + store("%s", "o", ROW, "f32")
        ),
        True,
    ),
    "inner loop that stores": (
        looped(
            LOAD
            + "scf.for %k = %c0 to %two step %c1 {\n"
            + "%s = arith.addi %i, %k : index\n%m = arith.remui %s, %n : index\n"
            + rows("o", "%m")
            + store("%xx", "o", ROW, "f32")
            + "}\n"
        ),
        True,  # those of the inner loop
    ),
    "carried size": (
        looped(
            LOAD
            + "%w = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %c1) -> (index) {\n"
            + "%q = arith.addi %a, %i : index\nscf.yield %q : index\n}\n"
            + "%z = arith.constant 0.0 : f32\n%e = tensor.splat %z[%w] : tensor<?xf32>\n"
            + "%d = tensor.dim %e, %c0 : tensor<?xf32>\n%f = arith.index_cast %d : index to i32\n"
            + "%g = arith.sitofp %f : i32 to f32\n%h = tensor.splat %g : tensor<1x4xf32>\n"
            + rows("o", "%i")
            + store("%h", "o", ROW, "f32")
        ),
        False,
    ),
}


def results(text: str) -> tuple[np.ndarray, InterpOutcome]:
    x = rng().standard_normal(SHAPE).astype(np.float32)
    o, y = (np.full(SHAPE, 7, np.float32) for _ in range(2))
    outcome = compiled(text).run({"x": x, "o": o, "y": y})
    return np.concatenate([x, o, y]), outcome


def _never(watch: trips.Watch, c: compiler.Compiler) -> None:
    del watch, c


def refusal(text: str) -> str | None:
    """The code of the race for which the text is refused."""
    try:
        results(text)
    except SpyreError as error:
        return error.code
    return None


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("grid", [1, 3])
@pytest.mark.parametrize("few", [0, 8], ids=["many tiles", "few tiles"])
def test_trips_together_change_nothing(
    name: str, grid: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, expected = CASES[name]
    text = kernel(body, "xoy", [grid], roles=dict.fromkeys("xoy", "inout"))
    calls: list[int] = []

    def spy(f: Frame, *args: Any) -> bool:
        calls.append(f.size)
        return trips.run_pairs(f, *args)

    monkeypatch.setattr(loops, "run_pairs", spy)
    monkeypatch.setattr(compiler, "FEW_TILES", few)
    refused = refusal(text) if grid > 1 else None
    if refused is not None:  # all tiles do the same to the same rows
        assert refused in ("SPY566", "SPY567")
        monkeypatch.setattr(trips.Watch, "independent", _never)
        assert refusal(text) == refused
        return
    got, outcome = results(text)
    assert set(calls) == ({1 if few else grid} if expected else set())
    calls.clear()
    monkeypatch.setattr(trips.Watch, "independent", _never)
    want, plain = results(text)
    assert not calls
    np.testing.assert_array_equal(got, want)
    for a, b in zip(outcome.coverage, plain.coverage, strict=True):
        np.testing.assert_array_equal(a.read, b.read)
        np.testing.assert_array_equal(a.written, b.written)
        np.testing.assert_array_equal(a.twice, b.twice)
    assert {w.code for w in outcome.warnings} == {w.code for w in plain.warnings}


def test_arrays_that_are_the_same_run_one_by_one() -> None:
    """x and o are one array: row i + 1 is written before it is read."""
    body = looped(
        "%j = arith.addi %i, %c1 : index\n%k = arith.minsi %j, %m8 : index\n"
        + LOAD
        + rows("o", "%k")
        + store("%xx", "o", ROW, "f32")
    ).replace("scf.for", "%m8 = arith.constant 8 : index\nscf.for", 1)
    x = rng().standard_normal(SHAPE).astype(np.float32)
    first = x[0].copy()
    compiled(kernel(body, "xoy")).run({"x": x, "o": x, "y": np.zeros_like(x)})
    np.testing.assert_array_equal(x, np.tile(first, (ROWS, 1)))


def test_bounds_are_checked_trip_by_trip() -> None:
    body = looped(LOAD + rows("o", "%i") + store("%xx", "o", ROW, "f32")).replace(
        "%n = arith.constant 9", "%n = arith.constant 11"
    )
    with pytest.raises(SpyreError) as caught:
        results(kernel(body, "xoy"))
    assert caught.value.code == "SPY560"
    assert "coordinates 9 to 9" in caught.value.message
