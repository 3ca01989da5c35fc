"""Random kernels of reductions, products, gathers, loops and branches, as Python source.

One source is run twice: by spyrelang, and by numpy one tile after the other (`Numpy` stands for
`spyrelang.language`). All values are small whole numbers, so every sum is exact in any order.
"""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

LARGEST = 1 << 20
"""Values stay below, far from where f32 rounds whole numbers."""
MOST = 2000
"""Elements of a value."""
SIZES = (1, 2, 3, 4, 5, 7, 8, 13, 17)
NUMPY = {"f32": np.float32, "i32": np.int32, "f16": np.float16}
_NUMBER = itertools.count()


class Numpy:
    """What the functions of `spyrelang.language` mean, for the tile `tile`."""

    f32, i32 = np.float32, np.int32
    maximum, minimum, where = np.maximum, np.minimum, staticmethod(np.where)
    abs = np.abs
    transpose, reshape = staticmethod(np.transpose), staticmethod(np.reshape)
    broadcast_to, expand_dims = staticmethod(np.broadcast_to), staticmethod(np.expand_dims)
    max, min, range = staticmethod(np.max), staticmethod(np.min), range

    def __init__(self, tile: int) -> None:
        self.tile = tile

    def tile_id(self) -> int:
        return self.tile

    def load(self, x: Any) -> Any:
        return x.copy()

    def ind(self, rows: Any) -> Any:
        return rows

    def cast(self, x: Any, dtype: Any) -> Any:
        return x.astype(dtype)

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)

    def dot(self, a: Any, b: Any) -> Any:
        return np.asarray(a @ b)

    def concat(self, values: Sequence[Any], axis: int) -> Any:
        return np.concatenate(values, axis)

    def slice(self, x: Any, starts: Sequence[int], sizes: Sequence[int]) -> Any:
        return x[tuple(slice(s, s + n) for s, n in zip(starts, sizes, strict=True))]

    def zeros(self, shape: Sequence[int], dtype: Any) -> Any:
        return np.zeros(shape, dtype)


@dataclass(frozen=True)
class Value:
    """A name in the source; its elements are at most `bound` in size."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    bound: int

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class Source:
    """A kernel in the making."""

    rng: random.Random
    grid: int
    lines: list[str] = field(default_factory=list[str])
    values: list[Value] = field(default_factory=list[Value])
    arrays: dict[str, Any] = field(default_factory=dict[str, Any])
    outputs: dict[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])

    def add(self, text: str, shape: Sequence[int], dtype: str, bound: int) -> Value | None:
        """A line that gives a new value; None where it would be too large."""
        if bound >= LARGEST or prod(shape) > MOST:
            return None
        made = Value(f"v{len(self.values)}", tuple(shape), dtype, bound)
        self.lines.append(f"{made.name} = {text}")
        self.values.append(made)
        return made

    def pick(self, wanted: Callable[[Value], bool] = lambda v: True) -> Value | None:
        found = [v for v in self.values if wanted(v)]
        return self.rng.choice(found) if found else None


def _input(s: Source) -> None:
    """A share of an array, whole or by rows whose numbers are in another one."""
    rng, name = s.rng, f"x{len(s.arrays)}"
    dtype = rng.choice(["f32", "f32", "i32", "f16"])
    shape = [rng.choice(SIZES) for _ in range(rng.randint(1, 3))]
    rest = "".join(", :" for _ in shape[1:])
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    rows, key = (
        shape[0] * s.grid,
        f"L.tile_id() * {shape[0]} : L.tile_id() * {shape[0]} + {shape[0]}",
    )
    if rng.random() < 0.3:
        s.arrays[f"{name}r"] = numbers.integers(0, rows, rows).astype(np.int32)
        key = f"L.ind({name}r[{key}])"
    s.arrays[name] = numbers.integers(-4, 5, (rows, *shape[1:])).astype(NUMPY[dtype])
    text = f"L.load({name}[{key}{rest}])"
    if dtype == "f16":
        text, dtype = f"L.cast({text}, L.f32)", "f32"
    s.add(text, shape, dtype, 4)


def _binary(s: Source) -> None:
    a = s.pick()
    if a is None:
        return
    b = s.pick(lambda v: v.dtype == a.dtype and _together(a.shape, v.shape) is not None)
    if b is None:
        return
    shape = _together(a.shape, b.shape) or ()
    op = s.rng.choice(["+", "-", "*", "maximum", "minimum", "where"])
    bound = a.bound * b.bound if op == "*" else a.bound + b.bound
    if op == "where":
        test = s.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        s.add(f"L.where({a.name} {test} {b.name}, {b.name}, {a.name})", shape, a.dtype, bound)
    elif op in "+-*":
        s.add(f"{a.name} {op} {b.name}", shape, a.dtype, bound)
    else:
        s.add(f"L.{op}({a.name}, {b.name})", shape, a.dtype, bound)


def _together(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def _reduction(s: Source) -> None:
    a = s.pick(lambda v: v.rank > 0)
    if a is None:
        return
    op, keep = s.rng.choice(["sum", "max", "min"]), s.rng.random() < 0.5
    axes = sorted(s.rng.sample(range(a.rank), s.rng.randint(1, a.rank)))
    given = axes[0] - (a.rank if s.rng.random() < 0.3 else 0) if len(axes) == 1 else tuple(axes)
    kept = [1 if i in axes else n for i, n in enumerate(a.shape) if keep or i not in axes]
    count = prod(a.shape[i] for i in axes) if op == "sum" else 1
    s.add(f"L.{op}({a.name}, axis={given}, keepdims={keep})", kept, a.dtype, a.bound * count)


def _product(s: Source) -> None:
    a = s.pick(lambda v: v.rank == 2)
    b = s.pick(lambda v: v.rank == 2 and a is not None and v.dtype == a.dtype)
    if a is None or b is None:
        return
    left, k = a.name, a.shape[1]
    if k == b.shape[0]:
        right, n = b.name, b.shape[1]
    elif k == b.shape[1]:
        right, n = f"L.transpose({b.name}, (1, 0))", b.shape[0]
    else:
        right, n = f"L.transpose({a.name}, (1, 0))", a.shape[0]
        b = a
    s.add(f"L.dot({left}, {right})", (a.shape[0], n), a.dtype, a.bound * b.bound * k)


def _moved(s: Source) -> None:
    """The same elements in another place or shape."""
    a = s.pick(lambda v: v.rank > 0)
    if a is None:
        return
    axis = s.rng.randrange(a.rank)
    n = a.shape[axis]
    match s.rng.randrange(6):
        case 0:
            order = s.rng.sample(range(a.rank), a.rank)
            shape = [a.shape[i] for i in order]
            s.add(f"L.transpose({a.name}, {tuple(order)})", shape, a.dtype, a.bound)
        case 1:
            shape = [prod(a.shape[: axis + 1]), *a.shape[axis + 1 :]]
            s.add(f"L.reshape({a.name}, {tuple(shape)})", shape, a.dtype, a.bound)
        case 2:
            shape = [*a.shape[:axis], 1, *a.shape[axis:]]
            s.add(f"L.expand_dims({a.name}, {axis})", shape, a.dtype, a.bound)
        case 3:
            first = s.rng.randrange(n)
            starts = [first if i == axis else 0 for i in range(a.rank)]
            shape = [n - first if i == axis else m for i, m in enumerate(a.shape)]
            text = f"L.slice({a.name}, {tuple(starts)}, {tuple(shape)})"
            s.add(text, shape, a.dtype, a.bound)
        case 4:
            shape = [2 * n if i == axis else m for i, m in enumerate(a.shape)]
            s.add(f"L.concat([{a.name}, {a.name}], {axis})", shape, a.dtype, a.bound)
        case _:
            shape = [s.rng.choice([2, 3]), *(m if m > 1 else 4 for m in a.shape)]
            s.add(f"L.broadcast_to({a.name}, {tuple(shape)})", shape, a.dtype, a.bound)


def _cast(s: Source) -> None:
    a = s.pick()
    if a is not None:
        other = "i32" if a.dtype == "f32" else "f32"
        s.add(f"L.cast({a.name}, L.{other})", a.shape, other, a.bound)


def _integers(s: Source) -> None:
    a = s.pick(lambda v: v.dtype == "i32")
    if a is not None:
        op = s.rng.choice(["// 3", "// -2", "% 3", "% -5", "& 6", "| 5", "^ 9", "<< 2", ">> 1"])
        s.add(f"{a.name} {op}", a.shape, "i32", a.bound * 4 + 16)


def _unary(s: Source) -> None:
    a = s.pick()
    if a is not None:
        c = s.rng.randint(-3, 3)
        one, other = s.rng.sample(["-{0}", "L.abs({0})", "{0} + {1}", "{1} - {0}", "{0} * {1}"], 2)
        text = f"L.where({a.name} > {c}, {one}, {other})".format(a.name, c)
        s.add(text, a.shape, a.dtype, a.bound * 4 + 4)


def _repeated(s: Source) -> None:
    """A `while` whose trips the tile decides."""
    a = s.pick(lambda v: v.rank > 0)
    made = a and s.add(a.name, a.shape, a.dtype, a.bound * 8)
    if a is not None and made:
        k, most = f"k{len(s.lines)}", s.rng.choice([0, 1, 3])
        s.lines += [f"{k} = L.tile_id()", f"while {k} <= {most}:",
                    f"    {made.name} = {made.name} + {a.name}", f"    {k} = {k} + 1"]  # fmt: skip


def _loop(s: Source) -> None:
    """A value that a loop carries, changed in some trips only or in another way."""
    a = s.pick(lambda v: v.rank > 0)
    if a is None:
        return
    trips, name = s.rng.choice([1, 2, 3, 5]), f"v{len(s.values)}"
    made = s.add(f"L.zeros({a.shape}, L.{a.dtype})", a.shape, a.dtype, a.bound * trips * 4)
    if made is None:
        return
    first = s.rng.choice(["0", "L.tile_id()"])
    i = f"i{len(s.lines)}"
    body = [f"{name} = {name} + {a.name}"]
    match s.rng.randrange(4):
        case 0:
            body = [f"if {i} % 2 == 0:", f"    {name} = {name} + {a.name}"]
        case 1:
            body = [f"if {i} < 2:", f"    {name} = {name} - {a.name}", "else:",
                    f"    {name} = L.maximum({name}, {a.name})"]  # fmt: skip
        case 2:
            body = [
                f"for j in L.range({i} + 1):",
                f"    {name} = L.minimum({a.name}, {name}) + {a.name}",
            ]
        case _:
            pass
    step = s.rng.choice([1, 2])
    s.lines += [
        f"for {i} in L.range({first}, {trips * step}, {step}):",
        *(f"    {b}" for b in body),
    ]


def _branch(s: Source) -> None:
    a = s.pick(lambda v: v.rank > 0)
    if a is None:
        return
    test = s.rng.choice(["L.tile_id() == 0", "L.tile_id() % 2 == 1", "L.tile_id() > 0"])
    made = s.add(a.name, a.shape, a.dtype, 2 * a.bound)
    if made is not None:
        s.lines += [f"if {test}:", f"    {made.name} = {a.name} + {a.name}"]


STEPS = (
    *(_input, _binary, _binary, _reduction, _reduction, _product, _moved, _cast, _loop, _branch),
    *(_integers, _integers, _unary, _repeated),
)


def generated(seed: object) -> Source:
    """A kernel with two inputs, up to nine steps, and what the last of them give as outputs."""
    rng = random.Random(f"shapes {seed}")
    s = Source(rng, rng.choice([1, 1, 2, 3]))
    _input(s)
    _input(s)
    for _ in range(rng.randint(2, 9)):
        rng.choice(STEPS)(s)
    for value in s.values[-rng.randint(1, 3) :]:
        name, text, shape = f"out{len(s.outputs)}", value.name, value.shape or (1,)
        if not value.rank:
            text = f"L.reshape({text}, (1,))"
        rest = ", :" * len(shape)
        s.lines.append(f"{name}[L.tile_id(){rest}] = {text}")
        s.outputs[name] = ((s.grid, *shape), NUMPY[value.dtype])
    return s


def text_of(s: Source) -> str:
    given = [f"{n}: spy.In" for n in s.arrays] + [f"{n}: spy.Out" for n in s.outputs]
    return "\n    ".join([f"def kernel({', '.join(given)}):", *s.lines]) + "\n"


def by_spyrelang(s: Source) -> dict[str, Any]:
    """The outputs in engine "ktir"."""
    file, text = f"<generated shapes {next(_NUMBER)}>", text_of(s)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"spy": spy, "L": spy}
    exec(compile(text, file, "exec"), scope)
    outs = {n: np.full(shape, 77, dtype) for n, (shape, dtype) in s.outputs.items()}
    arrays = {n: a.copy() for n, a in s.arrays.items()}
    spyre.kernel(scope["kernel"], grid=s.grid)(**arrays, **outs, engine="ktir")
    return outs


def by_numpy(s: Source) -> dict[str, Any]:
    """The same lines, run by numpy."""
    scope: dict[str, Any] = {"spy": spy}
    exec(text_of(s), scope)
    outs = {n: np.full(shape, 77, dtype) for n, (shape, dtype) in s.outputs.items()}
    for tile in range(s.grid):
        scope["L"] = Numpy(tile)
        scope["kernel"](**s.arrays, **outs)
    return outs
