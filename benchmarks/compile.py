"""How long it takes to compile, stage by stage.

    python benchmarks/compile.py [--repeat N] [--json]

Measured in one process: kernels are compiled again and again with the compile cache emptied before
each time (`again`), so that modules are imported and texts of types, maps and patterns have been
seen before; `new shapes` compiles shapes that this process never compiled; `from the cache` is a
compile that finds the kernel in the cache. Processes are measured from start to end, after one that
leaves the bytecode of the modules on disk. Figures are medians: by the clock, and of processor
time, which other processes on the machine disturb less.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import spyrelang as spyre
import spyrelang.language as spy
from benchmarks.timing import Cost, line, once, process, repeated, typical

CORES = 32

FIRST = "import benchmarks.compile as c; c.CASES[0].compile().executable"


@spyre.kernel(grid=CORES)
def add(a: spy.In, b: spy.In, out: spy.Out) -> None:
    """`out = a + b`, rows spread over the cores."""
    rows = a.shape[0] // CORES
    first = spy.tile_id() * rows
    here = slice(first, first + rows)
    out[here, :] = a[here, :] + b[here, :]


@spyre.kernel(grid=CORES)
def fused(a: spy.In, b: spy.In, c: spy.In, out: spy.Out) -> None:
    """`out = gelu(a * b + c)`."""
    rows = a.shape[0] // CORES
    first = spy.tile_id() * rows
    here = slice(first, first + rows)
    out[here, :] = spy.gelu(a[here, :] * b[here, :] + c[here, :])


@spyre.kernel(grid=(8, 4))
def add4(a: spy.In, b: spy.In, out: spy.Out) -> None:
    """`out = a + b` of rank 4 on a grid of rank 2."""
    outer, inner = a.shape[0] // 8, a.shape[1] // 4
    i, j = spy.tile_id(0) * outer, spy.tile_id(1) * inner
    here = slice(i, i + outer), slice(j, j + inner)
    out[(*here, slice(None), slice(None))] = (
        a[(*here, slice(None), slice(None))] + b[(*here, slice(None), slice(None))]
    )


@dataclass(frozen=True)
class Case:
    """A kernel and the shape that its arguments all have."""

    name: str
    kernel: Any
    shape: tuple[int, ...]

    def specs(self, columns: int = 0) -> list[Any]:
        """The arguments; `columns` widens the last dimension."""
        shape = (*self.shape[:-1], self.shape[-1] + columns)
        return [spyre.spec(shape, "f16") for _ in self.kernel.signature.parameters]

    def compile(self, columns: int = 0) -> Any:
        from spyrelang.driver.cache import COMPILED

        COMPILED.clear()
        return self.kernel.compile(*self.specs(columns))


CASES = (
    Case("add 96x64", add, (96, 64)),
    Case("gelu(a * b + c) 96x64", fused, (96, 64)),
    Case("add 512x4096 a core", add, (CORES * 512, 4096)),
    Case("add of rank 4, 64x32x12x70", add4, (64, 32, 12, 70)),
)


def front(case: Case) -> tuple[Any, dict[str, Cost]]:
    """The traced kernel and what tracing it takes, step by step."""
    from spyrelang import frontend

    found: dict[str, Any] = {}
    costs: dict[str, Cost] = {}
    signature = case.kernel.signature

    def step(name: str, call: Callable[[], object]) -> None:
        costs[name] = once(lambda: found.update({name: call()}))

    step("bind", lambda: frontend.bind(signature, case.specs(), {}))
    grid = frontend.resolve_grid(case.kernel.grid, found["bind"])
    step(
        "trace",
        lambda: frontend.trace(signature, found["bind"].arguments, grid=grid, name=signature.name),
    )
    step("coverage of the output", lambda: frontend.warnings(found["trace"]))
    return found["trace"], costs


def steps(case: Case, folder: Path) -> dict[str, Cost]:
    """What every step takes, once."""
    from spyrelang.driver.build import build_traced, load_device

    traced, costs = front(case)
    compiled = build_traced(traced, load_device())
    for record in compiled.passes():
        costs[record.name] = Cost(record.seconds, record.cpu_seconds)
    costs["export"] = once(lambda: compiled.export(folder / "artifact"))
    return costs


def measure(case: Case, repeat: int) -> dict[str, Cost]:
    """Medians of the steps and of the whole way from the arguments to the executable."""
    case.compile().executable  # imports  # noqa: B018
    table: defaultdict[str, list[Cost]] = defaultdict(list)
    for number in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            for name, cost in steps(case, Path(folder)).items():
                table[name].append(cost)
        table["again"].append(once(lambda: case.compile().executable))
        wider = 64 * (number + 1)
        table["new shapes"].append(once(lambda n=wider: case.compile(n).executable))
    result = {name: typical(costs) for name, costs in table.items()}
    specs = case.specs()
    case.kernel.compile(*specs)
    result["from the cache"] = repeated(lambda: case.kernel.compile(*specs), repeat, 20)
    return result


def starting(repeat: int) -> dict[str, Cost]:
    """Processes: what they take from start to end."""
    python = sys.executable
    few = max(1, min(repeat, 5))
    imports = "import spyrelang, spyrelang.language"
    commands = {
        "python alone": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import spyrelang, its language": ["-c", imports],
        "import, and the first compile": ["-c", FIRST],
        "spyrelang --help": ["-m", "spyrelang", "--help"],
    }
    with tempfile.TemporaryDirectory() as compiled:
        return {name: process([python, *rest], few, compiled) for name, rest in commands.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=15, help="measurements of each figure")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    tables = {case.name: measure(case, options.repeat) for case in CASES}
    tables["processes"] = starting(options.repeat)
    if options.json:
        print(
            json.dumps({t: {n: c.milliseconds() for n, c in r.items()} for t, r in tables.items()})
        )
        return
    for title, rows in tables.items():
        print(f"{title:36s} {'wall ms':>10s} {'cpu ms':>10s}")
        for name, cost in rows.items():
            print(line(name, cost))


if __name__ == "__main__":
    main()
