"""Races between tiles, unwritten memory, and which elements were read and written."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang import interp, ir
from spyrelang.errors import SpyreError

from .kit import compiled, kernel, load, rng, run, store, tile, view

IDS = "%id = ktdp.get_compute_tile_id : index\n"


def sample(shape: tuple[int, ...]) -> np.ndarray:
    return rng().standard_normal(shape).astype(np.float16)


def moved(read_at: str, write_at: str, extents: tuple[int, int], target: str = "o") -> str:
    body = IDS + "%two = arith.constant 2 : index\n%d = arith.muli %id, %two : index\n"
    body += "%n = arith.addi %id, %c1 : index\n"
    body += view("x", (8, 3)) + (view("o", (8, 3)) if target == "o" else "")
    body += tile("x", (8, 3), extents, read_at) + load("x", extents)
    body += tile(target, (8, 3), extents, write_at, result="w")
    arguments = ["x", "o"] if target == "o" else ["x"]
    return kernel(body + store("%xx", "w", extents), arguments, [4])


def test_all_tiles_write_one_place() -> None:
    text, out = moved("%id, 0", "0, 0", (1, 3)), sample((8, 3))
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": sample((8, 3)), "o": out})
    assert caught.value.code == "SPY566"
    found = run(text, {"x": np.ones((8, 3), np.float16), "o": out})
    assert [w.code for w in found.warnings if w.code != "SPY575"] == ["SPY566"]
    warning = found.warnings[0]
    assert warning.location is not None
    assert "'o'" in warning.message


def test_overlapping_tiles_write_twice() -> None:
    found = run(moved("%id, 0", "%id, 0", (2, 3)), {"x": sample((8, 3)), "o": sample((8, 3))})
    assert "SPY566" in [w.code for w in found.warnings]
    twice = found.coverage[1].twice
    assert twice[1:4].all()
    assert not twice[0].any()


def test_disjoint_tiles_do_not_race() -> None:
    found = run(moved("%d, 0", "%d, 0", (2, 3)), {"x": sample((8, 3)), "o": sample((8, 3))})
    assert found.warnings == []
    assert not found.coverage[1].twice.any()


def test_reading_what_another_tile_writes() -> None:
    text = moved("%n, 0", "%id, 0", (1, 3), "x")
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": sample((8, 3))})
    assert caught.value.code == "SPY567"
    found = run(text, {"x": np.ones((8, 3), np.float16)})
    assert "SPY567" in [w.code for w in found.warnings]


def test_reading_and_writing_ones_own_rows_is_no_race() -> None:
    found = run(moved("%id, 0", "%id, 0", (1, 3), "x"), {"x": sample((8, 3))})
    assert found.warnings == []


def test_races_across_steps_of_a_loop() -> None:
    """Every tile writes all rows, one a step."""
    body = IDS + "%n = arith.constant 4 : index\n" + view("o", (4, 3))
    body += "%v = arith.constant dense<1.0> : tensor<1x3xf16>\nscf.for %i = %c0 to %n step %c1 {\n"
    body += "%s = arith.addi %i, %id : index\n%m = arith.remui %s, %n : index\n"
    body += tile("o", (4, 3), (1, 3), "%m, 0") + store("%v", "o", (1, 3)) + "}\n"
    found = run(kernel(body, ["o"], [2]), {"o": sample((4, 3))})
    assert [w.code for w in found.warnings] == ["SPY566"]
    assert found.coverage[0].twice.all()


def test_one_tile_may_write_twice() -> None:
    body = (
        view("o", (4,)) + tile("o", (4,), (4,)) + "%v = arith.constant dense<1.0> : tensor<4xf16>\n"
    )
    body += store("%v", "o", (4,)) * 2
    found = run(kernel(body, ["o"]), {"o": sample((4,))})
    assert found.warnings == []
    assert found.coverage[0].twice.all()


def test_coverage_of_reads_and_writes() -> None:
    body = view("x", (8, 3)) + view("o", (8, 3)) + tile("x", (8, 3), (2, 3), "1, 0")
    body += load("x", (2, 3)) + tile("o", (8, 3), (2, 2), "4, 1")
    body += (
        "%s = tensor.extract_slice %xx[0, 0] [2, 2] [1, 1] : tensor<2x3xf16> to tensor<2x2xf16>\n"
    )
    found = run(kernel(body + store("%s", "o", (2, 2))), {"x": sample((8, 3)), "o": sample((8, 3))})
    x, o = found.coverage
    want = np.zeros((8, 3), bool)
    want[1:3] = True
    np.testing.assert_array_equal(x.read, want)
    want = np.zeros((8, 3), bool)
    want[4:6, 1:] = True
    np.testing.assert_array_equal(o.written, want)
    assert not x.complete
    assert not o.complete
    assert [w.code for w in found.warnings] == ["SPY575"]
    assert "20 of 24" in found.warnings[0].message


def out_read_back(role: str) -> str:
    body = view("o", (4,)) + tile("o", (4,), (4,)) + load("o", (4,)) + store("%ox", "o", (4,))
    return kernel(body, ["o"], roles={"o": role})


def test_reading_an_output_before_it_is_written() -> None:
    with pytest.raises(SpyreError) as caught:
        run(out_read_back("out"), {"o": sample((4,))})
    assert caught.value.code == "SPY565"
    run(out_read_back("inout"), {"o": sample((4,))})


def test_reading_an_output_after_it_is_written() -> None:
    body = (
        view("o", (4,)) + tile("o", (4,), (4,)) + "%v = arith.constant dense<3.0> : tensor<4xf16>\n"
    )
    body += store("%v", "o", (4,)) + load("o", (4,)) + "%w = arith.addf %ox, %ox : tensor<4xf16>\n"
    o = sample((4,))
    run(kernel(body + store("%w", "o", (4,)), ["o"], roles={"o": "out"}), {"o": o})
    np.testing.assert_array_equal(o, [6, 6, 6, 6])


def test_device_tensors_keep_track_of_what_is_written() -> None:
    from spyrelang import runtime

    body = view("x", (4,)) + view("o", (4,)) + tile("x", (4,), (4,)) + tile("o", (4,), (4,))
    program = compiled(kernel(body + load("x", (4,)) + store("%xx", "o", (4,))))
    x = runtime.from_numpy(sample((4,)))
    o = runtime.empty((4,), "f16")
    program.run({"x": x, "o": o})
    np.testing.assert_array_equal(o.numpy(), x.numpy())


def test_numerics_modes() -> None:
    module = ir.parse(kernel("", []), guard=False)
    assert interp.compile(module, numerics="df16").numerics == "df16"
    with pytest.raises(SpyreError) as caught:
        interp.compile(module, numerics="exact")
    assert caught.value.code == "SPY823"
