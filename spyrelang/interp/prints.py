"""spyrelang.print: what kernels say while they run, one line a compute tile."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

import numpy as np

from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array, Undefined, array, take
from spyrelang.semantics import df16

_PIECES = re.compile(r"\{\{|\}\}|\{\}")
_SHOWN = 200  # elements of a tensor; of longer ones the ends
_WIDTH = 100


@builds("spyrelang.print")
def _print(c: Compiler, op: Op) -> None:
    slots, form = c.operands(op), text.string(op, "text")
    c.prints += 1

    def step(f: Frame) -> None:
        for row in range(f.size):
            f.state.say(f.tile(row), _filled(form, [_shown(f, slot, row) for slot in slots]))

    c.emit(step)


def _filled(form: str, values: Sequence[str]) -> str:
    following = iter(values)
    return _PIECES.sub(lambda m: next(following) if m[0] == "{}" else m[0][0], form)


def _shown(f: Frame, slot: Slot, row: int) -> str:
    """One tile's value as numpy prints it; `--` for elements that nothing wrote."""
    value = take(f.regs[slot.index], slot.rank, np.array([row]))
    missing = value.mask if isinstance(value, Undefined) else None
    data = _numbers(slot, value.data if isinstance(value, Undefined) else array(value))
    if missing is not None:
        data = np.ma.masked_array(data, missing)
    if data.ndim == 0:
        return str(data)
    with np.printoptions(threshold=_SHOWN, edgeitems=3, linewidth=_WIDTH):
        found = str(data)
    return f"\n{textwrap.indent(found, '  ')}" if "\n" in found else found


def _numbers(slot: Slot, data: Array) -> Array:
    return df16.decode(data) if slot.dtype is not None and slot.dtype.is_df16 else data
