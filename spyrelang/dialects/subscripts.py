"""Subscripts over SSA values, `[%i + 1, symbol(%n)]`, and index lists with constants, `[4, %n]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from spyrelang.affine import Const, Dim, Expr, Map, Reader, Sym
from spyrelang.ir import scan
from spyrelang.ir.cursor import Cursor, Malformed
from spyrelang.ir.pieces import Custom, Draft

DYNAMIC = -(2**63)
"""What a static list of sizes or strides holds where the value is an operand."""


class ValueReader(Reader):
    """Reads expressions over SSA values; each distinct value becomes a dim at its first use."""

    def __init__(self, text: str, start: int, symbols: bool = True) -> None:
        self.start = start
        self.symbols_allowed = symbols
        self.dim_names: list[str] = []
        self.sym_names: list[str] = []
        super().__init__(text)

    def error(self, column: int, what: str) -> Exception:
        return Malformed(self.start + column, what)

    def name(self, token: str) -> Expr:
        if token == "symbol" and self.symbols_allowed:
            self.at += 1
            self.expect("(")
            found = self._entered(self.sym_names, Sym)
            self.expect(")")
            return found
        return self._entered(self.dim_names, Dim)

    def _entered(self, names: list[str], leaf: Callable[[int], Expr]) -> Expr:
        token = self.next
        if token in self.names:
            self.at += 1
            return self.names[token]
        if not token.startswith("%"):
            raise self.fail("expected a value (%name), a number or brackets")
        if token not in names:
            names.append(token)
        self.at += 1
        return leaf(names.index(token))

    def list(self) -> tuple[Expr, ...]:
        """Everything in the text, separated by commas."""
        found: list[Expr] = []
        if self.next:
            found.append(self.expr())
        while self.next:
            self.expect(",")
            found.append(self.expr())
        return tuple(found)


def read_subscripts(c: Cursor) -> tuple[Map, list[str]]:
    """Read `[…]`: the map, and its operands (dims, then symbols)."""
    start, text = c.raw_bracket("[")
    twice = named_twice(text)
    if twice is not None:
        what = f"results of '{twice}' stand twice in one subscript list, which no public tool reads"
        raise Malformed(start, f"{what}: give each result a name (%a, %b = …)")
    try:
        found, names = _parsed(scan.strip_comments(text))
    except Malformed as bad:
        raise Malformed(start + bad.pos, bad.message) from None
    return found, list(names)


_PLAIN = re.compile(rf"{scan.VALUE}|-?[0-9]{{1,18}}")


def _plain(text: str) -> tuple[Map, tuple[str, ...]] | None:
    """A list of nothing but values and numbers, as most are."""
    items = [item.strip() for item in text.split(",")]
    if not all(map(_PLAIN.fullmatch, items)):
        return None
    names = {name: Dim(i) for i, name in enumerate(dict.fromkeys(n for n in items if n[0] == "%"))}
    results = tuple(names[item] if item in names else Const(int(item)) for item in items)
    return Map(len(names), 0, results), tuple(names)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> tuple[Map, tuple[str, ...]]:
    plain = _plain(text)
    if plain is not None:
        return plain
    reader = ValueReader(text, 0)
    results = reader.list()
    return _folded(results, reader.dim_names, reader.sym_names)


def _folded(
    results: Sequence[Expr], dims: Sequence[str], syms: Sequence[str]
) -> tuple[Map, tuple[str, ...]]:
    """The map over the values that are left after simplification (`%i - %i` needs none)."""
    used_dims = sorted(frozenset[int]().union(*(e.dims() for e in results)))
    used_syms = sorted(frozenset[int]().union(*(e.syms() for e in results)))
    if len(used_dims) < len(dims) or len(used_syms) < len(syms):
        new_dims = [Dim(used_dims.index(i)) if i in used_dims else 0 for i in range(len(dims))]
        new_syms = [Sym(used_syms.index(i)) if i in used_syms else 0 for i in range(len(syms))]
        results = [e.substitute(new_dims, new_syms) for e in results]
    names = (*(dims[i] for i in used_dims), *(syms[i] for i in used_syms))
    return Map(len(used_dims), len(used_syms), tuple(results)), names


@lru_cache(maxsize=4096)
def _map_of(text: str) -> Map:
    return Map.parse(text)


_NUMBERED = re.compile(r"(%[\w.$-]+)#\d")


def named_twice(text: str) -> str | None:
    """The op whose results are named twice by number: public parsers know values without it."""
    if "#" not in text:
        return None
    numbered = _NUMBERED.findall(scan.strip_comments(text))
    return next((name for i, name in enumerate(numbered) if name in numbered[:i]), None)


def write_subscripts(map_text: str, operands: Sequence[str]) -> str:
    """`[…]` for a map and its operands.

    The public parser knows a value by its name without the result number, so it refuses a list that
    names one op of several results twice: ValueError, and the op is shown in generic form.
    """
    found = _map_of(map_text)
    dims = operands[: found.n_dims]
    syms = [f"symbol({name})" for name in operands[found.n_dims :]]
    text = f"[{', '.join(e.render(dims, syms) for e in found.results)}]"
    if named_twice(text) is not None:
        raise ValueError(f"one op stands twice in {text}")
    return text


def subscripts(segment: str, attribute: str) -> Custom:
    """The piece for `[…]` whose operands are `segment` and whose map is `attribute`."""

    def read(c: Cursor, d: Draft) -> None:
        found, names = read_subscripts(c)
        d.operands[segment] = names
        d.types[segment] = ["index"] * len(names)
        d.attrs[attribute] = str(found)

    def write(d: Draft) -> str:
        return write_subscripts(d.attrs[attribute] or "", d.operands.get(segment, ()))

    return Custom(read, write, shows=[attribute], anchor=attribute, starts="[")


def i64_array(values: Sequence[int]) -> str:
    """The text of a dense i64 array."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def read_i64_array(text: str) -> list[int]:
    """The values of a dense i64 array's text."""
    inner = text.removeprefix("array<i64").removesuffix(">").lstrip(":").strip()
    return [int(v) for v in inner.split(",")] if inner else []


def index_list(segment: str, attribute: str) -> Custom:
    """The piece for `[4, %n]`: constants in the i64 array `attribute`, values in `segment`."""

    def read(c: Cursor, d: Draft) -> None:
        start, text = c.raw_bracket("[")
        names: list[str] = []
        numbers: list[int] = []
        for item in scan.split_list(scan.strip_comments(text)):
            if item.startswith("%"):
                names.append(item)
                numbers.append(DYNAMIC)
                continue
            try:
                numbers.append(int(item))
            except ValueError:
                raise Malformed(start, f"expected a number or a value, not '{item}'") from None
        d.operands[segment] = names
        d.types[segment] = ["index"] * len(names)
        d.attrs[attribute] = i64_array(numbers)

    def write(d: Draft) -> str:
        values = iter(d.operands.get(segment, ()))
        numbers = read_i64_array(d.attrs[attribute] or "")
        return f"[{', '.join(next(values, '?') if n == DYNAMIC else str(n) for n in numbers)}]"

    return Custom(read, write, shows=[attribute], anchor=attribute, starts="[")
