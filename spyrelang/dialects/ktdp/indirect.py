"""Access tiles whose coordinates are read from index views."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from spyrelang.affine import Binary, Dim, Expr, Map
from spyrelang.dialects import shapes
from spyrelang.dialects.ktdp.types import (
    BASE,
    TILE,
)
from spyrelang.dialects.ktdp.views import space_rules
from spyrelang.dialects.shapes import block_types, body
from spyrelang.dialects.subscripts import ValueReader, named_twice
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import block_label
from spyrelang.ir.cursor import Cursor, Malformed
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Body, Custom, Draft, Open, Piece, RegionPiece

_KINDS, _MAPS = "per_dim_subscript_kinds", "per_dim_subscript_maps"
_VARIABLE_BASE = 1 << 20
"""Dims from here on stand for variables until the number of captured values is known."""


class _IndirectReader(ValueReader):
    """Subscripts over captured values (a list that all of them share) and variables."""

    def __init__(
        self, text: str, start: int, variables: Sequence[str], captured: list[str]
    ) -> None:
        super().__init__(text, start, symbols=False)
        self.dim_names = captured
        self.names = {name: Dim(_VARIABLE_BASE + i) for i, name in enumerate(variables)}


class _Indirect(RegionPiece):
    """`intermediate_variables(%m) %x[ind(%ix[%m]), (%k + 1)]`, and the block nobody sees."""

    shows = frozenset({_KINDS, _MAPS})

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        self._read(c, d)
        return iter(())  # the text shows no region

    def _read(self, c: Cursor, d: Draft) -> None:
        c.expect("intermediate_variables(")
        variables = c.values()
        c.expect(")")
        d.operands["base"] = [c.value()]
        start, text = c.raw_bracket("[")
        captured: list[str] = []
        views: list[str] = []
        found: list[tuple[bool, tuple[Expr, ...]]] = []
        for offset, item in scan.pieces(text) if text.strip() else ():
            found.append(_read_subscript(item, start + offset, variables, captured, views))
        dims = len(captured) + len(variables)
        placed = [Dim(len(captured) + i) for i in range(len(variables))]
        maps = [str(Map(dims, 0, _renumbered(exprs, placed))) for _, exprs in found]
        d.operands["indirect_memrefs"], d.operands["captured_variables"] = views, captured
        d.types["captured_variables"] = ["index"] * len(captured)
        d.attrs[_KINDS] = f"[{', '.join('true' if ind else 'false' for ind, _ in found)}]"
        d.attrs[_MAPS] = f"[{', '.join(maps)}]"
        d.bodies = [_hidden_block(len(variables))]

    def write(self, d: Draft) -> str:
        captured = d.operands.get("captured_variables", ())
        if named_twice(" ".join(captured)) or not _PLAIN_BODY.fullmatch(d.bodies[0].text):
            raise ValueError("public tools read something else")
        variables = [name for name, _, _ in d.bodies[0].args]
        dims = [*captured, *variables]
        views = iter(d.operands.get("indirect_memrefs", ()))
        kinds = scan.split_list((d.attrs[_KINDS] or "[]")[1:-1])
        maps = scan.split_list((d.attrs[_MAPS] or "[]")[1:-1])
        parts: list[str] = []
        for kind, text in zip(kinds, maps, strict=True):
            inner = ", ".join(e.render(dims, ()) for e in Map.parse(text).results)
            parts.append(f"ind({next(views)}[{inner}])" if kind == "true" else f"({inner})")
        head = f"intermediate_variables({', '.join(variables)}) {d.one('base')}"
        return f"{head}[{', '.join(parts)}]"


_PLAIN_BODY = re.compile(r"\s*ktdp\.region_terminator(?: loc\(.*\))?\s*")


def _hidden_block(variables: int) -> Body:
    args = [(f"%iv${i}", "index", "") for i in range(variables)]
    label = block_label([(name, kind) for name, kind, _ in args])
    return Body(args, f'{label} "ktdp.region_terminator"() : () -> ()')


def _renumbered(exprs: Iterable[Expr], placed: Sequence[Expr]) -> tuple[Expr, ...]:
    """Put the variables' dims where they belong, keeping the order of terms."""
    return tuple(_moved(e, placed) for e in exprs)


def _moved(e: Expr, placed: Sequence[Expr]) -> Expr:
    if isinstance(e, Binary):
        return type(e)(_moved(e.lhs, placed), _moved(e.rhs, placed))
    if isinstance(e, Dim) and e.index >= _VARIABLE_BASE:
        return placed[e.index - _VARIABLE_BASE]
    return e


_IND = re.compile(rf"{scan.BLANK}ind{scan.BLANK}\({scan.BLANK}({scan.VALUE}){scan.BLANK}\[")
_BLANK = re.compile(scan.BLANK)
_END = re.compile(rf"\]{scan.BLANK}\){scan.BLANK}")


def _read_subscript(
    item: str, start: int, variables: Sequence[str], captured: list[str], views: list[str]
) -> tuple[bool, tuple[Expr, ...]]:
    """`ind(%view[…])` or `(…)`: whether it is indirect, and its expressions."""
    head = _IND.match(item)
    if head is not None:
        close = scan.closing(item, head.end() - 1) - 1
        if _END.fullmatch(item, close) is None:
            raise Malformed(start + close + 1, "an indirect subscript stands alone")
        views.append(head.group(1))
        inner, at = item[head.end() : close], start + head.end()
        return True, _IndirectReader(inner, at, variables, captured).list()
    blank = _BLANK.match(item)
    open_at = blank.end() if blank else 0
    close = scan.closing(item, open_at) - 1 if item.startswith("(", open_at) else -1
    if close < 0 or _BLANK.fullmatch(item, close + 1) is None:
        raise Malformed(start + open_at, "expected 'ind(%view[…])' or '(expression)'")
    inner = item[open_at + 1 : close]
    exprs = _IndirectReader(inner, start + open_at + 1, variables, captured).list()
    if len(exprs) != 1:
        raise Malformed(start + open_at, "a direct subscript is one expression")
    return False, exprs


def _indirect_types() -> Piece:
    """The type of the base and of each view, in the order of the subscripts."""

    def read(c: Cursor, d: Draft) -> None:
        at = c.start()
        types = c.types()
        expected = 1 + len(d.operands["indirect_memrefs"])
        if len(types) != expected:
            raise c.fail(f"expected {expected} types: the base and one for each 'ind'", at)
        d.types["base"], d.types["indirect_memrefs"] = types[:1], types[1:]

    return Custom(read, lambda d: d.type_list("base", "indirect_memrefs"))


def _indirect_rules(op: OpRef) -> None:
    points = space_rules(op, "variables_space_set", "variables_space_order")
    if block_types(op) != ["index"] * points.n_dims:
        raise op.fail(f"needs {points.n_dims} variables of type index, one for each set dim")
    if len(body(op)) != 1:
        raise op.fail("its block holds only ktdp.region_terminator")
    kinds, maps = op.items(_KINDS), op.items(_MAPS)
    if any(kind not in ("true", "false") for kind in kinds):
        raise op.fail(f"{_KINDS} must hold bools")
    rank = shapes.rank_of(op.types("base")[0])
    if len(kinds) != len(maps) or (rank is not None and len(maps) != rank):
        raise op.fail(f"{len(kinds)} kinds and {len(maps)} maps for a base of rank {rank}")
    views = op.types("indirect_memrefs")
    if kinds.count("true") != len(views):
        raise op.fail(f"{kinds.count('true')} indirect subscripts but {len(views)} index views")
    _subscript_rules(op, points.n_dims, kinds, maps, iter(views))


def _subscript_rules(
    op: OpRef, variables: int, kinds: list[str], maps: list[str], views: Iterator[str]
) -> None:
    dims = variables + len(op.types("captured_variables"))
    for number, (kind, text) in enumerate(zip(kinds, maps, strict=True)):
        found = Map.parse(text) if text.startswith("affine_map<") else None
        if found is None or found.n_dims != dims or found.n_syms:
            raise op.fail(f"subscript {number} must be a map of {dims} dims and no symbols")
        results = 1 if kind == "false" else shapes.rank_of(next(views))
        if found.n_results != results:
            raise op.fail(f"subscript {number} has {found.n_results} results instead of {results}")


CONSTRUCT_INDIRECT_ACCESS_TILE = OpDef(
    "ktdp.construct_indirect_access_tile",
    operands=[
        one("base", BASE),
        many("indirect_memrefs", k.MEMREF),
        many("captured_variables"),
        many("symbol_operands"),
    ],
    attributes=[
        Attr(_KINDS, k.ARRAY),
        Attr(_MAPS, k.ARRAY),
        Attr("variables_space_set", k.AFFINE_SET),
        Attr("variables_space_order", k.AFFINE_MAP),
    ],
    results=[result("result", TILE)],
    regions=[Region("variables", args=None, terminator="ktdp.region_terminator")],
    segments=True,
    assembly=" $subscripts{? symbols($symbol_operands)?}$dict : $types -> $result:type",
    custom={"subscripts": _Indirect(), "types": _indirect_types()},
    verify=_indirect_rules,
)
REGION_TERMINATOR = OpDef("ktdp.region_terminator", assembly="$dict", terminator=True)
