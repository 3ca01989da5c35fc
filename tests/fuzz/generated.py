"""Random element-wise kernels: a description, the kernel it stands for, and what numpy says."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.driver.kernel import Kernel

DTYPES = (np.float16, np.float32, ml_dtypes.bfloat16, np.int32)
MOST_ELEMENTS = 3000
_NUMBER = itertools.count()


@dataclass(frozen=True)
class Operand:
    """`keep`: which axes of the output it has (others are 1, or left out when `short` and leading);
    `order`: how its axes lie in memory."""

    keep: tuple[bool, ...]
    short: bool
    order: tuple[int, ...]

    def leading(self) -> int:
        """Axes that are left out altogether."""
        if not self.short:
            return 0
        gone = len(list(itertools.takewhile(lambda kept: not kept, self.keep)))
        return min(gone, len(self.keep) - 1)

    def shape(self, full: tuple[int, ...]) -> tuple[int, ...]:
        """In the order of the output's axes."""
        sizes = [size if kept else 1 for size, kept in zip(full, self.keep, strict=True)]
        return tuple(sizes[self.leading() :])

    def permutation(self) -> tuple[int, ...]:
        """Axis of the output order that lies at each place in memory."""
        rank = len(self.keep) - self.leading()
        return tuple(axis for axis in self.order if axis < rank)

    def stored(self, full: tuple[int, ...]) -> tuple[int, ...]:
        shape = self.shape(full)
        return tuple(shape[axis] for axis in self.permutation())


@dataclass(frozen=True)
class Step:
    """One op; `picks` choose its operands among the values so far, modulo their number."""

    op: str
    picks: tuple[int, int, int, int]
    constant: int


@dataclass(frozen=True)
class Case:
    """A kernel. `mode`: "tile" (a share for each core), "rows" (a loop over single rows), "blocks"
    (`spy.blocks` of `block`), "unrolled"."""

    share: tuple[int, ...]
    grid: int
    dtype: int
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    mode: str
    block: int
    outputs: int

    @property
    def full(self) -> tuple[int, ...]:
        return (self.share[0] * self.grid, *self.share[1:])

    @property
    def numpy(self) -> Any:
        return DTYPES[self.dtype]


def evaluate(case: Case, values: list[Any], library: Any) -> list[Any]:
    """The DAG over loaded values or arrays; the last values are the results."""
    values = list(values)
    for step in case.steps:
        a, b, c, d = (values[p % len(values)] for p in step.picks)
        values.append(library(step, a, b, c, d))
    return values[-case.outputs :] if case.outputs < len(values) else values


def traced_step(step: Step, a: Any, b: Any, c: Any, d: Any) -> Any:
    simple = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "max": lambda: spy.maximum(a, b),
        "min": lambda: spy.minimum(a, b),
        "neg": lambda: -a,
        "abs": lambda: spy.abs(a),
        "plus": lambda: a + step.constant,
        "times": lambda: step.constant * a,
        "less": lambda: spy.where(a < b, c, d),
        "same": lambda: spy.where(a == b, c, d),
        "limit": lambda: spy.where(a >= step.constant, b, c),
    }
    return simple[step.op]()


def numpy_step(step: Step, a: Any, b: Any, c: Any, d: Any) -> Any:
    """What a step means. numpy leaves open which of two zeros is the larger one; we do not."""
    constant = np.array(step.constant).astype(a.dtype)
    simple = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "max": lambda: np.where((a == 0) & (b == 0), a + b, np.maximum(a, b)),
        "min": lambda: np.where((a == 0) & (b == 0), -(-a - b), np.minimum(a, b)),
        "neg": lambda: -a,
        "abs": lambda: np.abs(a),
        "plus": lambda: a + constant,
        "times": lambda: constant * a,
        "less": lambda: np.where(a < b, c, d),
        "same": lambda: np.where(a == b, c, d),
        "limit": lambda: np.where(a >= constant, b, c),
    }
    return simple[step.op]()


OPS = ("add", "sub", "mul", "max", "min", "neg", "abs", "plus", "times", "less", "same", "limit")


def kernel_of(case: Case) -> Kernel:
    """The kernel: a function with one parameter for each operand and each output."""
    inputs = [f"x{i}" for i in range(len(case.operands))]
    outputs = [f"out{i}" for i in range(results(case))]
    parameters = [f"{n}: spy.In" for n in inputs] + [f"{n}: spy.Out" for n in outputs]
    name = f"generated_{next(_NUMBER)}"
    source = (
        f"def {name}({', '.join(parameters)}):\n"
        f"    run(case, [{', '.join(inputs)}], [{', '.join(outputs)}])\n"
    )
    scope: dict[str, Any] = {"spy": spy, "run": trace, "case": case}
    exec(compile(source, f"<{name}>", "exec"), scope)
    return spyre.kernel(scope[name], grid=case.grid)


def results(case: Case) -> int:
    return min(case.outputs, len(case.operands) + len(case.steps))


def trace(case: Case, inputs: list[Any], outputs: list[Any]) -> None:
    """The body of a generated kernel."""
    rows, share = case.full[0], case.share[0]
    if case.mode == "rows":
        for i in spy.range(spy.tile_id(), rows, spy.num_tiles()):
            compute(case, inputs, outputs, slice(i, i + 1), 1)
    elif case.mode == "blocks":
        for part in spy.blocks(rows, case.block):
            extent = part.stop - part.start
            compute(case, inputs, outputs, part, extent if isinstance(extent, int) else case.block)
    elif case.mode == "unrolled":
        for i in range(share):
            start = spy.tile_id() * share + i
            compute(case, inputs, outputs, slice(start, start + 1), 1)
    else:
        start = spy.tile_id() * share
        compute(case, inputs, outputs, slice(start, start + share), share)


def compute(case: Case, inputs: list[Any], outputs: list[Any], rows: slice, extent: int) -> None:
    """Load the operands' parts of some rows, evaluate, store."""
    shape = (extent, *case.full[1:])
    values = [load(o, x, rows) for o, x in zip(case.operands, inputs, strict=True)]
    found = evaluate(case, values, traced_step)
    for value, out in zip(found, outputs, strict=True):
        key = (rows, *[slice(None)] * (len(shape) - 1))
        out[key] = spy.broadcast_to(value, shape) if value.shape != shape else value


def load(operand: Operand, view: Any, rows: slice) -> Any:
    """The part of an operand that belongs to some rows, in the output's order of axes."""
    first = operand.leading() == 0 and operand.keep[0]
    order = operand.permutation()
    key = tuple(rows if first and axis == 0 else slice(None) for axis in order)
    value = spy.load(view[key])
    back = tuple(order.index(axis) for axis in range(len(order)))
    return value if back == tuple(range(len(order))) else spy.transpose(value, back)


def arrays_of(case: Case, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for operand in case.operands:
        shape = operand.stored(case.full)
        # small integers, so that equal values and exact results happen
        values = rng.integers(-8, 9, shape) if rng.integers(2) else rng.normal(size=shape) * 3
        found.append(np.asarray(values).astype(np.float32).astype(case.numpy))
    return found


def reference(case: Case, arrays: list[Any]) -> list[Any]:
    values: list[Any] = []
    for operand, array in zip(case.operands, arrays, strict=True):
        order = operand.permutation()
        values.append(array.transpose([order.index(axis) for axis in range(len(order))]))
    with np.errstate(all="ignore"):
        found = evaluate(case, values, numpy_step)
        return [np.ascontiguousarray(np.broadcast_to(v, case.full)) for v in found]


@st.composite
def cases(draw: Any) -> Case:
    rank = draw(st.integers(1, 4))
    sizes = st.sampled_from([1, 2, 3, 5, 7, 33, 63, 64, 65, 100, 129])
    grid = draw(st.sampled_from([1, 1, 2, 3, 7]))
    share: list[int] = []
    budget = MOST_ELEMENTS // grid
    for _ in range(rank):
        size = min(draw(sizes), max(1, budget))
        share.append(size)
        budget //= size
    share = draw(st.permutations(share))
    operands = draw(st.lists(operand_of(rank), min_size=1, max_size=4))
    numbers = st.integers(0, 30)
    steps = draw(
        st.lists(
            st.builds(
                Step,
                st.sampled_from(OPS),
                st.tuples(numbers, numbers, numbers, numbers),
                st.integers(-3, 3),
            ),
            min_size=1,
            max_size=6,
        )
    )
    mode = draw(st.sampled_from(["tile", "tile", "tile", "rows", "blocks", "unrolled"]))
    if mode == "unrolled" and share[0] > 5:
        mode = "rows"
    return Case(
        tuple(share), grid, draw(st.integers(0, len(DTYPES) - 1)), tuple(operands), tuple(steps),
        mode, draw(st.integers(1, 4)), draw(st.sampled_from([1, 1, 1, 2])),
    )  # fmt: skip


@st.composite
def operand_of(draw: Any, rank: int) -> Operand:
    keep = tuple(draw(st.lists(st.sampled_from([True, True, False]), min_size=rank, max_size=rank)))
    straight = tuple(range(rank))
    order = draw(st.one_of(st.just(straight), st.permutations(straight).map(tuple)))
    return Operand(keep, draw(st.booleans()), order)
