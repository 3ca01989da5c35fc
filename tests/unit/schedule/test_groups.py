"""Which stores share a program, what may be reordered, and what happens in place."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.schedule.model import CallProgram, OrchestratorLoop

from .ktir import execute, kernel, load, programs, store, view

S = (4, 64)
T = "tensor<4x64xf16>"
RNG = np.random.default_rng(3)


def data(*shape: int) -> np.ndarray:
    return RNG.integers(-8, 8, shape).astype(np.float16)


def full(value: str, of: str) -> str:
    return load(value, of, S, "%c0, %c0", S)


def put(value: str, of: str) -> str:
    return store(value, of, S, "%c0, %c0", S)


def views(names: str) -> list[str]:
    return [view(f"{n}v", f"%{n}", S) for n in names.split()]


def text(names: str, *lines: str) -> str:
    return kernel(names, *views(names), *lines)


def test_outputs_that_share_loads_share_a_program() -> None:
    source = text(
        "a b p q",
        full("x", "av"),
        full("y", "bv"),
        f"%s = arith.addf %x, %y : {T}",
        f"%d = arith.subf %x, %y : {T}",
        put("s", "pv"),
        put("d", "qv"),
    )
    a, b, p, q = (data(*S) for _ in range(4))
    k = execute(source, a, b, p, q)
    assert np.array_equal(p, a + b)
    assert np.array_equal(q, a - b)
    (program,) = k.programs
    assert [o.role for o in program.operands] == ["in", "in", "out", "out"]
    assert program.body.results == (2, 3)
    assert k.no_share == ((2, 3),)


def test_stored_value_used_again() -> None:
    source = text(
        "a p q",
        full("x", "av"),
        f"%s = arith.addf %x, %x : {T}",
        put("s", "pv"),
        f"%m = arith.mulf %s, %s : {T}",
        put("m", "qv"),
    )
    a, p, q = (data(*S) for _ in range(3))
    k = execute(source, a, p, q)
    assert np.array_equal(p, a + a)
    assert np.array_equal(q, (a + a) * (a + a))
    assert len(k.programs) == 1
    assert len(k.programs[0].body.ops) == 2


def test_unrelated_stores_are_two_programs() -> None:
    k = programs(text("a b p q", full("x", "av"), put("x", "pv"), full("y", "bv"), put("y", "qv")))
    assert len(k.programs) == 2
    assert [op.addresses for op in k.orchestrator if isinstance(op, CallProgram)] == [
        (0, 2),
        (1, 3),
    ]


def test_stores_of_other_boxes_are_two_programs_and_recompute() -> None:
    row = "tensor<64xf16>"
    source = kernel(
        "a p q",
        *views("a p"),
        view("qv", "%q", (64,)),
        full("x", "av"),
        f"%s = arith.addf %x, %x : {T}",
        put("s", "pv"),
        f"%r = tensor.extract_slice %s[2, 0] [1, 64] [1, 1] : {T} to {row}",
        store("r", "qv", (64,), "%c0", (64,)),
    )
    a, p, q = data(*S), data(*S), data(64)
    k = execute(source, a, p, q)
    assert np.array_equal(p, a + a)
    assert np.array_equal(q, (a + a)[2])
    assert [len(program.body.ops) for program in k.programs] == [1, 1]
    assert (0, 1) in k.no_share  # a is read again after p was written


def test_memory_between_programs() -> None:
    """p is written, then read: two programs, in that order."""
    source = text(
        "a p q",
        full("x", "av"),
        f"%s = arith.addf %x, %x : {T}",
        put("s", "pv"),
        full("y", "pv"),
        f"%z = arith.mulf %y, %x : {T}",
        put("z", "qv"),
    )
    a, p, q = (data(*S) for _ in range(3))
    k = execute(source, a, p, q)
    assert len(k.programs) == 2
    assert np.array_equal(q, (a + a) * a)


def test_swap_is_one_program() -> None:
    source = text("a b", full("x", "av"), full("y", "bv"), put("y", "av"), put("x", "bv"))
    a, b = data(*S), data(*S)
    first, second = a.copy(), b.copy()
    k = execute(source, a, b)
    assert len(k.programs) == 1
    assert not k.programs[0].whole_tile
    assert np.array_equal(a, second)
    assert np.array_equal(b, first)


def test_overwritten_value_is_recomputed_before_or_refused() -> None:
    """x's row 0 is overwritten before all of x is copied, and the boxes differ."""
    row = "tensor<64xf16>"
    source = kernel(
        "a p",
        *views("a p"),
        full("x", "av"),
        f"%r = tensor.extract_slice %x[1, 0] [1, 64] [1, 1] : {T} to {row}",
        f"%re = tensor.expand_shape %r [[0, 1]] output_shape [1, 64] : {row} into tensor<1x64xf16>",
        store("re", "av", S, "%c0, %c0", (1, 64)),
        put("x", "pv"),
    )
    with pytest.raises(SpyreError) as caught:
        programs(source)
    assert caught.value.code == "SPY419"
    assert caught.value.location is not None
    assert [note.location is not None for note in caught.value.notes] == [True, True]


def test_store_elsewhere_does_not_matter() -> None:
    source = kernel(
        "a p",
        *views("a p"),
        load("x", "av", S, "%c0, %c0", (2, 64)),
        load("y", "av", S, "%c2, %c0", (2, 64)),
        store("y", "av", S, "%c2, %c0", (2, 64)),
        store("x", "pv", S, "%c0, %c0", (2, 64)),
    )
    a, p = data(*S), data(*S)
    execute(source, a, p)
    assert np.array_equal(p[:2], a[:2])


# --- in place ------------------------------------------------------------------------------------


def test_same_elements_in_place() -> None:
    source = text("a", full("x", "av"), f"%z = arith.addf %x, %x : {T}", put("z", "av"))
    a = data(*S)
    before = a.copy()
    k = execute(source, a)
    assert np.array_equal(a, before + before)
    assert not k.programs[0].whole_tile
    assert k.params[0].role == "inout"
    assert [o.name for o in k.programs[0].operands] == ["arg0", "arg0_1"]


def shift_text(cores: int = 1, step: str = "%c0", space: str = "global", base: str = "%a") -> str:
    """a[r : r + 64] = a[r + 1 : r + 65], r = 64 * core (or 0)."""
    shape, part = (64 * cores + 1,), (64,)
    one = "%one = arith.addi %r, %c1 : index"
    return kernel(
        "a",
        "%id = ktdp.get_compute_tile_id : index",
        f"%r = arith.muli %id, {step} : index",
        one,
        view("av", base, shape, space=space),
        load("x", "av", shape, "%one", part),
        store("x", "av", shape, "%r", part),
        grid=(cores,),
    )


def test_shifted_in_place_stages_the_whole_tile() -> None:
    a = data(65)
    before = a.copy()
    k = execute(shift_text(), a)
    assert np.array_equal(a[:64], before[1:])
    assert k.programs[0].whole_tile


def test_transposed_in_place_stages_the_whole_tile() -> None:
    t = "tensor<32x32xf16>"
    source = kernel(
        "a",
        view("av", "%a", (32, 32)),
        load("x", "av", (32, 32), "%c0, %c0", (32, 32)),
        f"%e = tensor.empty() : {t}",
        f"%z = linalg.transpose ins(%x : {t}) outs(%e : {t}) permutation = [1, 0]",
        store("z", "av", (32, 32), "%c0, %c0", (32, 32)),
    )
    a = data(32, 32)
    before = a.copy()
    k = execute(source, a)
    assert np.array_equal(a, before.T)
    assert k.programs[0].whole_tile


@pytest.mark.parametrize(
    ("source", "word"),
    [
        (shift_text(cores=2, step="%c64"), "another one"),
        (shift_text(space="ct_local", base="%c0"), "scratchpad"),
    ],
)
def test_in_place_that_cannot_be_ordered(source: str, word: str) -> None:
    with pytest.raises(SpyreError) as caught:
        programs(source)
    assert caught.value.code == "SPY418"
    assert word in caught.value.message


def test_core_that_loads_what_another_stores() -> None:
    """Each core copies the part of its neighbour: no overlap on one core, a race between two."""
    shape, part = (192,), (64,)
    source = kernel(
        "a",
        "%id = ktdp.get_compute_tile_id : index",
        "%r = arith.muli %id, %c64 : index",
        "%q = arith.addi %r, %c64 : index",
        view("av", "%a", shape),
        load("x", "av", shape, "%q", part),
        store("x", "av", shape, "%r", part),
        grid=(2,),
    )
    with pytest.raises(SpyreError) as caught:
        programs(source)
    assert caught.value.code == "SPY418"
    programs(source.replace("grid = [2]", "grid = [1]"))


def test_shift_by_a_whole_part_needs_nothing() -> None:
    """Rows 0-1 are written from rows 2-3: no overlap."""
    source = kernel(
        "a",
        view("av", "%a", S),
        load("x", "av", S, "%c2, %c0", (2, 64)),
        store("x", "av", S, "%c0, %c0", (2, 64)),
    )
    assert not programs(source).programs[0].whole_tile


def test_shift_in_a_loop_is_not_absorbed() -> None:
    """for r: a[r] = a[r + 1]: the next iteration writes what this one reads."""
    source = kernel(
        "a",
        view("av", "%a", S),
        "scf.for %r = %c0 to %c3 step %c1 {",
        "%q = arith.addi %r, %c1 : index",
        load("x", "av", S, "%q, %c0", (1, 64)),
        store("x", "av", S, "%r, %c0", (1, 64)),
        "}",
    )
    a = data(*S)
    before = a.copy()
    k = execute(source, a)
    assert isinstance(k.orchestrator[0], OrchestratorLoop)
    assert np.array_equal(a, np.vstack([before[1:], before[3:]]))


def test_disjoint_steps_in_a_loop_are_absorbed() -> None:
    """for r in 0, 2: a[r] = a[r + 1]."""
    source = kernel(
        "a",
        view("av", "%a", S),
        "scf.for %r = %c0 to %c4 step %c2 {",
        "%q = arith.addi %r, %c1 : index",
        load("x", "av", S, "%q, %c0", (1, 64)),
        store("x", "av", S, "%r, %c0", (1, 64)),
        "}",
    )
    (program,) = programs(source).programs
    assert len(program.outer) == 1
    assert not program.whole_tile


def test_value_loaded_before_a_loop_that_overwrites_it() -> None:
    """x is loaded once, but every iteration changes row 0 of it."""
    source = kernel(
        "a p",
        *views("a p"),
        load("x", "av", S, "%c0, %c0", (1, 64)),
        "scf.for %r = %c0 to %c4 step %c1 {",
        "%z = arith.addf %x, %x : tensor<1x64xf16>",
        store("z", "av", S, "%c0, %c0", (1, 64)),
        "}",
    )
    with pytest.raises(SpyreError) as caught:
        programs(source)
    assert caught.value.code == "SPY419"


def test_value_loaded_before_a_loop() -> None:
    source = kernel(
        "a w p",
        *views("a p"),
        view("wv", "%w", (64,)),
        load("w1", "wv", (64,), "%c0", (64,)),
        "%we = tensor.expand_shape %w1 [[0, 1]] output_shape [1, 64] "
        ": tensor<64xf16> into tensor<1x64xf16>",
        "scf.for %r = %c0 to %c4 step %c1 {",
        load("x", "av", S, "%r, %c0", (1, 64)),
        "%z = arith.mulf %x, %we : tensor<1x64xf16>",
        store("z", "pv", S, "%r, %c0", (1, 64)),
        "}",
    )
    a, w, p = data(*S), data(64), data(*S)
    k = execute(source, a, w, p)
    assert np.array_equal(p, a * w)
    assert len(k.programs[0].outer) == 1
    assert k.no_share == ((1, 2),)


def test_constant_addresses_that_overlap() -> None:
    """Two views at addresses 0 and 32 share 32 elements: programs keep their order."""
    source = kernel(
        "a p",
        *views("a p"),
        "%c32 = arith.constant 32 : index",
        view("u", "%c0", (64,)),
        view("w", "%c32", (64,)),
        load("x", "u", (64,), "%c0", (64,)),
        store("x", "w", (64,), "%c0", (64,)),
    )
    assert programs(source).programs[0].whole_tile
    apart = source.replace("arith.constant 32", "arith.constant 64")
    assert not programs(apart).programs[0].whole_tile
