"""Texts to mutate: every IR text of this repository, printed stages of kernels, generic forms."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from statements import CALLEE, DIALECTS, defined, filled, function

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import ir
from spyrelang.testing.check import _Call

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("programs", "pipeline", "routed", "nested", "explored", "placed", "dataflow")
KINDS = ("ktir", *STAGES, "device", "patterns")
SHARES = {"ktir": 10, "dataflow": 3, "device": 2}
"""How often a kind is drawn; the others once."""
DEVICE = "sample_device"
OF_A_CHECK = {"ref", "inputs", "grid", "device", "engine", "tolerance", "stages", "seed"}
"""What a recipe says to `spyre.check`; the rest are constants of the kernel."""
LARGE = 3000
"""Characters of KTIR; a longer text is read by the same code, but for longer."""
MARKS = ("func.func", "ktdp.", "ktdf", "dataflow.", "spyreop.", "linalg.")


@dataclass(frozen=True)
class Sample:
    """A text of a kind. `origin` says where it comes from."""

    kind: str
    origin: str
    text: str


@spyre.kernel(grid=2)
def simple(x: spy.In, y: spy.In, out: spy.Out):
    start = spy.tile_id() * 3
    out[start : start + 3, :] = x[start : start + 3, :] * y[:] + 1


@spyre.kernel
def looped(x: spy.In, y: spy.In, out: spy.Out):
    for i in spy.range(x.shape[0]):
        out[i, :] = spy.exp(x[i, :])
        out[i, :] = spy.load(out[i, :]) - y[:]


def compiled() -> Iterator[tuple[str, Any]]:
    """The two kernels above on the small device, and the shipped ones on the large one."""
    x, y = np.zeros((6, 70), np.float16), np.zeros(70, np.float16)
    for kernel in (simple, looped):
        yield kernel.name, kernel.compile(x, y, x, device=DEVICE)
    for path in sorted((ROOT / "kernels").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"fuzzed_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, recipe in module.CHECKS.items():
            found = recipe() if callable(recipe) else recipe
            kernel, consts = getattr(module, name), set(found) - OF_A_CHECK
            call = _Call(kernel, found["ref"], found["inputs"], {c: found[c] for c in consts})
            call.reference()
            yield name, kernel.compile(*call.specs(), device=DEVICE, **call.consts)


def printed() -> Iterator[Sample]:
    """The KTIR of kernels, and the other stages of the small ones."""
    for name, found in compiled():
        large = len(str(found.ir("ktir"))) > LARGE
        for stage in ("ktir",) if large else ("ktir", *STAGES):
            try:
                text = str(found.ir(stage))
            except spyre.SpyreError:  # the small device has no lanes of the type
                continue
            yield Sample(stage, name, text)


def files() -> Iterator[Sample]:
    """Every .mlir file; what is read as what follows from the ops in it."""
    for path in sorted(ROOT.glob("arch/**/*.mlir")) + sorted(ROOT.glob("tests/**/*.mlir")):
        text = path.read_text()
        if "arch/patterns" in str(path):
            yield from (Sample("patterns", path.name, part) for part in _some(text))
        else:
            yield Sample(_kind(text), path.name, text)


def strings() -> Iterator[Sample]:
    """Texts inside the tests that read."""
    for path in sorted(ROOT.glob("tests/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            text = node.value
            if "\n" in text and any(mark in text for mark in MARKS) and _reads(text):
                yield Sample(_kind(text), path.name, text)


def written() -> Iterator[Sample]:
    """The statements of the generator, in functions that take or make what they use."""
    for dialect, statements in DIALECTS.items():
        bodies = [filled(statement, number) for number, statement in enumerate(statements)]
        for number, body in enumerate(bodies):
            start = "func.func @f() attributes {grid = [2]} {"
            kernel = "\n".join([start, defined(body), body, "return", "}"])
            if "@twice" in body:
                kernel = CALLEE + kernel
            yield Sample("ktir", f"{dialect} {number}", kernel)
        for first in range(0, len(bodies), 10):
            text = function("\n".join(bodies[first : first + 10]))
            yield Sample("ktir", f"{dialect} from {first}", text)


def _some(text: str) -> Iterator[str]:
    """A file of patterns as several of few each."""
    head, *patterns = re.split(r"(?=^    pdl\.pattern)", text, flags=re.MULTILINE)
    foot = "  }\n}\n"
    patterns[-1] = patterns[-1].removesuffix(foot)
    for first in range(0, len(patterns), 3):
        yield "".join([head, *patterns[first : first + 3], foot])


def _kind(text: str) -> str:
    if "ktdf_arch.device" in text:
        return "device"
    return "dataflow" if "dataflow.program_unit" in text else "ktir"


def _reads(text: str) -> bool:
    try:
        ir.parse(text)
    except spyre.SpyreError:
        return False
    return True


def _generic(sample: Sample) -> Sample | None:
    try:
        text = ir.print_module(ir.parse(sample.text), generic=True)
    except spyre.SpyreError:
        return None
    return Sample(sample.kind, f"{sample.origin}, generic", text)


@cache
def corpus() -> dict[str, tuple[Sample, ...]]:
    """All samples by kind. Texts of any dialect stand under "ktir" too: whatever a text is, reading
    it must not fail in another way than by name."""
    found = [*printed(), *files(), *strings(), *written()]
    generic = [g for g in map(_generic, found) if g is not None]
    samples = [*found, *generic]
    return {kind: tuple(s for s in samples if s.kind == kind) for kind in KINDS}
