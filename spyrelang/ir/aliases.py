"""Aliases of printed text: maps, sets, and the dictionaries of device descriptions.

Every affine map and set gets `#map…` or `#set…` in order of first appearance. Where a text holds
anything of ktdf_arch, every attribute dictionary with a string `kind` gets an alias of that name.
Definitions come first: by nesting depth, then name, then first appearance.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from spyrelang.ir import scan

_AFFINE = r"affine_(?P<which>map|set)<(?:->|>=|[^<>])*>"
_TOKEN = re.compile(rf"{scan.STRING}|(?P<affine>{_AFFINE})")
_KIND_TOKEN = re.compile(rf"{scan.STRING}|(?P<affine>{_AFFINE})|(?P<brace>[{{}}])")
_KIND = re.compile(rf"(?:^|, )kind = ({scan.STRING})(?=, |$)")
_MARK = re.compile(r"\x00(\d+)\x00")
_IN_ATTRIBUTE = re.compile(
    r"(?:[=\[,<(] ?|(?:^|[\s.])(?:memory|exec_unit|group|datapath|switch \[\d+\])"
    r'(?: @(?:"[^"]*"|[\w$.\-]+))? )$'
)


@dataclass
class _Alias:
    """A text that gets a name; `depth` is how many aliases are nested in it, at most."""

    base: str
    text: str
    depth: int


class _Table:
    def __init__(self) -> None:
        self.aliases: list[_Alias] = []
        self._known: dict[str, int] = {}

    def mark(self, base: str, text: str) -> str:
        """The placeholder of a text."""
        index = self._known.get(text)
        if index is None:
            inner = [self.aliases[int(m)].depth for m in _MARK.findall(text)]
            self.aliases.append(_Alias(base, text, max(inner, default=-1) + 1))
            index = self._known[text] = len(self.aliases) - 1
        return f"\x00{index}\x00"

    def resolve(self, text: str) -> str:
        """Definitions, then the text with the names put in."""
        order = sorted(
            range(len(self.aliases)),
            key=lambda i: (self.aliases[i].depth, self.aliases[i].base, i),
        )
        names: dict[str, str] = {}
        used: Counter[str] = Counter()
        for i in order:
            base = self.aliases[i].base
            number = used[base]
            used[base] += 1
            gap = "_" if base[-1].isdigit() else ""
            names[str(i)] = f"#{base}{gap}{number}" if number else f"#{base}"

        def put(source: str) -> str:
            return _MARK.sub(lambda m: names[m.group(1)], source)

        lines = [f"{names[str(i)]} = {put(self.aliases[i].text)}\n" for i in order]
        return "".join(lines) + put(text)


def with_aliases(text: str, kinds: bool, order: str = "") -> str:
    """`text` with its aliases made; `kinds` also names dictionaries with a string `kind`.

    `order` holds what is in `text` in the order that counts, where it is not that of the text.
    """
    table = _Table()
    if "\x00" in text:
        return text
    mark = _kinds if kinds else _affine
    mark(order, table)
    return table.resolve(mark(text, table))


def _affine(text: str, table: _Table) -> str:
    def put(found: re.Match[str]) -> str:
        if found["affine"] is None:
            return found.group()
        return table.mark(found["which"], found.group())

    return _TOKEN.sub(put, text)


def _kinds(text: str, table: _Table) -> str:
    """Replace maps, sets and kind dictionaries, the inner ones first."""
    buffers: list[list[str]] = [[]]
    pos = 0
    for found in _KIND_TOKEN.finditer(text):
        buffers[-1].append(text[pos : found.start()])
        pos = found.end()
        brace = found["brace"]
        if found["affine"] is not None:
            buffers[-1].append(table.mark(found["which"], found.group()))
        elif brace == "{":
            buffers.append([])
        elif brace == "}" and len(buffers) > 1:
            inside = "".join(buffers.pop())
            before = "".join(buffers[-1][-3:])[-200:]
            buffers[-1].append(_dictionary(inside, before, table))
        else:
            buffers[-1].append(found.group())
    buffers[-1].append(text[pos:])
    return "{".join("".join(b) for b in buffers)


def _dictionary(inside: str, before: str, table: _Table) -> str:
    whole = f"{{{inside}}}"
    if "\n" in inside or before.endswith(") <") or _IN_ATTRIBUTE.search(before) is None:
        return whole
    found = _KIND.search(_flat(inside))
    return table.mark(_legal_name(found.group(1)[1:-1]), whole) if found else whole


def _flat(inside: str) -> str:
    """The dictionary's own entries: nested brackets are emptied."""
    if not any(c in inside for c in "{[<("):
        return inside
    return ", ".join(
        p.strip() if p.strip().startswith("kind = ") else "x" for _, p in scan.pieces(inside)
    )


def _legal_name(kind: str) -> str:
    """An alias name from a kind: blanks to `_`, other illegal characters to hex."""
    name = "".join(
        c if re.match(r"[A-Za-z0-9_$\-]", c) else "_" if c == " " else f"{ord(c):X}" for c in kind
    )
    return f"_{name}" if not name or name[0].isdigit() else name
