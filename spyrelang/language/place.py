"""Where the author's code stands: location, columns and receiving variables, from bytecode.

No source text is needed, so this works at a bare prompt too (see `source` for the line's text).
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType

from spyrelang.errors import Location
from spyrelang.language.source import in_file, source_line

_SKIPPED = frozenset({"EXTENDED_ARG", "CACHE", "COPY", "NOP"})
_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"})
_WINDOW = 64
OURS = "_spy_"
"""How the names of the variables of rewritten functions begin that no author wrote."""
_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF"})


@dataclass(frozen=True)
class Place:
    """One point of the author's code.

    `location` is in the kernel; `helper` is where the point really is when the kernel called a
    helper, with the helper's name. `names` are the variables that receive the result.
    """

    location: Location
    names: tuple[str, ...] = ()
    helper: tuple[str, Location] | None = None

    @property
    def name(self) -> str | None:
        """The variable that receives the whole result."""
        return self.names[0] if len(self.names) == 1 else None


class CodeInfo:
    """What is known about one code object. Made once per code object and trace."""

    def __init__(self, code: CodeType) -> None:
        self.code = code

    @cached_property
    def _positions(self) -> list[tuple[int | None, ...]]:
        return list(self.code.co_positions())

    @cached_property
    def instructions(self) -> list[dis.Instruction]:
        return list(dis.get_instructions(self.code))

    @cached_property
    def _offsets(self) -> list[int]:
        return [i.offset for i in self.instructions]

    def index(self, lasti: int) -> int:
        """The number of the instruction at byte offset `lasti` or, in its cache, before it."""
        return max(0, bisect_right(self._offsets, lasti) - 1)

    def location(self, lasti: int) -> Location:
        """The range of the instruction at `lasti`; columns count characters from 1."""
        unit = max(0, lasti // 2)
        line, end_line, col, end_col = self._positions[unit] if self._positions else (None,) * 4
        filename = self.code.co_filename
        if line is None:
            return Location(filename, self.code.co_firstlineno)
        text = source_line(self.code, line)
        kept = None if in_file(self.code) else text or ""  # never another code's text
        if col is None or end_col is None:
            return Location(filename, line, source=kept)
        if end_line != line:
            end_col = len(text.encode()) if text is not None else col + 1
        return _range(filename, line, col, end_col, text, kept)

    def names(self, lasti: int) -> tuple[str, ...]:
        """The variables that get the result of the instruction at `lasti`."""
        found = _stores(self._after(lasti))
        named = (n for n in found if n.isidentifier() and n.strip("_"))
        return tuple(n for n in named if not n.startswith(OURS))

    def opname(self, lasti: int) -> str:
        """The name of the instruction at `lasti`."""
        return self.instructions[self.index(lasti)].opname

    def after(self, lasti: int) -> str:
        """The name of the instruction after the one at `lasti`."""
        return next((i.opname for i in self._after(lasti)), "")

    def _after(self, lasti: int) -> Iterator[dis.Instruction]:
        """The few instructions after the one at `lasti` that can store its result."""
        start = self.index(lasti) + 1
        window = self.instructions[start : start + _WINDOW]
        return (i for i in window if i.opname not in _SKIPPED)

    def callee(self, lasti: int) -> str | None:
        """The plain name that the call at `lasti` calls: it starts where the call does."""
        at = self.index(lasti)
        start = self.instructions[at].positions
        for instruction in reversed(self.instructions[:at]):
            where = instruction.positions
            if instruction.opname not in _LOADS or where is None or start is None:
                continue
            if (where.lineno, where.col_offset) == (start.lineno, start.col_offset):
                return str(instruction.argval)
        return None


def _range(
    file: str, line: int, col: int, end_col: int, text: str | None, kept: str | None
) -> Location:
    """Columns that count UTF-8 bytes from 0, as characters from 1."""
    start, end = _characters(text, col), _characters(text, end_col)
    return Location(file, line, start + 1, end + 1, kept)


def span(file: str, node: ast.stmt | ast.expr | ast.arg, text: str) -> Location:
    """Where a piece of the syntax of `text`, the contents of `file`, stands: its first line."""
    line = text.splitlines()[node.lineno - 1]
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    kept = None if linecache.getline(file, 1) else line
    return _range(file, node.lineno, node.col_offset, end or len(line.encode()), line, kept)


def _characters(text: str | None, column: int) -> int:
    """Python's columns count UTF-8 bytes."""
    if text is None or text.isascii():
        return column
    return len(text.encode()[:column].decode(errors="ignore"))


def _stores(instructions: Iterator[dis.Instruction]) -> Iterator[str]:
    """The names that the next instructions store to; several after an unpacking."""
    wanted = 1
    for instruction in instructions:
        if instruction.opname == "UNPACK_SEQUENCE" and wanted == 1:
            wanted = int(instruction.argval)
        elif instruction.opname.startswith("STORE_") and instruction.opname != "STORE_SUBSCR":
            value = instruction.argval
            yield value if isinstance(value, str) else str(value[0])
            wanted -= 1
        else:
            return
        if wanted <= 0:
            return


_PACKAGE = os.path.dirname(os.path.dirname(_stores.__code__.co_filename)) + os.sep
"""Where our own code lives, spelt as our own code objects spell it."""


def is_author(frame: FrameType) -> bool:
    """Whether a frame is not spyrelang's own."""
    return not frame.f_code.co_filename.startswith(_PACKAGE)


def author_frame() -> FrameType | None:
    """The innermost frame that is not spyrelang's own."""
    frame = inspect.currentframe()
    while frame is not None and not is_author(frame):
        frame = frame.f_back
    return frame


class Finder:
    """Finds places; holds what it learnt about code objects."""

    def __init__(self, kernel: CodeType | None = None) -> None:
        self._kernel = kernel
        self._infos: dict[int, CodeInfo] = {}

    def info(self, code: CodeType) -> CodeInfo:
        found = self._infos.get(id(code))
        if found is None:
            found = self._infos[id(code)] = CodeInfo(code)
        return found

    def place(self) -> Place:
        """The place of the author's code that is running now."""
        inner = author_frame()
        if inner is None:
            return Place(Location("<unknown>"))
        names = self.info(inner.f_code).names(inner.f_lasti)
        outer = self._kernel_frame(inner)
        if inner.f_code.co_name in _COMPREHENSIONS and inner.f_back is outer:
            outer = inner  # a comprehension of the kernel itself is no helper
        location = self._location(outer or inner)
        if outer is None or outer is inner:
            return Place(location, names)
        return Place(location, names, (inner.f_code.co_name, self._location(inner)))

    def current(self) -> tuple[CodeInfo, int] | None:
        """The code and the offset of the author's instruction that is running now."""
        frame = author_frame()
        return None if frame is None else (self.info(frame.f_code), frame.f_lasti)

    def _location(self, frame: FrameType) -> Location:
        return self.info(frame.f_code).location(frame.f_lasti)

    def _kernel_frame(self, frame: FrameType | None) -> FrameType | None:
        while frame is not None and frame.f_code is not self._kernel:
            frame = frame.f_back
        return frame
