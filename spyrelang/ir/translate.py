"""Between the public spelling of types and attributes and the one MLIR accepts from strangers.

Into MLIR: aliases are expanded, opaque types and attributes brought into their one spelling, a
memref's ktdp space wrapped in a dictionary, element types MLIR cannot hold replaced by builtin
types the public IRs never use, and sets inside opaque text quoted (MLIR's bracket matcher takes
the `>` of `>=` for a bracket). Out of MLIR: the reverse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from spyrelang import affine
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds, old_map, scan

STAND_INS = {
    "!spyreop.df16": "tf32",
    "!dataflow.custom<mxfp4>": "f4E2M1FN",
    "!dataflow.custom<mxfp8>": "f8E4M3FN",
    "!dataflow.custom<mxint4>": "si4",
}
_NATIVE = {v: k for k, v in STAND_INS.items()}
_VECTOR_ELEMENTS = frozenset({"!spyreop.df16"})

_SPECIAL = re.compile(
    rf"{scan.STRING}|{scan.COMMENT}"
    rf"|(?P<shape>(?:memref|vector)<\s*(?:[\[\]\d?* ]+x\s*)*(?=!))"
    rf"|(?P<mark>[#!]{scan.HASH_WORD})"
    r"|(?P<product>(?<![\w.$\-@%#!^])linalg\.(?:batch_)?matmul_transpose_[ab]\b)"
    r"|(?P<map>(?<![\w.$\-@%#!^])linalg\.map\b)"
)


@lru_cache(maxsize=8)
def _product(name: str) -> str:
    """The products of transposed operands, which MLIR now writes as maps of the plain ones."""
    plain, _, which = name.partition("_transpose_")
    batch = "b, " if "batch" in plain else ""
    left, right = ("k, m" if which == "a" else "m, k"), ("n, k" if which == "b" else "k, n")
    maps = ", ".join(
        f"affine_map<({batch}m, n, k) -> ({batch}{dims})>" for dims in (left, right, "m, n")
    )
    return f"{plain} indexing_maps = [{maps}]"


_EDITED = re.compile(r"[#!]|_transpose_|linalg\.map")
"""What stands in each text that needs an edit."""

_LOOSE = re.compile(rf"{scan.STRING}|([#!][\w$\-]+)(?![\w$.\-<])")


@dataclass
class BadText(Exception):
    """`pos` is an offset into the translated text; `what` is 'alias', 'type' or 'attribute'."""

    pos: int
    text: str
    what: str
    dialect: str = ""


@dataclass(frozen=True)
class Edit:
    """Replace `text[start:end]` by `new`."""

    start: int
    end: int
    new: str


_LAST = re.compile(f"{scan.BLANK}>")
_NEAR = 400
"""Characters before a memory space among which its comma is."""
_LONG_SET = re.compile(rf"{scan.STRING}|{scan.COMMENT}|(?P<sign>>=)")


class Translator:
    """Translates pieces of text under a set of aliases (name with its mark -> expansion).

    `later` looks up an alias that is not defined yet. `strict` refuses what public parsers cannot
    read: a `>=` inside an opaque type or attribute, where they take the `>` for a bracket.
    """

    def __init__(
        self, strict: bool = True, later: Callable[[str], str | None] = lambda name: None
    ) -> None:
        self.aliases: dict[str, str] = {}
        self.strict = strict
        self.later = later
        self.flat: dict[str, str] = {}  # translations of types that hold no brackets but their own
        self._memo: dict[str, str] = {}
        self._lax: dict[str, str] = {}  # what was translated without being strict

    def define(self, name: str, value: str) -> None:
        """Add an alias."""
        self.aliases[name] = value
        self.flat.clear()
        self._memo.clear()
        self._lax.clear()

    def short(self, text: str) -> str:
        """The translation of a type that the author wrote without its name; raises `BadText`."""
        strict, self.strict = self.strict, False
        self._memo, self._lax = self._lax, self._memo
        try:
            return self.text(text)
        finally:
            self._memo, self._lax = self._lax, self._memo
            self.strict = strict

    def text(self, text: str) -> str:
        """The translation of `text`; raises `BadText`."""
        if "#" not in text and "!" not in text:
            return text
        found = self._memo.get(text)
        if found is None:
            found = apply(text, self.edits(text))
            self._memo[text] = found
        return found

    def edits(self, text: str, start: int = 0, end: int | None = None) -> list[Edit]:
        """The replacements to make in `text[start:end]`, in order."""
        edits: list[Edit] = []
        pos, end = start, len(text) if end is None else end
        if _EDITED.search(text, pos, end) is None:
            return edits
        while True:
            found = _SPECIAL.search(text, pos, end)
            if found is None:
                return edits
            pos = found.end()
            if found["shape"] is not None:
                edit = self._element(text, pos)
            elif found["mark"] is not None:
                edit = self._marked(text, found.start(), found["mark"])
            elif found["product"] is not None:
                edit = Edit(found.start(), pos, _product(found["product"]))
            elif found["map"] is not None:
                edit = self._map(text, pos, end, edits)
            else:
                continue
            if edit is not None:
                pos = edit.end
                if text[edit.start : edit.end] != edit.new:
                    edits.append(edit)

    def _map(self, text: str, pos: int, end: int, edits: list[Edit]) -> Edit | None:
        """The argument that the body of an older `linalg.map` lacks; `edits` gets those before."""
        missing = old_map.missing_argument(text, pos, self.aliases)
        if missing is None or missing[0] > end:
            return None
        at, argument = missing
        edits += self.edits(text, pos, at)
        return Edit(at, at, argument)

    def _element(self, text: str, pos: int) -> Edit | None:
        """The element type of a memref or vector, which stands at `pos`."""
        found = re.compile(f"!{scan.HASH_WORD}").match(text, pos)
        edit = self._marked(text, pos, found.group()) if found else None
        if edit is None or edit.new not in STAND_INS:
            return edit
        shaped = text.rfind("vector<", 0, pos) > text.rfind("memref<", 0, pos)
        if shaped and edit.new not in _VECTOR_ELEMENTS:
            raise BadText(pos, f"vector<…x{edit.new}>", "type", edit.new[1:].split(".")[0])
        return Edit(edit.start, edit.end, STAND_INS[edit.new])

    def _marked(self, text: str, pos: int, name: str) -> Edit | None:
        alias = self.aliases.get(name)
        if alias is None and "." not in name and not text.startswith("<", pos + len(name)):
            alias = self.later(name)
        if alias is not None:
            end = pos + len(name)
            return Edit(pos, end, self._in_place(text, pos, end, alias))
        dialect = name[1:].split(".", 1)[0]
        if dialect not in _our_dialects():
            return None
        body, end = self._body(text, pos + len(name))
        if self.strict and body and ">=" in text[pos:end]:
            signs = _LONG_SET.finditer(text, pos, end)
            if any(sign["sign"] for sign in signs):
                raise BadText(pos, name, "set")
        new = kinds.normal_opaque(name, body)
        if new is None:
            what = "type" if name[0] == "!" else "attribute"
            raise BadText(pos, text[pos:end], what, dialect)
        return Edit(pos, end, self._in_place(text, pos, end, _quote_sets(new)))

    def _body(self, text: str, pos: int) -> tuple[str | None, int]:
        if not text.startswith("<", pos):
            return None, pos
        end = scan.closing(text, pos)
        body = self.text(scan.strip_comments(text[pos + 1 : end - 1]))
        unknown = next((m for m in _LOOSE.finditer(body) if m.group(1)), None)
        if unknown is not None:
            raise BadText(pos + 1, unknown.group(1), "alias")
        return body, end

    def _in_place(self, text: str, start: int, end: int, new: str) -> str:
        """A memory space that stands as the last parameter of a memref is wrapped."""
        if not new.startswith("#ktdp.memory_space<"):
            return new
        before = scan.strip_comments(text[max(0, start - _NEAR) : start]).rstrip()
        last = before.endswith(",") and _LAST.match(text, end) is not None
        return f"{{ktdp.space = {new}}}" if last else new


@lru_cache(maxsize=1)
def _our_dialects() -> frozenset[str]:
    from spyrelang.ir.opdef import DIALECTS, load_dialects

    load_dialects()
    return frozenset(DIALECTS)


def apply(text: str, edits: list[Edit]) -> str:
    """`text` with the edits made."""
    parts: list[str] = []
    pos = 0
    for edit in edits:
        parts += [text[pos : edit.start], edit.new]
        pos = edit.end
    parts.append(text[pos:])
    return "".join(parts)


_MARK = "$"
"""Tells a set that was quoted from a string of the author."""

_AFFINE = re.compile(rf"{scan.STRING}|affine_(?:map|set)(?=<)")


def _quote_sets(text: str) -> str:
    """Bring the maps and sets inside an opaque text into one spelling, and quote the sets."""
    if "affine_" not in text:
        return text
    edits: list[Edit] = []
    pos = 0
    while (found := _AFFINE.search(text, pos)) is not None:
        pos = found.end()
        if found.group()[0] == '"':
            continue
        pos = scan.closing(text, found.end())
        raw = text[found.start() : pos]
        try:
            is_set = found.group() == "affine_set"
            new = f'"{_MARK}{affine.Set.parse(raw)}"' if is_set else str(affine.Map.parse(raw))
        except SpyreError as bad:
            raise BadText(found.start(), raw, "affine text") from bad
        edits.append(Edit(found.start(), pos, new))
    return apply(text, edits)


_TAKEN = re.compile(
    rf"{scan.STRING}|{scan.COMMENT}"
    rf"|(?P<taken>(?:memref|vector)<(?:[\[\]\d?*\s]+x)*\s*(?:{'|'.join(STAND_INS.values())})\b)"
)


def check_stand_ins(text: str) -> None:
    """The stand-ins must not come from outside: they would print as what they stand for."""
    if not any(name in text for name in STAND_INS.values()):
        return
    for found in _TAKEN.finditer(text):
        if found["taken"]:
            raise BadText(found.start(), f"{found['taken']}>", "type", "builtin")


_PLAIN = Translator(strict=False)


def to_mlir_text(text: str) -> str:
    """A type or attribute without aliases, as MLIR shall parse it; raises a catalogue error."""
    from spyrelang.errors.text import BAD_OPAQUE, MALFORMED

    try:
        return _PLAIN.text(text)
    except BadText as bad:
        raise BAD_OPAQUE.error(text=bad.text, what=bad.what, dialect=bad.dialect) from None
    except scan.Unbalanced as bad:
        raise MALFORMED.error(message=f"'{text}': {bad.message}") from None


_BACK = re.compile(
    rf'(?P<quoted>"{re.escape(_MARK)}affine_set<[^"]*>")|{scan.STRING}'
    rf"|\{{ktdp\.space = (?P<space>[^{{}}]*)\}}"
    rf"|(?P<shape>(?:memref|vector)<(?:[\[\]\d?*]+x)*)(?P<element>tf32|f4E2M1FN|f8E4M3FN|si4)\b"
)


def _back(found: re.Match[str]) -> str:
    if found["quoted"]:
        return found["quoted"][1 + len(_MARK) : -1]
    if found["space"]:
        return found["space"]
    if found["shape"]:
        return found["shape"] + _NATIVE[found["element"]]
    return found.group()


_HINTS = ("ktdp.space", "tf32", "f4E2M1FN", "f8E4M3FN", "si4", f'"{_MARK}affine_set<')


def to_public_text(text: str) -> str:
    """MLIR's text of types and attributes in the public spelling."""
    if not any(hint in text for hint in _HINTS):
        return text
    return _BACK.sub(_back, text)
