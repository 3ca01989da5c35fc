"""`while` on traced values: as a plain statement (see `frontend.rewrite`) and as `spy.while_`.

The condition is asked for first as Python does. Where the answer is a plain bool, the loop is
Python's. Where it is traced, the loop becomes one of the kernel: the condition is asked for once
more with what the loop carries, then the body is traced once.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language import tracing, variables
from spyrelang.language.carried import Carrying, Watch, targets
from spyrelang.language.conditions import Condition, condition_of
from spyrelang.language.control import check_closed, refuse_changes
from spyrelang.language.graph import Block
from spyrelang.language.index import Index, Traced
from spyrelang.language.iterated import Iterated
from spyrelang.language.place import author_frame
from spyrelang.language.starts import Checkpoint
from spyrelang.language.statements import While
from spyrelang.language.tracing import Trace, fail

_NOTHING = object()


class Repetition:
    """One loop; `answer` takes what its condition gave and says what comes next."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.carrying = Carrying(trace)
        self._loop: While | None = None
        self._watch: Watch | None = None
        self._checkpoint: Checkpoint | None = None
        self._mark = 0

    def ask(self) -> None:
        """The condition is about to be computed."""
        self._mark = len(self.trace.block.nodes)

    def answer(self, test: Any, frame: FrameType) -> str:
        """Take what the condition gave; what comes next is "body", "ask" (once more, now inside of
        the loop) or "stop"."""
        if self._loop is not None:
            self._start_body(self._loop, test, frame)
            return "body"
        traced = isinstance(test, Traced) and not isinstance(test, Index)
        if isinstance(test, Condition) and test.known is False:
            return "stop"
        if not traced:
            return "body" if test else "stop"
        self._open(frame)
        return "ask"

    def begins_again(self, frame: FrameType | None) -> bool:
        """Whether the loop is to be asked for and traced once more, from its beginning."""
        loop, watch, checkpoint = self._loop, self._watch, self._checkpoint
        assert loop is not None
        assert watch is not None
        assert checkpoint is not None
        check_closed(self.trace, loop.run)
        again = checkpoint.again(self.carrying, watch, frame)
        if again:
            self._loop = self._watch = None
            self.carrying = Carrying(self.trace)
        return again

    @property
    def closed(self) -> bool:
        """Whether the body of the kernel's loop has been traced."""
        return self._watch is not None

    def declare(self, frame: FrameType) -> None:
        """Name what is carried before the loop begins."""

    def _open(self, frame: FrameType) -> None:
        """Forget the condition of no iteration, and begin the loop."""
        trace, place = self.trace, tracing.here()
        del trace.block.nodes[self._mark :]
        self._checkpoint = Checkpoint(trace)
        self.declare(frame)
        self.carrying.find(variables.frames(frame))
        self.carrying.prepare()
        loop = While(place=place, block=trace.block)
        loop.body = Block(parent=trace.block, owner=loop)
        loop.test = Block(parent=loop.body, owner=loop)
        loop.run = Block(parent=loop.body, owner=loop)
        trace.add(loop)
        trace.block = loop.body
        self.carrying.enter(loop)
        trace.block = loop.test
        self._loop = loop

    def _start_body(self, loop: While, test: Any, frame: FrameType) -> None:
        check_closed(self.trace, loop.test)
        condition = condition_of(test, "`while`")
        if condition.known is True:
            fail(errors.ENDLESS, place=loop.place)
        loop.condition = condition.node
        self.trace.block = loop.run
        info = self.trace.finder.info(frame.f_code)
        self._watch = Watch(frame, info, self.carrying.names)

    def close(self, frame: FrameType | None) -> None:
        """The body has been traced."""
        loop, watch = self._loop, self._watch
        assert loop is not None
        assert watch is not None
        check_closed(self.trace, loop.run)
        self.carrying.leave(loop)
        self.trace.block = loop.block
        refuse_changes(watch, frame, loop.place)
        self.carrying.restore(loop)


# --- a plain statement ----------------------------------------------------------------------------


class Statement:
    """What a rewritten `while` iterates over: it gives itself, first to be told the condition
    (`asking`, `answer`), then for the body."""

    def __init__(self) -> None:
        self.asking = True
        self.answer: Any = _NOTHING
        self._found: Repetition | None = None

    def __iter__(self) -> Statement:
        return self

    def __next__(self) -> Statement:
        if self._found is None:
            self._found = Repetition(tracing.current("while"))
        found, frame = self._found, author_frame()
        assert frame is not None
        if self.answer is _NOTHING:
            if found.closed and not found.begins_again(frame):
                found.close(frame)
                raise StopIteration
            found.ask()
            self.asking = True
            return self
        test, self.answer = self.answer, _NOTHING
        then = found.answer(test, frame)
        if then == "stop":
            raise StopIteration
        self.asking = then == "ask"
        return self


# --- a function -----------------------------------------------------------------------------------


def while_(condition: Callable[..., Any], *, carry: Any = None) -> While_:
    """`for _ in spy.while_(lambda: i < n):` repeats the body as long as the condition holds.

    `condition` gives a comparison of traced integers, logic on such, or a tensor of one boolean.
    Variables to which the body assigns are carried, as by `spy.range`. With `carry`, a tensor, an
    integer or a tuple of them, the for statement names what is carried, and the condition gets it:
    `for lo, hi in spy.while_(lambda lo, hi: lo < hi, carry=(lo, hi)):`. Where the source can be
    read, a plain `while i < n:` does the same.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     v = spy.load(x[:])
    ...     for _ in spy.while_(lambda: spy.max(v) < 100.0):
    ...         v = v * 2
    ...     out[:] = v
    >>> x, out = np.array([1, 3], np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([ 64., 192.], dtype=float32)
    """
    trace = tracing.current("spy.while_")
    if not callable(condition):
        got = condition.describe() if isinstance(condition, Traced) else repr(condition)[:40]
        hint = "pass a function: spy.while_(lambda: i < n)"
        fail(errors.OPERAND, op="spy.while_", got=got, hint=hint)
    return While_(trace, condition, carry)


class While_(Repetition, Iterated):
    """What `spy.while_` gives."""

    def __init__(self, trace: Trace, condition: Callable[..., Any], carry: Any) -> None:
        Repetition.__init__(self, trace)
        Iterated.__init__(self, "spy.while_")
        self._condition = condition
        several = isinstance(carry, (tuple, list)) and len(carry) > 1  # type: ignore[reportUnknownArgumentType]
        self._given: list[Any] = [] if carry is None else list(carry) if several else [carry]  # type: ignore[reportUnknownArgumentType]
        self._names: list[str] | None = None

    def misused(self, use: str, hint: str | None = None) -> NoReturn:
        """It was used otherwise; there are no bounds that a hint could speak of."""
        del hint
        loop = "`for _ in spy.while_(condition):` or `for total in spy.while_(…, carry=total):`"
        super().misused(use, f"write {loop}")

    def __iter__(self) -> While_:
        if self._names is not None:
            self.misused("iterated again")
        self.check_statement()
        return self

    def __next__(self) -> Any:
        frame = author_frame()
        if self.closed and (self._given or not self.begins_again(frame)):
            self.close(frame)
            raise StopIteration
        assert frame is not None
        self._begin(frame)
        while True:
            self.ask()
            then = self.answer(self._condition(*self._given), frame)
            if then == "stop":
                raise StopIteration
            if then == "body":
                return tuple(self._given) if len(self._given) > 1 else (*self._given, None)[0]
            declared = [v for v in self.carrying.variables if v.explicit]
            pairs = zip(declared, self._given, strict=True)
            self._given = [self.carrying.start(d, v) for d, v in pairs]

    def _begin(self, frame: FrameType) -> None:
        """Find the targets of the for statement; later, what a body of Python's left in them."""
        if self._names is not None:
            self._given = [frame.f_locals.get(name) for name in self._names]
            return
        info = self.trace.finder.info(frame.f_code)
        if info.opname(frame.f_lasti) != "FOR_ITER":
            self.misused("not iterated by a for statement")
        counts, names = targets(info, frame.f_lasti)
        count = len(self._given)
        if count and (counts, len(names)) != (() if count == 1 else (count,), count):
            self.misused("given carry=, whose parts the for statement must name")
        self._names = names[:count]

    def declare(self, frame: FrameType) -> None:
        pairs = zip(self._names or (), self._given, strict=True)
        self._given = [self.carrying.declare(frame, name, value) for name, value in pairs]
