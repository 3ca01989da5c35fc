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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spyrelang.ir.cursor import Cursor, literal

if TYPE_CHECKING:
    from spyrelang.ir.opdef import OpDef, Region


@dataclass
class Body:
    """The text of a region: block arguments as (name, type, location) and the lines of its ops.

    `labelled`: MLIR printed a block label, as it does for arguments and for an empty block.
    `hidden`: the line of a terminator that custom text does not show.
    """

    args: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    text: str = ""
    labelled: bool = False
    hidden: str = ""


class Draft:
    """An op on its way between the two texts: operands and types by segment, attributes, bodies.

    `block_args` are (name, type) pairs that a piece read for the body behind it.
    `results` are the names on the left of the equals sign; `indent` and `bodies` are set when
    printing.
    """

    __slots__ = ("attrs", "block_args", "bodies", "indent", "op", "operands", "results", "types")

    def __init__(self, op: OpDef, attrs: dict[str, str | None] | None = None) -> None:
        self.op = op
        self.operands: dict[str, list[str]] = {}
        self.types: dict[str, list[str]] = {}
        self.attrs: dict[str, str | None] = {} if attrs is None else attrs
        self.indent = ""
        self.bodies: list[Body] = []
        self.results: list[str] = []
        self.block_args: list[tuple[str, str]] = []

    def one(self, segment: str) -> str:
        """The only operand of a segment."""
        return self.operands[segment][0]

    def has(self, name: str) -> bool:
        """Is this segment, result or attribute present?"""
        return bool(self.operands.get(name) or self.types.get(name)) or name in self.attrs

    def values(self, segment: str) -> str:
        """The operands of a segment, joined."""
        return ", ".join(self.operands.get(segment, ()))

    def type_list(self, *names: str) -> str:
        """The types of segments and results, joined."""
        return ", ".join(t for name in names for t in self.types.get(name, ()))


@dataclass(frozen=True)
class Open:
    """What a region op's reader yields when the text stands at a region's `{`.

    `label` is the block label to write for MLIR (None: the text may hold its own).
    """

    region: Region
    label: str | None = None
    brace: bool = True


class Piece:
    """A part of an assembly. `shows` names the attributes that it prints."""

    shows: frozenset[str] = frozenset()
    anchor: str | None = None

    def read(self, c: Cursor, d: Draft) -> None:
        """Consume text, fill the draft; raise `Malformed` (from `c.fail`)."""
        raise NotImplementedError

    def write(self, d: Draft) -> str:
        """The text of this piece."""
        raise NotImplementedError

    def starts(self, c: Cursor, d: Draft) -> bool:
        """Does this piece come next (for optional groups)?"""
        del c, d
        return False


class RegionPiece(Piece):
    """A piece that holds regions: `read_regions` yields once per region, at its `{`."""

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        """Read around the regions; the driver reads each yielded one."""
        raise NotImplementedError


class Custom(Piece):
    """A piece made of two functions."""

    def __init__(
        self,
        read: Callable[[Cursor, Draft], None],
        write: Callable[[Draft], str],
        shows: Sequence[str] = (),
        anchor: str | None = None,
        starts: str | None = None,
    ) -> None:
        self._read, self._write = read, write
        self.shows = frozenset(shows)
        self.anchor = anchor
        self._starts = starts

    def read(self, c: Cursor, d: Draft) -> None:
        self._read(c, d)

    def write(self, d: Draft) -> str:
        return self._write(d)

    def starts(self, c: Cursor, d: Draft) -> bool:
        return self._starts is not None and c.peek(self._starts)


class Only(Piece):
    """Writes nothing. An op that `sayable` denies has only its generic form."""

    def __init__(self, sayable: Callable[[Draft], bool]) -> None:
        self._sayable = sayable

    def read(self, c: Cursor, d: Draft) -> None:
        pass

    def write(self, d: Draft) -> str:
        if not self._sayable(d):
            raise ValueError(f"{d.op.name} has no custom form for this")
        return ""


def no_entries(*known: str) -> Only:
    """For a form without a dictionary: no attributes but those that it shows otherwise."""
    from spyrelang.ir.opdef import SEGMENTS

    return Only(lambda d: d.attrs.keys() <= {SEGMENTS, *known})


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


class Types(Piece):
    """The types of a segment or result; `short` is the type name that the text leaves out."""

    def __init__(self, name: str, count: str, is_result: bool, short: str | None) -> None:
        self.name = self.anchor = name
        self._many = count == "many"
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
        for key, value in c.dictionary().items():
            if key in self.hidden:
                raise c.fail(f"'{key}' cannot be written in the dictionary here", start)
            d.attrs[key] = value

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
    """The compiled custom form of an op."""

    pieces: tuple[Piece, ...]
    has_regions: bool

    def read(self, c: Cursor, d: Draft) -> Iterator[Open]:
        """Read all pieces; yields at every region."""
        for piece in self.pieces:
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
    return Assembly(pieces, any(isinstance(p, RegionPiece) for p in pieces))


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
