"""Numbers of Python that a loop turns into tensors: `total = 0.0` before `total = total + row`.

Type and shape are known when the body has been traced once, with the number itself. Then the body
is forgotten, the variable gets a tensor of such elements, and the body is traced again.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from spyrelang.errors import SpyreError
from spyrelang.language import variables as author
from spyrelang.language.carried import Carrying, Watch
from spyrelang.language.graph import Block
from spyrelang.language.shapes import full
from spyrelang.language.standing import number_of
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace
from spyrelang.language.variables import Leaf


@dataclass
class _Start:
    """A variable, and the tensor that it shall hold when the loop begins."""

    frame: FrameType
    name: str
    value: Tensor


class Checkpoint:
    """What was recorded before a loop."""

    def __init__(self, trace: Trace, mark: int | None = None) -> None:
        self._trace = trace
        self._block: Block = trace.block
        self._count = len(trace.block.nodes) if mark is None else mark
        self._stored = set(trace.stored)

    def again(self, carrying: Carrying, watch: Watch, frame: FrameType | None) -> bool:
        """Whether the loop, whose body has ended, is to be traced again: then everything is as it
        was before, but for variables that held numbers."""
        starts = _starts(carrying, watch, frame)
        if frame is None or not starts or watch.containers_changed():
            return False
        trace = self._trace
        trace.block = self._block
        del self._block.nodes[self._count :]
        trace.stored.clear()
        trace.stored |= self._stored
        carrying.undo()
        watch.undo(frame)
        for start in starts:
            author.assign(start.frame, start.name, start.value)
        return True


def _starts(carrying: Carrying, watch: Watch, frame: FrameType | None) -> list[_Start]:
    """The numbers that became tensors; none where one does not fit its tensor's type."""
    if frame is None:
        return []
    found = [(frame, name, old, new) for name, old, new in watch.numbers(frame)]
    for variable in carrying.variables:
        if not isinstance(variable.held, Leaf) or variable.explicit:
            continue
        old = number_of(variable.held.value)
        new = variable.frame.f_locals.get(variable.name)
        if old is not None and isinstance(new, Tensor):
            found.append((variable.frame, variable.name, old, new))
    try:
        return [_Start(f, name, full(new.shape, old, new.dtype)) for f, name, old, new in found]
    except SpyreError:
        return []
