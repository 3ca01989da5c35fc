"""Using a text in every way its kind can be used, through the entries that authors use."""

from __future__ import annotations

import random
import sys
import tempfile
import traceback
import warnings
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import corpus
import numpy as np
from mutations import mutate

import spyrelang as spyre
from spyrelang import ir
from spyrelang.device import Device
from spyrelang.engines import Options
from spyrelang.ir.guard import tried as GUARD

READER: Any = sys.modules["spyrelang.ir.parse"]  # its name in the package is the function's

MOST = 1 << 20
"""Elements of the largest array that is given."""
OPTIONS = Options(full_limit=2000, events=False)


@cache
def folder() -> Path:
    """A directory for the files of this process."""
    return Path(tempfile.mkdtemp(prefix="spyrelang-fuzz-"))


def written(name: str, text: str) -> Path:
    path = folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def prints(module: ir.Module) -> None:
    """What was read is printed in both forms; these read and say the same, but for names."""
    custom, generic = ir.print_module(module), ir.print_module(module, generic=True)
    once = _again(custom)
    for form in (generic, once):
        assert _again(form) == once, "printed and read again, it is another text"


def _again(text: str) -> str:
    return ir.print_module(ir.parse(text, guard=False))


def ktir(text: str) -> None:
    """Check, print, and run every kernel in engine "ktir"."""
    module = spyre.load_ktir(text)
    prints(module.module)
    for name in module.kernels:
        try:
            run_ktir(module[name])
        except spyre.SpyreError as error:
            refused(error)


def run_ktir(kernel: Any) -> Any:
    """Arrays that fit what the kernel says of its arguments, then a run of it."""
    found = kernel.compile()
    given = {p.name: argument(p) for p in found.signature("ktir").given}
    return found.execute(given, engine="ktir")


def argument(param: Any) -> Any:
    """Small whole numbers: they serve as values, as indices and as sizes."""
    if param.scalar:
        return param.dtype.type(2) if param.dtype.kind in "fV" else 2
    count = int(np.prod(param.shape, dtype=float)) if not param.pointer else 4096
    shape = param.shape if 0 <= count <= MOST and not param.pointer else (4096,)
    whole = np.arange(int(np.prod(shape, dtype=int))) % 3
    return whole.reshape(shape).astype(param.dtype)


def stage(name: str, text: str) -> None:
    """Go on from the text, then run what comes out on both engines."""
    run_compiled(spyre.resume(name, text, device="sample_device"))


def dataflow(text: str) -> None:
    found = spyre.load_dataflow(text, device="sample_device")
    prints(found.module)
    run_compiled(found.compiled)


def run_compiled(compiled: Any) -> None:
    executable = compiled.executable
    sizes = [a.shape for a in executable.arguments]
    if any(np.prod(s or (1,), dtype=float) > MOST or min(s or (1,)) < 0 for s in sizes):
        return
    arrays: dict[str, Any] = {}
    for found in executable.arguments:
        if found.role == "scratch":
            continue
        dtype = np.float32 if found.dtype == "f32" else np.float16
        arrays[found.name] = np.ones(found.shape or (6, 70), dtype)
    for engine in ("checked", "fast"):
        compiled.run(**arrays, engine=engine, options=OPTIONS)


def device(text: str) -> None:
    """A device file: a description, and two kernels compiled for it."""
    patterns = folder() / "patterns"
    if not patterns.is_dir():
        for path in (corpus.ROOT / "arch" / "patterns").glob("*.mlir"):
            written(f"patterns/{path.name}", path.read_text())
    use_device(Device.load(written("device.mlir", text)))


def patterns(text: str) -> None:
    """A file of patterns, after those of a device."""
    use_device(Device.load("sample_device").with_patterns(written("more.mlir", text)))


def use_device(found: Device) -> None:
    found.describe()
    x, y = np.ones((6, 70), np.float16), np.ones(70, np.float16)
    for kernel in (corpus.simple, corpus.looped):
        try:
            kernel.compile(x, y, x.copy(), device=found).run(x, y, x.copy())
        except spyre.SpyreError as error:
            refused(error)


def refused(error: spyre.SpyreError) -> None:
    """A refusal by name is an answer; a bug of ours or an error without words is none."""
    if error.code == "SPY900" or not error.message:
        raise error


USES = {"ktir": ktir, "device": device, "patterns": patterns, "dataflow": dataflow}


def use(kind: str, text: str) -> None:
    """Everything a text of a kind can be used for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind in USES:
            USES[kind](text)
        else:
            stage(kind, text)


def answer(kind: str, text: str, guarded: bool = True) -> str:
    """What is wrong with the answer to a text; empty where it works or is refused by name. Without
    the guard a text may end the process."""
    READER.tried = GUARD if guarded else lambda *_: nullcontext()
    try:
        use(kind, text)
    except spyre.SpyreError as error:
        if error.code == "SPY900":
            return f"{error.message} {_where(error.__cause__ or error)}"
        return "" if error.message else f"{error.code} says nothing"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]} {_where(error)}"
    return ""


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "spyrelang" in f.filename] or frames
    shown = [f"{Path(f.filename).name}:{f.lineno}" for f in ours[-3:]]
    return f"at {' > '.join(shown)}"


def drawn(seed: str, number: int, kinds: tuple[str, ...] = corpus.KINDS) -> tuple[str, str]:
    """A kind and a mutated text: the same ones for the same seed and number."""
    rng = random.Random(f"{seed} {number}")
    weights = [corpus.SHARES.get(kind, 1) for kind in kinds]
    kind = rng.choices(kinds, weights)[0]
    samples = corpus.corpus()
    text = rng.choice(samples[kind]).text
    other = rng.choice(samples[rng.choice([kind, kind, *kinds])]).text
    return kind, mutate(text, other, rng)
