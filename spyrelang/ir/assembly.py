"""The custom text of an op, from a template or from hand-written pieces.

Template language: literal text is printed as it stands and read with any blanks in between;

* `$name`       an operand segment (values joined by commas), an attribute's value, a region, or a
                piece given in `custom`;
* `$name:type`  the types of a segment or result; `$name:short(!d.t)` the type without its name;
* `$dict`       the dictionary of all attributes that nothing else prints, with a blank before it;
* `{? … ?}`     printed where the first `$name` inside is present; read where its first literal
                comes next; one that starts with a segment where a value comes next, one that
                starts with types where their segment is present.

A hand-written piece is a `Piece`: `read` consumes text and fills the draft, `write` gives text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spyrelang.ir import scan
from spyrelang.ir.cursor import ONE_FLAT_SHORT, ONE_FLAT_TYPE, ONE_VALUE, Cursor, literal
from spyrelang.ir.pieces import Draft, Open, Piece, RegionPiece, joined

if TYPE_CHECKING:
    from spyrelang.ir.opdef import OpDef, Region


class Lit(Piece):
    """Literal text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._blank = not text.strip()

    def read(self, c: Cursor, d: Draft) -> None:
        if not self._blank:
            c.expect(self.text)

    def write(self, d: Draft) -> str:
        return self.text.replace("\n", "\n" + d.indent)

    def starts(self, c: Cursor, d: Draft) -> bool:
        return literal(self.text).match(c.text, c.pos) is not None

    def pattern(self, single: set[str]) -> str | None:
        del single
        return "" if self._blank else literal(self.text).pattern


class Values(Piece):
    """The operands of a segment."""

    def __init__(self, name: str, count: str) -> None:
        self.name = self.anchor = name
        self._single = count == "one"

    def read(self, c: Cursor, d: Draft) -> None:
        d.operands[self.name] = [c.value()] if self._single else c.values()

    def write(self, d: Draft) -> str:
        return ", ".join(d.operands[self.name])

    def starts(self, c: Cursor, d: Draft) -> bool:
        return c.text.startswith("%", c.start())

    def pattern(self, single: set[str]) -> str | None:
        if not self._single:
            return None
        single.add(self.name)
        return ONE_VALUE

    def found(self, c: Cursor, d: Draft, text: str, pos: int) -> None:
        d.operands[self.name] = [text]
        c.places[text] = pos


class Types(Piece):
    """The types of a segment or result; `short` is the type name that the text leaves out."""

    def __init__(self, name: str, count: str, is_result: bool, short: str | None) -> None:
        self.name = self.anchor = name
        self._many = count == "many"
        self._single = count == "one"
        self._is_result = is_result
        self._short = short

    def _one(self, c: Cursor) -> str:
        return c.type() if self._short is None else c.short_type(self._short)

    def read(self, c: Cursor, d: Draft) -> None:
        if self._many and self._is_result:
            d.types[self.name] = [self._one(c)]
            while c.take(","):
                d.types[self.name].append(self._one(c))
            return
        count = 1 if self._is_result else len(d.operands.get(self.name, ()))
        found: list[str] = []
        for i in range(count):
            if i:
                c.expect(",")
            found.append(self._one(c))
        d.types[self.name] = found

    def write(self, d: Draft) -> str:
        types = d.types[self.name]
        if self._short is not None:
            types = [t.removeprefix(self._short) for t in types]
        return ", ".join(types)

    def starts(self, c: Cursor, d: Draft) -> bool:
        return bool(d.operands.get(self.name))

    def pattern(self, single: set[str]) -> str | None:
        if not self._single or not (self._is_result or self.name in single):
            return None
        return ONE_FLAT_TYPE if self._short is None else ONE_FLAT_SHORT

    def found(self, c: Cursor, d: Draft, text: str, pos: int) -> None:
        d.types[self.name] = [c.flat_type((self._short or "") + text, pos)]


class Value(Piece):
    """The value of an attribute."""

    def __init__(self, name: str) -> None:
        self.name = self.anchor = name
        self.shows = frozenset({name})

    def read(self, c: Cursor, d: Draft) -> None:
        d.attrs[self.name] = c.plain_attribute()

    def write(self, d: Draft) -> str:
        return d.attrs.get(self.name) or "unit"


class Dict(Piece):
    """The dictionary of everything that no other piece shows.

    `before` is printed before it, `always` prints `{}` where it is empty and demands it on input.
    """

    def __init__(self, before: str = " ", always: bool = False, word: str = "") -> None:
        self._before = before
        self._always = always
        self._word = word
        self.hidden: frozenset[str] = frozenset()
        self.defaults: Mapping[str, str] = {}

    def read(self, c: Cursor, d: Draft) -> None:
        if self._word:
            if not c.take(self._word):
                return
        elif not self._always and c.text[c.start() : c.start() + 1] not in ("{", "#"):
            return
        start = c.start()
        self._enter(c, d, c.dictionary(), start)

    def _enter(self, c: Cursor, d: Draft, entries: Mapping[str, str | None], start: int) -> None:
        for key in self.hidden & entries.keys():
            raise c.fail(f"'{key}' cannot be written in the dictionary here", start)
        d.attrs.update(entries)

    def pattern(self, single: set[str]) -> str | None:
        del single
        if self._word or self._always:
            return None
        return rf"(?:{scan.BLANK}(\{{{scan.INSIDE}\}}))?(?!{scan.BLANK}[{{#])"

    def found(self, c: Cursor, d: Draft, text: str, pos: int) -> None:
        if text:
            self._enter(c, d, c.inside(text[1:-1], pos + 1), pos)

    def write(self, d: Draft) -> str:
        shown = self.entries(d)
        if not shown and not self._always:
            return ""
        word = f"{self._word} " if self._word else ""
        return f"{self._before}{word}{{{', '.join(shown)}}}"

    def entries(self, d: Draft) -> list[str]:
        """The printed entries."""
        hidden, defaults = self.hidden, self.defaults
        return [
            key if value is None else f"{key} = {value}"
            for key, value in d.attrs.items()
            if key not in hidden and (key not in defaults or defaults[key] != value)
        ]

    def starts(self, c: Cursor, d: Draft) -> bool:
        return c.peek(self._word or "{")


class Group(Piece):
    """An optional group."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = tuple(pieces)
        self.shows = frozenset[str]().union(*(p.shows for p in pieces))
        self.anchor = next((p.anchor for p in pieces if p.anchor is not None), None)
        self._first = next(p for p in pieces if not (isinstance(p, Lit) and not p.text.strip()))

    def read(self, c: Cursor, d: Draft) -> None:
        if self.starts(c, d):
            for piece in self.pieces:
                piece.read(c, d)

    def write(self, d: Draft) -> str:
        if self.anchor is None or not d.has(self.anchor):
            return ""
        return "".join(p.write(d) for p in self.pieces)

    def starts(self, c: Cursor, d: Draft) -> bool:
        return self._first.starts(c, d)


class RegionBody(RegionPiece):
    """One region in braces. `args` gives the block arguments for MLIR from the draft.

    `labels` keeps the block label in the custom text, where nothing else shows the arguments.
    """

    def __init__(
        self,
        region: Region,
        args: Callable[[Draft], Sequence[tuple[str, str]]] | None = None,
        labels: bool = False,
    ) -> None:
        self.region = region
        self._args = args
        self._labels = labels

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        label = None if self._labels else block_label(self._args(d) if self._args else ())
        yield Open(self.region, label)

    def write(self, d: Draft) -> str:
        body = d.bodies[0]
        text = body.text
        if self.region.filled and not text:
            raise ValueError("an empty block")
        if self._labels and body.args:
            shown = ", ".join(f"{n}: {t}{loc}" for n, t, loc in body.args)
            text = f"{d.indent}^bb0({shown}):\n{text}"
        return f"{{\n{text}{d.indent}}}"


def block_label(args: Sequence[tuple[str, str]]) -> str:
    """A block label for MLIR."""
    if not args:
        return "^bb0:"
    return f"^bb0({', '.join(f'{name}: {type}' for name, type in args)}):"


@dataclass
class Assembly:
    """The compiled custom form of an op: the pieces that write it, and the steps that read it."""

    pieces: tuple[Piece, ...]
    has_regions: bool
    steps: tuple[Piece, ...]

    def read(self, c: Cursor, d: Draft) -> Iterator[Open]:
        """Read all pieces; yields at every region."""
        for piece in self.steps:
            if isinstance(piece, RegionPiece):
                yield from piece.read_regions(c, d)
            else:
                piece.read(c, d)

    def write(self, d: Draft) -> str:
        """The text behind the op's name."""
        return "".join([p.write(d) for p in self.pieces])


_TEMPLATE = re.compile(r"\{\?|\?\}|\$(\w+)(?::(type|short)(?:\((![\w.]+)\))?)?")


def compile_assembly(op: OpDef, template: str | None, custom: dict[str, Piece]) -> Assembly | None:
    """The pieces of a template; None without one. Mistakes in a declaration are bugs of ours."""
    if template is None:
        return None
    stack: list[list[Piece]] = [[]]
    pos = 0
    for found in _TEMPLATE.finditer(template):
        if found.start() > pos:
            stack[-1].append(Lit(template[pos : found.start()]))
        pos = found.end()
        if found.group() == "{?":
            stack.append([])
        elif found.group() == "?}":
            group = Group(stack.pop())
            stack[-1].append(group)
        else:
            stack[-1].append(_directive(op, custom, *found.groups()))
    if pos < len(template):
        stack[-1].append(Lit(template[pos:]))
    pieces = tuple(stack[0])
    _tell_dicts(op, pieces)
    return Assembly(pieces, any(isinstance(p, RegionPiece) for p in pieces), joined(pieces))


def _directive(
    op: OpDef, custom: dict[str, Piece], name: str, what: str | None, short: str | None
) -> Piece:
    if name in custom:
        return custom[name]
    if name == "dict":
        return Dict()
    operand = next((p for p in op.parts if p.name == name), None)
    if what is not None:
        part = operand or next(p for p in op.results if p.name == name)
        return Types(name, part.count, operand is None, short)
    if operand is not None:
        return Values(name, operand.count)
    region = next((r for r in op.regions if r.name == name), None)
    if region is not None:
        return RegionBody(region)
    if not any(a.name == name for a in op.attributes):
        raise AssertionError(f"{op.name} has nothing called ${name}")
    return Value(name)


def _tell_dicts(op: OpDef, pieces: Sequence[Piece]) -> None:
    from spyrelang.ir.opdef import SEGMENTS

    shown = frozenset({SEGMENTS}).union(*(p.shows for p in pieces))
    for piece in pieces:
        if isinstance(piece, Dict):
            piece.hidden |= shown
            piece.defaults = op.defaults
