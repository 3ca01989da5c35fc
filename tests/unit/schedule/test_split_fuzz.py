"""Random kernels: what the split programs compute, in any order that the schedule allows, is what
the kernel says."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.schedule.model import Kernel, Program

from .ktir import Machine, kernel, load, programs, store, view

LENGTH = 24
ARRAYS = ("a", "b")


@dataclass
class Move:
    """One load, add or store; `at` is (factor of the loop variable, constant)."""

    what: str
    names: tuple[str, ...]
    array: str = ""
    at: tuple[int, int] = (0, 0)
    extent: int = 4


@dataclass
class Block:
    trips: int
    moves: list[Move | Block] = field(default_factory=list["Move | Block"])


def generate(rng: random.Random) -> Block:
    """A body with up to two loops in a row, values of one extent each."""
    names = (f"v{i}" for i in itertools.count())
    top = Block(1)
    outside: list[tuple[str, int]] = []
    for _ in range(rng.randint(1, 2)):
        _fill(rng, top, names, outside, looped=False)
        loop = Block(rng.randint(2, 3))
        _fill(rng, loop, names, list(outside), looped=True)
        top.moves.append(loop)
    return top


def _fill(rng: random.Random, block: Block, names, known: list[tuple[str, int]], looped) -> None:
    for _ in range(rng.randint(1, 4)):
        what = rng.choice(["load", "add", "store", "store"]) if known else "load"
        if what == "load":
            extent = rng.choice([4, 4, 8])
            name = next(names)
            known.append((name, extent))
            block.moves.append(
                Move("load", (name,), rng.choice(ARRAYS), _spot(rng, looped, extent), extent)
            )
            continue
        name, extent = rng.choice(known)
        if what == "add":
            other = rng.choice([n for n, e in known if e == extent])
            result = next(names)
            known.append((result, extent))
            block.moves.append(Move("add", (result, name, other), extent=extent))
        else:
            block.moves.append(
                Move("store", (name,), rng.choice(ARRAYS), _spot(rng, looped, extent), extent)
            )


def _spot(rng: random.Random, looped: bool, extent: int) -> tuple[int, int]:
    factor = rng.choice([0, 1, 4, 4]) if looped else 0
    return factor, rng.choice([0, 0, 1, 4, LENGTH - extent - 2 * factor])


def text_of(top: Block) -> str:
    lines = [view(f"{n}v", f"%{n}", (LENGTH,)) for n in ARRAYS]
    counter = itertools.count()

    def emit(block: Block, iv: str) -> None:
        for move in block.moves:
            if isinstance(move, Block):
                name = f"%i{next(counter)}"
                lines.append(f"%n{next(counter)} = arith.constant {move.trips} : index")
                lines.append(f"scf.for {name} = %c0 to {lines[-1].split()[0]} step %c1 {{")
                emit(move, name)
                lines.append("}")
                continue
            shape, extents = (LENGTH,), (move.extent,)
            factor, constant = move.at
            where = f"{iv} * {factor} + {constant}" if factor else f"{constant}"
            if move.what == "load":
                lines.append(load(move.names[0], f"{move.array}v", shape, where, extents))
            elif move.what == "store":
                lines.append(store(move.names[0], f"{move.array}v", shape, where, extents))
            else:
                r, x, y = move.names
                lines.append(f"%{r} = arith.addf %{x}, %{y} : tensor<{move.extent}xf16>")

    emit(top, "")
    return kernel(" ".join(ARRAYS), *lines)


def reference(top: Block, arrays: dict[str, np.ndarray]) -> None:
    values: dict[str, np.ndarray] = {}

    def run(block: Block, iv: int) -> None:
        for move in block.moves:
            if isinstance(move, Block):
                for i in range(move.trips):
                    run(move, i)
                continue
            start = move.at[0] * iv + move.at[1]
            spot = slice(start, start + move.extent)
            if move.what == "load":
                values[move.names[0]] = arrays[move.array][spot].copy()
            elif move.what == "store":
                arrays[move.array][spot] = values[move.names[0]]
            else:
                values[move.names[0]] = values[move.names[1]] + values[move.names[2]]

    run(top, 0)


class Shuffled(Machine):
    """Runs the points and absorbed iterations of a program in random order, each one completely;
    a `whole_tile` program loads all points of an iteration first."""

    def __init__(self, kernel: Kernel, arrays: list[np.ndarray], rng: random.Random) -> None:
        super().__init__(kernel, arrays)
        self._rng = rng

    def _outer(self, program: Program, addresses, env: list[int], depth: int) -> None:
        envs = [env]
        for loop in program.outer:
            envs = [
                [*e, iv]
                for e in envs
                for iv in range(loop.lower.eval((), e), loop.upper.eval((), e), loop.step)
            ]
        shape = [dim.extent for dim in program.dims]
        jobs = [(e, None) for e in envs]
        if not program.whole_tile:
            jobs = [(e, p) for e in envs for p in itertools.product(*map(range, shape))]
        self._rng.shuffle(jobs)
        for e, point in jobs:
            self._only = point
            self._program(program, addresses, e)

    def _addresses(self, operand, env, points, shape) -> np.ndarray:
        everything = super()._addresses(operand, env, points, shape)
        return everything if self._only is None else everything[self._only]


def scheduled(seed: int, share: bool) -> str:
    """Compare one kernel; says what happened."""
    rng = random.Random(seed)
    top = generate(rng)
    data = {n: np.array(rng.sample(range(64), LENGTH), np.float16) for n in ARRAYS}
    if share:
        data["b"] = data["a"]
    wanted = {n: data[n].copy() for n in ARRAYS}
    if share:
        wanted["b"] = wanted["a"]
    reference(top, wanted)
    try:
        found = programs(text_of(top))
    except SpyreError as error:
        return error.code
    if share and found.no_share:
        return "not shared"
    Shuffled(found, [data[n] for n in ARRAYS], rng).run()
    for name in ARRAYS:
        assert np.array_equal(data[name], wanted[name]), f"seed {seed}: {name}"
    return "ok"


@pytest.mark.parametrize("share", [False, True])
def test_random_kernels(share: bool) -> None:
    seen = [scheduled(seed, share) for seed in range(60)]
    assert set(seen) <= {"ok", "SPY418", "SPY419", "not shared"}
    assert seen.count("ok") >= 6
