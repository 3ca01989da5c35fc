"""From an author's text to text that plain MLIR parses.

One pass finds the ops of our dialects. Each is read by its declaration and written in generic
form; everything else stays as it is, save for aliases and spellings. Newlines are kept one to one
and every piece of output remembers where it came from, so MLIR's positions can be mapped back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from spyrelang.errors.text import MALFORMED
from spyrelang.ir import opdef, scan
from spyrelang.ir.assembly import block_label
from spyrelang.ir.cursor import Cursor, Malformed
from spyrelang.ir.malformed import bad_text, malformed, unbalanced
from spyrelang.ir.opdef import SEGMENTS, OpDef, Region
from spyrelang.ir.pieces import Draft, Open
from spyrelang.ir.sourcemap import Chunks, SourceMap, location_at
from spyrelang.ir.translate import BadText, Translator, check_stand_ins

_FREE = Region("free", args=None, many=True)
_PDL_WORDS = ("operation", "apply_native_constraint", "apply_native_rewrite")
_REST_OF_LINE = re.compile(r"[ \t]*\}?[ \t]*(?://[^\n]*)?(?:\n|$)")
_MORE_IN_LINE = re.compile(r"[^\n]*(?:%|\{[ \t]*[^\s{}])")

_NAMED_AS_BODY = re.compile(rf"\blinalg\.(?:map|reduce){scan.BLANK}\{{{scan.BLANK}$")
_LOOK_BACK = 200
_NAMED_IN_PDL = re.compile(r"\b(?:operation|apply_native_constraint|apply_native_rewrite|with)\s*$")


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What the main scan stops at; the second also at bare names of ktdf_arch-like regions."""
    opdef.load_dialects()
    dialects = "|".join(sorted(opdef.DIALECTS, key=len, reverse=True))
    common = (
        rf'"(?P<generic>(?:{dialects})\.[\w.]+)"(?={scan.BLANK}\()'
        rf"|(?P<skip>{scan.STRING}|{scan.COMMENT}|{scan.PLAIN}|->|>=|<=)"
        r"|(?P<open>[<({\[])|(?P<close>[>)}\]])"
        rf"|(?P<alias>[#!]{scan.HASH_WORD}(?={scan.BLANK}=(?![=>])))"
        rf"|(?P<op>(?<![\w.$\-@%#!^])(?:{dialects})\.[A-Za-z_][\w.]*+)(?!{scan.BLANK}[=,])"
        r'|(?P<bad>")'
    )
    return re.compile(common), re.compile(rf"{common}|(?P<bare>(?<![\w.$\-@%#!^])[a-z_]+\b)")


@dataclass
class _Frame:
    """An op of ours whose region is being read."""

    op: OpDef
    pos: int
    slot: int
    readers: Iterator[Open]
    draft: Draft
    generic: _Generic | None = None
    opening: Open | None = None
    regions: int = 0
    ended: bool = False
    depth: int = 0
    rename: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class _Generic:
    """What the generic form of an op holds besides its attributes."""

    operands: list[str] = field(default_factory=list[str])
    successors: str = ""
    type: str = ""


@dataclass(frozen=True)
class Converted:
    """`text` is for MLIR; `wrapped()` is the same inside a module. `map` leads back."""

    head: str
    body: str
    map: SourceMap
    is_module: bool
    moved: bool

    def text(self, wrap: bool) -> str:
        """The text for MLIR; `wrap` puts a module around it."""
        return f"{self.head}module {{{self.body}\n}}" if wrap else self.head + self.body


class Reader:
    """Reads one text; use `convert`."""

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename
        self.translator = Translator(later=self._defined_later)
        self.later: dict[str, int | None] = {}
        self.cursor = Cursor(text, self._translated, self.translator.flat)
        self.chunks = Chunks()
        self.heads = Chunks()
        self.done = 0
        self.stack: list[str | _Frame] = []
        self.opened: list[int] = []  # where each bracket of the stack stands
        self.frames: list[_Frame] = []
        self.moved = False
        self.first: str | None = None

    # --- output ----------------------------------------------------------------------------

    def _translated(self, pos: int, text: str) -> str:
        try:
            if text.startswith("!") and not self.text.startswith("!", pos):
                return self.translator.short(text)
            return self.translator.text(text)
        except BadText as bad:
            # A memoised inner text has no better place than where it stands.
            bad.pos = max(self.text.find(bad.text, pos), pos)
            raise

    def _copy(self, end: int) -> None:
        """Copy the text up to `end`, translating spellings."""
        pos = self.done
        if end <= pos:
            return
        for edit in self.translator.edits(self.text, pos, end):
            self.chunks.copied(self.text[pos : edit.start], pos)
            self.chunks.made(edit.new, edit.start)
            self._newlines(edit.start, edit.end)
            pos = edit.end
            if not self.moved and _MORE_IN_LINE.match(self.text, pos):
                self.moved = True
        self.chunks.copied(self.text[pos:end], pos)
        self.done = end

    def _newlines(self, start: int, end: int) -> None:
        count = self.text.count("\n", start, end)
        if count:
            self.chunks.made("\n" * count, start)

    def _consumed(self, end: int) -> None:
        """Everything up to `end` has been rewritten; keep its newlines."""
        self._newlines(self.done, end)
        self.done = end
        if self.moved or self.text.startswith("\n", end):
            return
        self.moved = _REST_OF_LINE.match(self.text, end) is None

    # --- the scan --------------------------------------------------------------------------

    def convert(self) -> Converted:
        """Read the whole text; raises `Malformed`, `Unbalanced` or `BadText`."""
        plain, bare = _patterns()
        text, pos = self.text, 0
        while True:
            frame = self._top()
            prefix = frame.opening.region.prefix if frame and frame.opening else None
            search = (bare if prefix else plain).search
            found = search(text, pos)
            while found is not None and found.lastgroup == "skip":
                found = search(text, found.end())
            if found is None:
                break
            pos = self._event(found, prefix)
        if self.stack:
            top = self.stack[-1]
            start = top.pos if isinstance(top, _Frame) else len(text)
            opened = None if isinstance(top, _Frame) else self.opened[-1]
            closer = "}" if isinstance(top, _Frame) else top
            raise Malformed(start, f"'{closer}' is missing", opened)
        self._copy(len(text))
        head, body = self.heads.text(), self.chunks.text()
        source = SourceMap(self.text, self.filename, self.heads, self.chunks)
        return Converted(head, body, source, self._is_module(), self.moved)

    def _is_module(self) -> bool:
        return (
            re.match(rf'{scan.BLANK}(?:"builtin\.module"|(?:builtin\.)?module\b)', self.first or "")
            is not None
        )

    def _top(self) -> _Frame | None:
        top = self.stack[-1] if self.stack else None
        return top if isinstance(top, _Frame) else None

    def _event(self, found: re.Match[str], prefix: str | None) -> int:
        kind, pos = found.lastgroup, found.start()
        if kind == "op" and self.first is not None:
            return self._custom(found.group(), found)
        if kind == "alias":
            if not self.stack:
                return self._alias(found)
            if not isinstance(self.stack[-1], str) or self.stack[-1] == "}":
                raise Malformed(pos, "an alias is defined outside of all ops")
            return found.end()
        if self.first is None:
            self.first = self.text[self.done : self.done + 4000]
        if kind == "open":
            self._push(pos, {"<": ">", "(": ")", "{": "}", "[": "]"}[found.group()])
            return found.end()
        if kind == "close":
            return self._close(found)
        if kind == "bad":
            raise Malformed(pos, "this string does not end")
        if kind == "generic":
            return self._generic(found)
        name = found.group()
        if kind == "bare":
            name = f"{prefix}.{name}"
            if opdef.lookup(name) is None:
                return found.end()
        return self._custom(name, found)

    def _push(self, pos: int, item: str | _Frame) -> None:
        self.stack.append(item)
        self.opened.append(pos)
        if len(self.stack) > scan.MAX_DEPTH:
            raise scan.Unbalanced(pos, "nested too deeply", deep=True)

    def _close(self, found: re.Match[str]) -> int:
        top = self.stack.pop() if self.stack else None
        opened = self.opened.pop() if self.opened else None
        wanted = "}" if isinstance(top, _Frame) else top
        if wanted != found.group():
            raise self._wrong_bracket(found, wanted, opened)
        return self._end_region(top, found.start()) if isinstance(top, _Frame) else found.end()

    def _wrong_bracket(
        self, found: re.Match[str], wanted: str | None, opened: int | None
    ) -> Malformed:
        pos, given = found.start(), found.group()
        if wanted is None or opened is None or "\n" in self.text[opened:pos]:
            return Malformed(pos, f"'{given}' closes nothing here")
        return Malformed(pos, f"'{given}' stands where '{wanted}' is expected", opened)

    # --- aliases ---------------------------------------------------------------------------

    def _alias(self, found: re.Match[str]) -> int:
        name, start = found.group("alias"), found.start()
        self._copy(start)
        c = self.cursor
        c.pos = found.end()
        c.expect("=")
        value_at = c.start()
        if self.text.startswith("loc", value_at):
            c.expect("loc")
            c.raw_bracket("(")
            value = scan.normal_blanks(scan.strip_comments(self.text[value_at : c.pos]))
        else:
            value = c.type() if name[0] == "!" else c.attribute()
            value = scan.normal_blanks(scan.strip_comments(value))
            if name in self.translator.aliases and self.later.get(name) != start:
                raise Malformed(start, f"alias '{name}' is defined twice")
            self.translator.define(name, value)
        self.heads.made(f"{name} = ", start)
        if self.text.startswith(value, value_at):
            self.heads.copied(value, value_at)
        else:
            self.heads.made(value, value_at)
        self.heads.made(" ", c.pos)
        self._consumed(c.pos)
        return c.pos

    def _defined_later(self, name: str) -> str | None:
        """The value of an alias whose definition stands behind its use."""
        if name in self.later:
            return None  # there is none, or it needs itself
        pattern = rf"^[ \t]*({re.escape(name)}){scan.BLANK}=(?!>|{scan.BLANK}loc\b)"
        found = re.compile(pattern, re.MULTILINE).search(self.text)  # MLIR finds places itself
        self.later[name] = found.start(1) if found else None
        if found is None:
            return None
        c = Cursor(self.text, self._translated)
        c.pos = found.end()
        value = c.type() if name[0] == "!" else c.attribute()
        self.translator.define(name, scan.normal_blanks(scan.strip_comments(value)))
        return self.translator.aliases[name]

    # --- our ops in custom form ------------------------------------------------------------

    def _is_body(self, pos: int) -> bool:
        """Does the name of an op stand for a body: linalg.map { spyreop.exp } ins(…)? MLIR makes
        that op."""
        brace = self.opened[-1] if self.opened else -_LOOK_BACK
        if pos - brace > _LOOK_BACK:
            return False
        return _NAMED_AS_BODY.search(self.text, max(0, pos - _LOOK_BACK), pos) is not None

    def _custom(self, name: str, found: re.Match[str]) -> int:
        if self._is_body(found.start()):
            return found.end()
        op = opdef.lookup(name)
        c = self.cursor
        c.pos = found.end()
        if op is None:
            if c.peek("}") or self.text[: found.start()].rstrip()[-1:] in ("<", ",", "("):
                return found.end()
            dialect, _, short = name.partition(".")
            raise BadText(found.start(), short, "op", dialect)
        if op.assembly is None:
            raise Malformed(found.start(), f"'{name}' has no custom form: write \"{name}\"() …")
        self._copy(found.start())
        draft = Draft(op)
        if op.assembly.has_regions:
            return self._begin(op, found.start(), op.assembly.read(c, draft), draft, None)
        for step in op.assembly.steps:
            step.read(c, draft)
        if op.defaults or op.dropped:
            self._complete(draft.attrs, op, found.start())
        operands = ", ".join(self._inside(_operands(draft)))
        types = _function_type(draft, found.start())
        self.chunks.made(f'"{name}"({operands}){_attrs(draft, op)} : {types}', found.start())
        self._consumed(c.pos)
        self._ended(op)
        return c.pos

    def _complete(self, attrs: dict[str, str | None], op: OpDef, pos: int) -> None:
        for name, value in op.defaults.items():
            attrs.setdefault(name, value)
        for name, kind in op.dropped.items():
            if name in attrs and not kind.accepts(attrs.pop(name) or "unit"):
                raise Malformed(pos, f"attribute '{name}' must be {kind.title}")

    def _ended(self, op: OpDef) -> None:
        frame = self._top()
        if frame is not None and op.terminator:
            frame.ended = True

    # --- generic form ----------------------------------------------------------------------

    def _generic(self, found: re.Match[str]) -> int:
        name = found.group("generic")
        if _NAMED_IN_PDL.search(self.text[max(0, found.start() - 60) : found.start()]):
            return found.end()  # an op or a native function named in a PDL pattern
        op = opdef.lookup(name)
        if op is None:
            dialect, _, short = name.partition(".")
            raise BadText(found.start(), short, "op", dialect)
        self._copy(found.start())
        c = self.cursor
        c.pos = found.end()
        draft, generic = Draft(op), _Generic()
        return self._begin(op, found.start(), self._read_generic(c, draft, generic), draft, generic)

    def _read_generic(self, c: Cursor, d: Draft, g: _Generic) -> Iterator[Open]:
        c.expect("(")
        g.operands = c.values()
        c.expect(")")
        if c.peek("["):
            g.successors = f"[{c.raw_bracket('[')[1]}]"
        properties: dict[str, str | None] = {}
        if c.take("<"):
            properties = c.dictionary()
            c.expect(">")
        if c.take("("):
            yield Open(_FREE)
            while c.take(","):
                yield Open(_FREE)
            c.expect(")")
        if c.peek("{"):
            d.attrs.update(c.dictionary())
        d.attrs.update(properties)
        c.expect(":")
        g.type = c.type()

    # --- ops with regions ------------------------------------------------------------------

    def _begin(
        self, op: OpDef, pos: int, readers: Iterator[Open], draft: Draft, generic: _Generic | None
    ) -> int:
        slot = self.chunks.slot(pos)
        frame = _Frame(op, pos, slot, readers, draft, generic)
        self.frames.append(frame)
        return self._advance(frame)

    def _advance(self, frame: _Frame) -> int:
        """Run the op's reader up to its next region, or to its end."""
        c = self.cursor
        opening = next(frame.readers, None)
        if opening is None:
            return self._finish(frame)
        brace = c.start()
        c.expect("{")
        self.chunks.made("{" if frame.regions == 0 else ", {", brace)
        frame.regions += 1
        frame.opening, frame.ended = opening, False
        self._consumed(c.pos)
        if opening.region.filled and self.text.startswith("}", c.start()):
            raise Malformed(brace, "an empty body has no custom form: write the op in generic form")
        if not self.text.startswith("^", c.start()) and opening.region is not _FREE:
            self._label(opening.label or self._own_label(frame), brace)
        elif opening.label not in (None, block_label(())):
            raise Malformed(c.start(), "the block's arguments are written before the brace here")
        self._push(brace, frame)
        return c.pos

    def _own_label(self, frame: _Frame) -> str:
        """The label of a region whose text shows the block arguments as the op's operands."""
        if frame.opening is None or not frame.opening.region.outer_names:
            return block_label(())
        names = _operands(frame.draft)
        # MLIR does not know that the region is isolated: it wants names of its own here.
        frame.rename = {n: f"{n.replace('#', '$')}${len(self.frames)}" for n in names}
        types = [part.kind.fixed or "none" for part in frame.op.parts[:1]] * len(names)
        return block_label(list(zip(frame.rename.values(), types, strict=False)))

    def _inside(self, names: list[str]) -> list[str]:
        """Operands by the names they have for MLIR where they stand."""
        for frame in reversed(self.frames):
            if frame.rename:
                return [frame.rename.get(n, n) for n in names]
        return names

    def _label(self, label: str, pos: int) -> None:
        """Write a block label; each argument stands for the place of its name."""
        start = 0
        for found in re.finditer(scan.VALUE, label):
            self.chunks.made(label[start : found.start()], pos)
            self.chunks.made(found.group(), self.cursor.places.get(found.group(), pos))
            start = found.end()
        self.chunks.made(label[start:], pos)

    def _end_region(self, frame: _Frame, pos: int) -> int:
        self._copy(pos)
        region = frame.opening.region if frame.opening else _FREE
        if region.implicit and not frame.ended and region.terminator:
            self.chunks.made(f'"{region.terminator}"() : () -> ()', pos)
        self.chunks.made("}", pos)
        self.cursor.pos = pos + 1
        self.done = pos + 1
        return self._advance(frame)

    def _finish(self, frame: _Frame) -> int:
        op, draft, generic = frame.op, frame.draft, frame.generic
        self.frames.pop()
        self._complete(draft.attrs, op, frame.pos)
        if generic is not None:
            operands, type_text, successors = generic.operands, generic.type, generic.successors
        else:
            operands, successors = self._inside(_operands(draft)), ""
            type_text = _function_type(draft, frame.pos)
        attrs = _attrs(draft, None if generic else op)
        regions = frame.regions
        if not regions and generic is None and any(not r.many for r in op.regions):
            # A region the text does not show: missing, or made by the op's own reader.
            self.chunks.made(f"{{{''.join(b.text for b in draft.bodies)}}}", frame.pos)
            regions = 1
        self.chunks.fill(
            frame.slot,
            f'"{op.name}"({", ".join(operands)}){successors}' + (" (" if regions else ""),
        )
        self.chunks.made((")" if regions else "") + f"{attrs} : {type_text}", self.cursor.pos - 1)
        self._consumed(self.cursor.pos)
        self._ended(op)
        return self.cursor.pos


def _operands(d: Draft) -> list[str]:
    given = d.operands
    if len(given) == 1:
        return next(iter(given.values()))
    return [v for part in d.op.parts for v in given.get(part.name, ())]


def _attrs(d: Draft, op: OpDef | None) -> str:
    if op is not None and op.segments:
        sizes = ", ".join([str(len(d.operands.get(p.name, ()))) for p in op.parts])
        d.attrs[SEGMENTS] = f"array<i32: {sizes}>" if sizes else "array<i32>"
    return f" {{{scan.join_dict(d.attrs)}}}" if d.attrs else ""


def _function_type(d: Draft, pos: int) -> str:
    types: list[str] = []
    for part in d.op.parts:
        values = d.operands.get(part.name, ())
        if not values:
            continue
        found = d.types.get(part.name)
        if found is None:
            found = [part.kind.fixed or "none"] * len(values)
        if len(found) != len(values):
            raise Malformed(pos, f"{len(values)} values for '{part.name}' but {len(found)} types")
        types += found
    results: list[str] = []
    for part in d.op.results:
        found = d.types.get(part.name)
        if found is not None:
            results += found
        elif part.kind.fixed and part.count == "one":
            results.append(part.kind.fixed)
    shown = (
        results[0]
        if len(results) == 1 and not results[0].startswith("(")
        else f"({', '.join(results)})"
    )
    return f"({', '.join(types)}) -> {shown}"


def convert(text: str, filename: str) -> Converted:
    """Read a text; raises a catalogue error with its place."""
    reader = Reader(text, filename)
    nul = text.find("\0")
    if nul >= 0:  # MLIR would take it for the end of the text
        raise MALFORMED.error(location_at(text, filename, nul), message="the text holds a NUL")
    try:
        check_stand_ins(text)
        return reader.convert()
    except Malformed as bad:
        raise malformed(text, filename, bad.pos, bad.message, bad.opened) from None
    except scan.Unbalanced as bad:
        raise unbalanced(text, filename, bad) from None
    except BadText as bad:
        raise bad_text(text, filename, bad) from None
