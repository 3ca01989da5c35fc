"""linalg.softmax: computed in f32 (f64 for f64) and rounded once."""

from __future__ import annotations

import numpy as np

from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.elementwise import defined
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.widen import narrow, widen


@builds("linalg.softmax")
def _softmax(c: Compiler, op: Op) -> None:
    source, target = c.operands(op)
    if not len(op.results):
        raise c.fail(op, "it has no tensor as its result")
    slot = c.result(op, source, target)
    if slot.dtype is None or not slot.dtype.is_float:
        raise errors.STRUCTURED.error(c.place(op), op=op.name, reason="it takes floats")
    kind = slot.dtype
    wide = np.dtype(np.float64 if slot.dtype.name == "f64" else np.float32)
    axis = text.integer(op, "dimension", 0) - source.rank
    index, out, place = source.index, slot.index, c.place(op)

    def step(f: Frame) -> None:
        value = widen(defined(f.regs[index], "linalg.softmax", place), wide)
        with np.errstate(all="ignore"):
            powers = np.exp(value - value.max(axis=axis, keepdims=True, initial=-np.inf))
            found = powers / powers.sum(axis=axis, keepdims=True)
            f.regs[out] = narrow(found, kind)

    c.emit(step)
