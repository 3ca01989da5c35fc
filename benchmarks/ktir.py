"""How fast the KTIR interpreter is, as multiples of plain numpy measured in the same run.

    python benchmarks/ktir.py [CASE …]

Every case generates its kernel as KTIR text, checks the result against numpy, and prints one row:
milliseconds of processor time of ours and of numpy, which take turns, the least of several; their
ratio; the peak of memory of a run as a multiple of the arrays, as Python counts it and as the
system counts it in a process of its own; each with its limit. `long` reads a module of 437 lines as
users do, with `load_ktir`. The exit code is 1 where a limit is missed.

BLAS has one thread on both sides, unless OPENBLAS_NUM_THREADS says otherwise.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ktir_cases import CASES, Arrays, Case
from ktir_text import long_module

import spyrelang as spyre
from spyrelang import interp, ir

MEMORY = 3.0
"""Peak of memory during a run, arrays included, as a multiple of the arrays."""
SLACK = 1 << 20
"""Bytes that a run may take whatever its arrays."""
READING = 30.0
"""Milliseconds of processor time in which `load_ktir` reads a module of 437 lines: the guard, names
and checks included."""
ROUNDS = 7


def seconds(work: Callable[[], object]) -> float:
    """The processor time of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def prepare(name: str) -> tuple[Case, interp.Program, Arrays]:
    """A case with its compiled kernel and the arrays by argument."""
    case = CASES[name]()
    program = interp.compile(ir.parse(case.text, f"{name}.mlir", guard=False))
    names = [p.name for p in program.signature.given]
    return case, program, dict(zip(names, case.arrays.values(), strict=True))


def peak(program: interp.Program, arrays: Arrays) -> int:
    """The most bytes that Python has in use during a run, besides the arrays."""
    tracemalloc.start()
    try:
        program.run(arrays)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def resident(name: str) -> int:
    """By how many bytes a run lets a fresh process grow."""
    command = [sys.executable, __file__, "--grow", name]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def grow(name: str) -> int:
    """In that process: run the case once."""
    _, program, arrays = prepare(name)
    for array in arrays.values():
        array[...] = array  # pages that nothing wrote are not there yet
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak that there was while reading
    before = highest()
    program.run(arrays)
    print(highest() - before)
    return 0


def highest() -> int:
    """The peak of resident bytes of this process (getrusage's is that of its parent, if larger)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) * 1024  # type: ignore[index]


def multiple(taken: int, arrays: Arrays) -> tuple[float, bool]:
    """Bytes that a run takes with its arrays, as a multiple of those, and whether that will do."""
    size = sum(a.nbytes for a in arrays.values())
    return (taken + size) / size, taken + size <= MEMORY * size + SLACK


def verdict(good: bool) -> str:
    return "ok" if good else "MISSED"


def measure(name: str) -> bool:
    """Run one case and print its row; True if it meets its limits."""
    case, program, arrays = prepare(name)
    program.run(arrays)
    case.check()
    pairs = [(seconds(lambda: program.run(arrays)), seconds(case.numpy)) for _ in range(ROUNDS)]
    ours, theirs = (min(times) * 1e3 for times in zip(*pairs, strict=True))
    if case.milliseconds is None:
        fast, limit = ours / theirs <= case.limit, f"limit {case.limit:g}"
    else:
        fast, limit = ours <= case.milliseconds, f"limit {case.milliseconds:g} ms"
    traced, small = multiple(peak(program, arrays), arrays)
    grown, light = multiple(resident(name), arrays)
    good = fast and small and light
    print(
        f"{name:10} {ours:8.2f} ms, numpy {theirs:8.2f} ms, ratio {ours / theirs:5.2f} ({limit}), "
        f"memory {traced:5.2f} and {grown:5.2f} resident (limit {MEMORY:g}): {verdict(good)}",
        flush=True,
    )
    return good


def reading() -> bool:
    """How long a long module takes to read, as users read it, and in parts: in processor time of
    this process, and by the clock, which also knows what the guard does in a process beside it.
    Each text is another: none is read twice."""
    texts = (long_module(first=4 * n) for n in range(1000))

    def best(work: Callable[[str], object]) -> tuple[float, float]:
        walls: list[float] = []
        busy: list[float] = []
        for text in islice(texts, 20):
            start = time.perf_counter()
            busy.append(seconds(lambda text=text: work(text)) * 1e3)
            walls.append((time.perf_counter() - start) * 1e3)
        return min(busy), min(walls)

    rows = {
        "unguarded": best(lambda text: ir.parse(text, "long.mlir", guard=False)),
        "guarded": best(lambda text: ir.parse(text, "long.mlir")),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows["load_ktir"] = best(lambda text: spyre.load_ktir(text))
    good = rows["load_ktir"][0] <= READING
    shown = ", ".join(f"{n} {busy:.1f} ms (clock {wall:.1f})" for n, (busy, wall) in rows.items())
    lines = long_module().count("\n")
    print(f"long       {lines} lines read: {shown} (limit {READING:g} ms): {verdict(good)}")
    return good


def main() -> int:
    if sys.argv[1:2] == ["--grow"]:
        return grow(sys.argv[2])
    names = sys.argv[1:] or [*CASES, "long"]
    met = [reading() if name == "long" else measure(name) for name in names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
