"""What the custom text of an op is made of: pieces, which read and write, and drafts of ops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spyrelang.ir.cursor import Cursor

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

    def pattern(self, single: set[str]) -> str | None:
        """A regular expression of the usual text with one group, if any, which `found` gets; None
        where `read` must look. It takes just what `read` would take; see `Run`.

        `single` holds the segments that pieces before this one read as one value."""
        del single
        return None

    def found(self, c: Cursor, d: Draft, text: str, pos: int) -> None:
        """Fill the draft with what the group of the pattern holds, which stands at `pos`."""
        raise NotImplementedError


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


class Run(Piece):
    """Neighbouring pieces that one pattern reads where the text is as usual."""

    def __init__(self, pieces: Sequence[Piece], patterns: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        # Atomic: no part may give back what it took, as if the pieces read one after the other.
        self._pattern = re.compile("".join(f"(?>{p})" for p in patterns))
        self._filled = [
            p for p, text in zip(pieces, patterns, strict=True) if re.compile(text).groups
        ]

    def read(self, c: Cursor, d: Draft) -> None:
        found = self._pattern.match(c.text, c.pos)
        if found is None:
            for piece in self.pieces:
                piece.read(c, d)
            return
        c.pos = found.end()
        for i, piece in enumerate(self._filled, 1):
            piece.found(c, d, found[i], found.start(i))


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces with those that a pattern can read together as one."""
    steps: list[Piece] = []
    run: list[tuple[Piece, str]] = []
    single: set[str] = set()
    for piece in (*pieces, None):
        pattern = None if piece is None else piece.pattern(single)
        if piece is not None and pattern is not None:
            run.append((piece, pattern))
            continue
        if len(run) > 1:
            steps.append(Run([p for p, _ in run], [text for _, text in run]))
        else:
            steps += [p for p, _ in run]
        run.clear()
        if piece is not None:
            steps.append(piece)
    return tuple(steps)
