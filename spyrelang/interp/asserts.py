"""cf.assert: conditions that a kernel checks itself."""

from __future__ import annotations

import numpy as np

from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds


@builds("cf.assert")
def _assert(c: Compiler, op: Op) -> None:
    (condition,) = c.operands(op)
    message, place, index = text.string(op, "msg"), c.place(op), condition.index

    def step(f: Frame) -> None:
        holds = np.atleast_1d(f.regs[index])
        if not holds.all():
            tile = f.tile(int(np.argmin(holds)))
            raise errors.ASSERTION.error(place, tile=tile, message=message)

    c.emit(step)
