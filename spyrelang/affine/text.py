"""The parser of affine text: expressions, maps and sets as MLIR's grammar has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spyrelang.affine import errors
from spyrelang.affine.expr import Const, Dim, Expr, Sym
from spyrelang.errors import Location, SpyreError

_TOKEN = re.compile(
    r"\s*(?:(?P<int>0x[0-9a-fA-F]+|\d+)|(?P<name>%[\w$.-]+(?:#\d+)?|[A-Za-z_][\w$.]*)"
    r"|(?P<punct>->|>=|<=|==|[-+*(),:\[\]<>]))"
)

MAX_DEPTH = 200
"""How deep brackets and minus signs may nest."""


class Reader:
    """Reads one affine text; every failure is SPY110 with its column."""

    def __init__(self, text: str, location: Location | None = None) -> None:
        self.text = text
        self.location = location
        self.names: dict[str, Expr] = {}
        self.tokens = self._scan()
        self.at = 0
        self.depth = 0

    def _scan(self) -> list[tuple[str, int]]:
        tokens: list[tuple[str, int]] = []
        position, end = 0, len(self.text.rstrip())
        while position < end:
            found = _TOKEN.match(self.text, position)
            if found is None:
                blank = len(self.text) - len(self.text[position:].lstrip())
                raise self.error(blank, "unexpected character")
            kind = found.lastgroup or "punct"
            tokens.append((found.group(kind), found.start(kind)))
            position = found.end()
        return tokens

    def error(self, column: int, what: str) -> Exception:
        """The error at `column` (from 0); readers of larger texts replace it."""
        return errors.malformed(self.text, column, what, self.location)

    def fail(self, what: str, back: int = 0) -> Exception:
        """The error at the current token (or `back` tokens before it)."""
        index = self.at - back
        column = self.tokens[index][1] if index < len(self.tokens) else len(self.text.rstrip())
        return self.error(column, what)

    @property
    def next(self) -> str:
        """The current token, empty at the end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> bool:
        """Step over `token` if it stands here."""
        found = self.next == token
        self.at += found
        return found

    def expect(self, token: str) -> None:
        """Step over `token`, which must stand here."""
        if not self.take(token):
            raise self.fail(f"expected '{token}'" + (f", found '{self.next}'" if self.next else ""))

    def end(self) -> None:
        """Nothing may be left."""
        if self.next:
            raise self.fail(f"'{self.next}' is left over")

    def each(self, close: str, item: Callable[[], None]) -> None:
        """A comma-separated list up to `close`, which is stepped over."""
        if self.take(close):
            return
        item()
        while not self.take(close):
            self.expect(",")
            item()

    def header(self) -> tuple[int, int]:
        """`(d0, …)[s0, …]`; gives the counts and enters the names."""
        self.expect("(")
        dims = self._names(")", Dim)
        syms = self._names("]", Sym) if self.take("[") else 0
        return dims, syms

    def _names(self, close: str, leaf: Callable[[int], Expr]) -> int:
        count = 0

        def item() -> None:
            nonlocal count
            name = self.next
            if not re.match(r"[A-Za-z_]", name):
                raise self.fail("expected a name")
            if name in self.names:
                raise self.fail(f"'{name}' is declared twice")
            self.names[name] = leaf(count)
            count += 1
            self.at += 1

        self.each(close, item)
        return count

    def expr(self) -> Expr:
        """A sum."""
        value = self.product()
        while self.next in ("+", "-"):
            sign = self.next
            self.at += 1
            right = self.product()
            value = value + right if sign == "+" else value - right
        return value

    def product(self) -> Expr:
        """Operands joined by the operators that bind tightly, from left to right."""
        value = self.operand()
        while self.next in ("*", "floordiv", "ceildiv", "mod"):
            op = self.next
            self.at += 1
            value = self._apply(op, value, self.operand())
        return value

    def _apply(self, op: str, a: Expr, b: Expr) -> Expr:
        try:
            if op == "*":
                return a * b
            if op == "mod":
                return a % b
            return a // b if op == "floordiv" else a.ceildiv(b)
        except SpyreError as error:
            raise self.fail(error.message, back=1) from None

    def operand(self) -> Expr:
        """A number, a name, a minus sign with an operand, or a sum in brackets."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}")
        value = self._operand()
        self.depth -= 1
        return value

    def _operand(self) -> Expr:
        token = self.next
        if self.take("("):
            value = self.expr()
            self.expect(")")
            return value
        if self.take("-"):
            return -self.operand()
        if token[:1].isdigit():
            self.at += 1
            return Const(int(token, 16 if token[:2] == "0x" else 10))
        return self.name(token)

    def name(self, token: str) -> Expr:
        """A name, which stands here."""
        value = self.names.get(token)
        if value is None:
            known = re.match(r"[A-Za-z_%]", token)
            raise self.fail(f"'{token}' is not declared" if known else "expected an expression")
        self.at += 1
        return value

    def constraint(self) -> list[tuple[Expr, bool]]:
        """`a >= b`, `a <= b` or `a == b` as (expression, is equality) compared with zero."""
        left = self.expr()
        relation = self.next
        if relation not in (">=", "<=", "=="):
            raise self.fail("expected '>=', '<=' or '=='")
        self.at += 1
        right = self.expr()
        if relation == "<=":
            left, right = right, left
        return [(left - right, relation == "==")]


def parse_expr(text: str, names: Mapping[str, Expr], location: Location | None = None) -> Expr:
    """Read an expression over `names` (which may be SSA names such as `%i` or `%p#1`)."""
    reader = Reader(text, location)
    reader.names.update(names)
    value = reader.expr()
    reader.end()
    return value


def parse_map(text: str, location: Location | None = None) -> tuple[int, int, tuple[Expr, ...]]:
    """Read `affine_map<(…)[…] -> (…)>`, or what stands inside the angle brackets."""
    reader = Reader(text, location)
    wrapped = _open(reader, "affine_map")
    dims, syms = reader.header()
    reader.expect("->")
    reader.expect("(")
    results: list[Expr] = []
    reader.each(")", lambda: results.append(reader.expr()))
    _close(reader, wrapped)
    return dims, syms, tuple(results)


def parse_set(
    text: str, location: Location | None = None
) -> tuple[int, int, tuple[tuple[Expr, bool], ...]]:
    """Read `affine_set<(…)[…] : (…)>`, or what stands inside the angle brackets."""
    reader = Reader(text, location)
    wrapped = _open(reader, "affine_set")
    dims, syms = reader.header()
    reader.expect(":")
    reader.expect("(")
    constraints: list[tuple[Expr, bool]] = []
    reader.each(")", lambda: constraints.extend(reader.constraint()))
    _close(reader, wrapped)
    return dims, syms, tuple(constraints)


def _open(reader: Reader, keyword: str) -> bool:
    if not reader.take(keyword):
        return False
    reader.expect("<")
    return True


def _close(reader: Reader, wrapped: bool) -> None:
    if wrapped:
        reader.expect(">")
    reader.end()
