"""Where a tile is in the grid, and loops that stay loops."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

from spyrelang.errors import SpyreError
from spyrelang.errors import trace as errors
from spyrelang.language import tracing, variables
from spyrelang.language.carried import Carrying, Watch, targets
from spyrelang.language.conditions import integer_of
from spyrelang.language.graph import Block, Branch, Loop, LoopVar, Node, TileId
from spyrelang.language.index import MOST, Index, as_integer, symbol_index, use
from spyrelang.language.iterated import Iterated
from spyrelang.language.leaving import place_of_jump
from spyrelang.language.place import CodeInfo, Place, author_frame
from spyrelang.language.starts import Checkpoint
from spyrelang.language.statements import While
from spyrelang.language.tensor import Arithmetic
from spyrelang.language.tracing import Trace, error, fail, note

# --- the grid -------------------------------------------------------------------------------------


def tile_id(axis: int = 0) -> Index:
    """The coordinate of the executing compute tile along a grid axis.

    >>> @spyre.kernel(grid=3)
    ... def kernel(out: spy.Out):
    ...     out[spy.tile_id()] = spy.cast(spy.tile_id(), spy.i32)
    >>> out = np.zeros(3, np.int32)
    >>> run = kernel(out, engine="ktir")
    >>> out
    array([0, 1, 2], dtype=int32)
    """
    trace = tracing.current("spy.tile_id")
    return _tile_id(trace, _grid_axis(trace, axis), tracing.here().name)


def _tile_id(trace: Trace, axis: int, name: str | None = None) -> Index:
    node = TileId(place=tracing.here(), block=trace.block, name=name or "tile", axis=axis)
    return symbol_index(trace, trace.add(node))


def num_tiles(axis: int = 0) -> int:
    """The size of a grid axis, a Python int.

    >>> @spyre.kernel(grid=3)
    ... def kernel(out: spy.Out):
    ...     out[spy.tile_id()] = spy.num_tiles()
    >>> out = np.zeros(3, np.int32)
    >>> run = kernel(out, engine="ktir")
    >>> out
    array([3, 3, 3], dtype=int32)
    """
    trace = tracing.current("spy.num_tiles")
    return trace.grid[_grid_axis(trace, axis)]


def _grid_axis(trace: Trace, axis: object) -> int:
    number = as_integer(axis)
    if number is None or not 0 <= number < len(trace.grid):
        fail(errors.GRID_AXIS, axis=axis, rank=len(trace.grid), grid=trace.grid)
    return number


# --- loops ----------------------------------------------------------------------------------------


class LoopRange(Iterated):
    """What `spy.range` gives: an iterator that runs the body once, for all iterations."""

    def __init__(
        self,
        trace: Trace,
        start: Index | int,
        stop: Index | int,
        step: int,
        name: str | None = None,
        carry: object = None,
        written: str = "spy.range",
    ) -> None:
        super().__init__(written)
        self.trace = trace
        self._name = name
        self._bounds = (start, stop, step)
        self._carry = carry
        self._loop: Loop | None = None
        self._carrying = Carrying(trace)
        self._watch: Watch | None = None
        self._checkpoint: Checkpoint | None = None

    def __iter__(self) -> LoopRange:
        if self._loop is not None:
            self.misused("iterated again")
        self.check_statement()
        return self

    def __next__(self) -> Any:
        frame = author_frame()
        if self._loop is not None:
            check_closed(self.trace, self._loop.body)
            if not self._begins_again(frame):
                self._close(self._loop, frame)
                raise StopIteration
        if frame is None:
            self.misused("iterated outside of Python code")
        info = self.trace.finder.info(frame.f_code)
        self._check_use(info, frame.f_lasti)
        self._checkpoint = Checkpoint(self.trace)
        given = self._declared(frame, info)
        self._carrying.find(variables.frames(frame))
        self._carrying.prepare()
        loop = self._open()
        self._carrying.enter(loop)
        self._watch = Watch(frame, info, self._carrying.names)
        index = symbol_index(self.trace, loop.var)
        return index if given is None else self._given(index, *given)

    def _begins_again(self, frame: FrameType | None) -> bool:
        assert self._watch is not None
        assert self._checkpoint is not None
        again = self._checkpoint.again(self._carrying, self._watch, frame)
        if again:
            self._carrying = Carrying(self.trace)
        return again

    def _check_use(self, info: CodeInfo, lasti: int) -> None:
        """Only the for statement knows when the body has ended."""
        if info.opname(lasti) != "FOR_ITER":
            self.handed_on(info, lasti)
        if info.after(lasti).startswith("UNPACK") and self._carry is None:
            one = "one slice" if self.written == "spy.blocks" else "one integer"
            without = "" if self.written == "spy.blocks" else "without carry= "
            self.misused(f"unpacked; {without}it gives {one}")

    def _declared(self, frame: FrameType, info: CodeInfo) -> tuple[object, bool] | None:
        """The value of `carry` made ready, and whether the for statement unpacks it together with
        the loop variable."""
        if self._carry is None:
            return None
        counts, names = targets(info, frame.f_lasti)
        value = self._carry
        parts: list[Any] = list(value) if isinstance(value, (tuple, list)) else []  # type: ignore[reportUnknownArgumentType]
        flat = len(counts) == 1 and counts[0] == len(parts) + 1 and len(parts) > 1
        nested = len(counts) == 2 and counts == (2, len(parts))
        if not names or not (flat or nested or counts == (2,)):
            use = "given carry=, whose parts the for statement must name"
            hint = "write `for i, total in spy.range(…, carry=total):`"
            self.misused(use, hint)
        if counts == (2,):
            return self._carrying.declare(frame, names[1], value), False
        declare = self._carrying.declare
        return tuple(declare(frame, n, v) for n, v in zip(names[1:], parts, strict=True)), flat

    def _given(self, index: Index, value: object, flat: bool) -> tuple[object, ...]:
        declared = [v for v in self._carrying.variables if v.explicit]
        if len(declared) == 1:
            return index, self._carrying.start(declared[0], value)
        assert isinstance(value, tuple)
        parts = tuple(self._carrying.start(d, v) for d, v in zip(declared, value, strict=True))  # type: ignore[reportUnknownArgumentType]
        return (index, *parts) if flat else (index, parts)

    def _open(self) -> Loop:
        trace = self.trace
        start, stop, step = self._bounds
        place = tracing.here()
        loop = Loop(
            place=place,
            block=trace.block,
            start=use(trace, start),
            stop=use(trace, stop),
            step=step,
        )
        loop.body = Block(parent=trace.block, owner=loop)
        name = self._name or (place.names[0] if place.names else None) or "i"
        loop.var = LoopVar(place=place, block=loop.body, name=name, loop=loop)
        trace.add(loop)
        trace.block = loop.body
        self._loop = loop
        return loop

    def _close(self, loop: Loop, frame: FrameType | None) -> None:
        assert loop.body.parent is not None
        assert self._watch is not None
        self._carrying.leave(loop)
        self.trace.block = loop.body.parent
        refuse_changes(self._watch, frame, loop.place)
        self._carrying.restore(loop)


def refuse_changes(watch: Watch, frame: FrameType | None, place: Place) -> None:
    """Refuse what the body of a loop did to variables that it cannot carry."""
    for change in watch.changes(frame):
        kind = errors.CARRIED if change.traced else errors.LOOP_VARIABLE
        values = {"name": change.name, "before": change.before, "after": change.after}
        fail(kind, place=place, hint=change.hint, **values)


def check_closed(trace: Trace, expected: Block) -> None:
    """Refuse a loop that was left by `break`, `return` or an abandoned iterator."""
    if trace.block is not expected and trace.block.owner is not None:
        raise left(trace.block.owner)


def left(owner: Node) -> SpyreError:
    """The error of a loop or branch that does not run to its end, at the statement that leaves."""
    place, what, hint = owner.place, "spy.range loop", None
    if isinstance(owner, Branch):
        what, hint = "spy.when", "put what follows it under `with spy.when(…):` of the opposite"
    elif isinstance(owner, While):
        what = "while loop"
    jump = place_of_jump(place.location.file, place.location.line)
    if jump is None:
        return error(errors.LOOP_LEFT, place=place, what=what, hint=hint)
    return error(
        errors.LOOP_LEFT, note(f"the {what} begins here", owner),
        place=Place(jump, helper=place.helper), what=what, hint=hint,
    )  # fmt: skip


def range(start: Any, stop: Any = None, step: Any = 1, *, carry: Any = None) -> LoopRange:
    """`for i in spy.range(start, stop, step):` as a loop of the kernel.

    Bounds are ints or traced integers, the step is a positive int. The body is traced once.
    Python's own `range` unrolls.

    Variables to which the body assigns carry their tensors and integers from one iteration to the
    next and out of the loop; they keep type and shape. One that starts as a number and becomes a
    tensor (`total = 0.0`) has those of that tensor; the body is then traced twice.
    The same by name, also where a variable does not exist before the loop: `for i, acc in
    spy.range(n, carry=start):`, where `start` is a tensor, an integer, or a tuple of them.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     total = spy.zeros((2,), spy.f32)
    ...     for row in spy.range(3):
    ...         total = total + x[row, :]
    ...     out[:] = total
    >>> x, out = np.ones((3, 2), np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([3., 3.], dtype=float32)
    """
    trace = tracing.current("spy.range")
    first, last = (0, start) if stop is None else (start, stop)
    number = as_integer(step)
    if number is None or not 0 < number <= MOST:
        got = "a traced integer" if isinstance(step, Index) else repr(step)
        fail(errors.LOOP_STEP, got=got)
    return LoopRange(trace, _bound("start", first), _bound("stop", last), number, carry=carry)


def _bound(which: str, value: Any) -> Index | int:
    if isinstance(value, Index):
        return value
    if isinstance(value, Arithmetic):
        return integer_of(value, f"the {which} of spy.range")
    number = as_integer(value)
    if number is None or abs(number) > MOST:
        hint = "divide integers with //" if isinstance(value, float) else None
        fail(errors.LOOP_BOUND, which=which, got=repr(value), hint=hint)
    return number


class Blocks(Iterated):
    """What `spy.blocks` gives: slices for one for statement."""

    def __init__(self, slices: Iterator[slice]) -> None:
        super().__init__("spy.blocks")
        self._slices: Iterator[slice] | None = slices

    def __iter__(self) -> Iterator[slice]:
        if self._slices is None:
            self.misused("iterated again")
        self.check_statement()
        found, self._slices = self._slices, None
        return found

    def __next__(self) -> NoReturn:
        self.misused("handed to next")


def blocks(extent: int, block: int, axis: int | None = 0) -> Blocks:
    """This tile's share of `extent`, cut into blocks, as slices of static extent.

    Blocks go to the tiles of grid axis `axis` in turn; what is left over, less than a block, goes
    to the last tile as a slice of its own. With `axis=None` every tile takes all blocks, in
    ascending order, carrying values as `spy.range` does. The body is traced once for whole blocks
    and once for what is left over.

    >>> @spyre.kernel(grid=2)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     for cols in spy.blocks(x.shape[0], 2):
    ...         out[cols] = x[cols] + spy.cast(spy.tile_id(), spy.f32)
    >>> x, out = np.zeros(5, np.float32), np.zeros(5, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([0., 0., 1., 1., 1.], dtype=float32)
    """
    trace = tracing.current("spy.blocks")
    size, width = as_integer(extent), as_integer(block)
    if size is None or not 0 <= size <= MOST or width is None or not 0 < width <= MOST:
        fail(errors.BLOCK_SIZE, extent=extent, block=block)
    if axis is None:
        return Blocks(_all(trace, size, width))
    return Blocks(_share(trace, size, width, _grid_axis(trace, axis)))


def _counted(trace: Trace, start: Index | int, stop: int, step: int, name: str) -> LoopRange:
    return LoopRange(trace, start, stop, step, name, written="spy.blocks")


def _all(trace: Trace, size: int, width: int) -> Iterator[slice]:
    """One loop, and the tail behind it."""
    whole, tail = divmod(size, width)
    if whole:
        for number in _counted(trace, 0, whole, 1, "block"):
            start = number * width
            yield slice(start, start + width)
    if tail:
        yield slice(whole * width, size)


def _share(trace: Trace, size: int, width: int, axis: int) -> Iterator[slice]:
    """Two loops. The tail's runs once on the last tile and not at all on the others."""
    whole, tail = divmod(size, width)
    tiles = trace.grid[axis]
    if whole:
        for number in _counted(trace, _tile_id(trace, axis), whole, tiles, "block"):
            start = number * width
            yield slice(start, start + width)
    if tail:
        first = whole + (tiles - 1) - _tile_id(trace, axis)
        for _ in _counted(trace, first, whole + 1, tiles, "tail"):
            yield slice(whole * width, size)
