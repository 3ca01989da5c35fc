"""How long kernels take to run, next to plain numpy in the same process.

    python benchmarks/run.py [--repeat N] [--engine fast|checked] [--json]

Every kernel is compiled, run once and checked against numpy before it is timed. A call binds its
arguments, finds the kernel in the compile cache and runs it on 32 simulated cores; a launch runs an
artifact from disk that was prepared before. `ratio` is the clock time over that of numpy, which
computes the same into an array that exists; numpy has no gelu, so that one is compared with the
tanh form in f32. The runs of both alternate, and figures are medians.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from benchmarks.compile import CORES, add
from benchmarks.timing import Cost, line, once, typical

Array = np.ndarray[Any, Any]


@spyre.kernel(grid=CORES)
def add_row(a: spy.In, b: spy.In, out: spy.Out) -> None:
    """`out = a + b`, where `b` is one row."""
    rows = a.shape[0] // CORES
    first = spy.tile_id() * rows
    here = slice(first, first + rows)
    out[here, :] = a[here, :] + b[:]


@spyre.kernel(grid=CORES)
def gelu(a: spy.In, out: spy.Out) -> None:
    """`out = gelu(a)`."""
    rows = a.shape[0] // CORES
    first = spy.tile_id() * rows
    here = slice(first, first + rows)
    out[here, :] = spy.gelu(a[here, :])


def numpy_gelu(a: Array, out: Array) -> None:
    """The tanh form, in f32."""
    x = a.astype(np.float32)
    out[...] = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@dataclass(frozen=True)
class Case:
    """A kernel, the shapes of its inputs and of its output, and the same in numpy. `tolerance`: how
    far the two may be apart. `launched`: run an artifact instead of calling the kernel."""

    name: str
    kernel: Any
    shapes: tuple[tuple[int, ...], ...]
    numpy: Callable[..., object]
    tolerance: float = 0.0
    launched: bool = False

    def arrays(self) -> tuple[list[Array], Array]:
        rng = np.random.default_rng(0)
        inputs = [rng.standard_normal(s, np.float32).astype(np.float16) for s in self.shapes]
        return inputs, np.zeros(self.shapes[0], np.float16)


def _add(a: Array, b: Array, out: Array) -> None:
    np.add(a, b, out=out)


CASES = (
    Case("add, 16M elements", add, ((4096, 4096),) * 2, _add),
    Case("add, 4,096 elements", add, ((64, 64),) * 2, _add),
    Case("launch of add, 4,096 elements", add, ((64, 64),) * 2, _add, launched=True),
    Case("launch of add, 16M elements", add, ((4096, 4096),) * 2, _add, launched=True),
    Case("add of a row, 1M elements", add_row, ((1024, 1024), (1024,)), _add),
    Case("gelu, 1M elements", gelu, ((1024, 1024),), numpy_gelu, 4e-3),
)


def runner(case: Case, inputs: Sequence[Array], out: Array, engine: str) -> Callable[[], object]:
    """What is timed."""
    if not case.launched:
        return lambda: case.kernel(*inputs, out, engine=engine)
    with tempfile.TemporaryDirectory() as folder:
        artifact = case.kernel.export(Path(folder) / "artifact", *inputs, out)
        prepared = spyre.runtime.prepare(artifact)
    return lambda: prepared.launch(*inputs, out, engine=engine)


def measure(case: Case, repeat: int, engine: str) -> tuple[Cost, Cost]:
    """What the kernel and numpy take."""
    inputs, out = case.arrays()
    expected = np.empty_like(out)
    run = runner(case, inputs, out, engine)
    run()
    case.numpy(*inputs, expected)
    if not np.allclose(out.astype(np.float64), expected, rtol=case.tolerance, atol=case.tolerance):
        raise SystemExit(f"{case.name}: the result is wrong")
    ours: list[Cost] = []
    theirs: list[Cost] = []
    for _ in range(repeat):
        ours.append(once(run))
        theirs.append(once(lambda: case.numpy(*inputs, expected)))
    return typical(ours), typical(theirs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=15, help="measurements of each figure")
    parser.add_argument("--engine", choices=("fast", "checked"), default="fast")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows = [(case, *measure(case, options.repeat, options.engine)) for case in CASES]
    if options.json:
        print(json.dumps({c.name: figures(ours, numpy) for c, ours, numpy in rows}))
        return
    print(f"{'engine ' + options.engine:36s} {'wall ms':>10s} {'cpu ms':>10s}")
    for case, ours, numpy in rows:
        ratio = f"{ours.wall / numpy.wall:.2f} x numpy ({numpy.wall * 1e3:.3f} ms)"
        print(line(case.name, ours, ratio))


def figures(ours: Cost, numpy: Cost) -> dict[str, Any]:
    """One case for a program to read."""
    return {
        **ours.milliseconds(),
        "numpy_ms": numpy.wall * 1e3,
        "numpy_cpu_ms": numpy.cpu * 1e3,
        "ratio": ours.wall / numpy.wall,
        "cpu_ratio": ours.cpu / numpy.cpu,
    }


if __name__ == "__main__":
    main()
