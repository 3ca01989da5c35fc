"""ktdp: KTIR kernels, memory views, access tiles, loads and stores, transfers between tiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spyrelang.affine import Binary, Dim, Expr, Map, Set
from spyrelang.dialects import shapes
from spyrelang.dialects.shapes import block_types, body, operand_types
from spyrelang.dialects.subscripts import (
    DYNAMIC,
    ValueReader,
    index_list,
    read_i64_array,
    subscripts,
)
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import Body, Custom, Draft, Open, Piece, RegionPiece, block_label
from spyrelang.ir.cursor import Cursor, Malformed
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, result
from spyrelang.ir.opref import OpRef

# --- types and attributes --------------------------------------------------------------------


def _normal_tile(body: str | None) -> str | None:
    text = re.sub(r"\s+", "", body or "")
    if re.fullmatch(r"(?:(?:\?|\d+)x)*index", text) is None:
        return None
    dims = [d if d == "?" else str(int(d)) for d in re.findall(r"(\?|\d+)x", text)]
    return f"!ktdp.access_tile<{''.join(f'{d}x' for d in dims)}index>"


def _normal_runtime_arg(body: str | None) -> str | None:
    items = scan.split_list(body or "")
    if not items or re.fullmatch(r"index|[su]?i[1-9]\d*|bf16|f\d+\w*", items[0]) is None:
        return None
    bounds: dict[str, int] = {}
    for item in items[1:]:
        found = re.fullmatch(r"(granularity|upperbound)\s*=\s*(\d+)", item)
        if found is None or found[1] in bounds or int(found[2]) < 1:
            return None
        bounds[found[1]] = int(found[2])
    shown = [f"{name}={bounds[name]}" for name in sorted(bounds)]
    return f"!ktdp.runtime_arg<{', '.join([items[0], *shown])}>"


def _normal_future(body: str | None) -> str | None:
    found = re.fullmatch(r"\s*\((?P<types>.*)\)\s*,\s*groups\s*=\s*(?P<set>.*)", body or "", re.S)
    types = scan.split_list(found["types"]) if found else []
    if found is None or not types or not all(TENSOR.accepts(t) for t in types):
        return None
    groups = _set(found["set"].strip().strip('"'))
    if groups is None or groups.n_dims != 1 or groups.n_syms:
        return None
    return f"!ktdp.tile_future<({', '.join(types)}), groups = {groups}>"


def _set(text: str) -> Set | None:
    try:
        return Set.parse(text) if text.startswith("affine_set<") else None
    except SpyreError:
        return None


_OLD_SPACES = {"HBM": "global", "LX": "ct_local"}


def _normal_space(body: str | None) -> str | None:
    return _space(body, "ct_id", {"global": False, "ct_local": True})


def _old_space(body: str | None) -> str | None:
    """The spelling before the rename: HBM is `global`, LX is `ct_local`, `core` is `ct_id`."""
    text = body or ""
    for old, new in _OLD_SPACES.items():
        text = re.sub(rf"^\s*{old}\b", new, text)
    return _space(text, "core", {"global": False, "ct_local": True})


def _nested(body: str | None) -> str | None:
    """`#ktdp<memory_space<global>>`, which MLIR reads as `#ktdp.memory_space<global>`."""
    found = re.fullmatch(r"\s*memory_space<(.*)>\s*", body or "", re.DOTALL)
    return _normal_space(found[1]) if found else None


def _space(body: str | None, key: str, kinds: dict[str, bool]) -> str | None:
    found = re.fullmatch(rf"\s*(\w+)\s*(?:,\s*{key}\s*=\s*(-?\d+)\s*)?", body or "")
    if found is None or found[1] not in kinds:
        return None
    tile = int(found[2]) if found[2] else -1
    if tile < -1 or tile >= 2**31 or (tile >= 0 and not kinds[found[1]]):
        return None
    return f"#ktdp.memory_space<{found[1]}{f', ct_id = {tile}' if tile >= 0 else ''}>"


TENSOR = k.matching("a ranked tensor", r"tensor<(?!\*).*")

k.declare_opaque("!ktdp.access_tile", _normal_tile, "!ktdp.access_tile<4x64xindex>")
k.declare_opaque("!ktdp.runtime_arg", _normal_runtime_arg, "!ktdp.runtime_arg<index>")
k.declare_opaque("!ktdp.tile_future", _normal_future, "!ktdp.tile_future<(types), groups = set>")
k.declare_opaque("#ktdp.memory_space", _normal_space, "#ktdp.memory_space<global>")
k.declare_opaque("#ktdp", _nested, "#ktdp.memory_space<global>")
k.declare_opaque("#ktdp.spyre_memory_space", _old_space, "#ktdp.memory_space<global>")

TILE = k.matching("an access tile", r"!ktdp\.access_tile<.*")
RUNTIME_ARG = k.matching("a runtime argument", r"!ktdp\.runtime_arg<.*")
FUTURE = k.matching("a tile future", r"!ktdp\.tile_future<.*")
SPACE = k.matching("a ktdp memory space", r"#ktdp\.memory_space<.*")
BASE = k.MEMREF | k.TENSOR


def tile_shape(text: str) -> list[int | None]:
    """The extents of an access tile type; None is dynamic."""
    dims = re.findall(r"(\?|\d+)x", text.removeprefix("!ktdp.access_tile<"))
    return [None if d == "?" else int(d) for d in dims]


def tile_type(shape: list[int | None]) -> str:
    """The text of an access tile type."""
    dims = "".join("?x" if n is None else f"{n}x" for n in shape)
    return f"!ktdp.access_tile<{dims}index>"


def space_text(kind: str, tile: int | None = None) -> str:
    """The text of a memory space: `global` or `ct_local`, of compute tile `tile`."""
    return f"#ktdp.memory_space<{kind}{'' if tile is None else f', ct_id = {tile}'}>"


# --- identity and views ----------------------------------------------------------------------


def _id_rules(op: OpRef) -> None:
    if not op.result_types():
        raise op.fail("needs at least one result")


GET_COMPUTE_TILE_ID = OpDef(
    "ktdp.get_compute_tile_id",
    results=[result("results", k.INDEX, "many")],
    assembly="$dict : $results:type",
    verify=_id_rules,
)


def _view_rules(op: OpRef) -> None:
    sizes = read_i64_array(op.text("static_sizes"))
    strides = read_i64_array(op.text("static_strides"))
    if len(sizes) != len(strides):
        raise op.fail(f"has {len(sizes)} sizes but {len(strides)} strides")
    for name, listed in (("sizes", sizes), ("strides", strides)):
        given = len(op.types(name))
        if listed.count(DYNAMIC) != given:
            raise op.fail(f"has {listed.count(DYNAMIC)} dynamic {name} but {given} values")
    rank = len(shapes.shape_of(op.result_types()[0]))
    if rank != len(sizes):
        raise op.fail(f"the result has rank {rank} but there are {len(sizes)} sizes")


CONSTRUCT_MEMORY_VIEW = OpDef(
    "ktdp.construct_memory_view",
    operands=[one("offset"), many("sizes"), many("strides")],
    attributes=[
        Attr("static_sizes", k.I64_ARRAY),
        Attr("static_strides", k.I64_ARRAY),
        Attr("memory_space", SPACE),
        Attr("coordinate_set", k.AFFINE_SET),
    ],
    results=[result("result", k.MEMREF)],
    segments=True,
    assembly=" $offset, sizes: $size_list, strides: $stride_list$dict : $result:type",
    custom={
        "size_list": index_list("sizes", "static_sizes"),
        "stride_list": index_list("strides", "static_strides"),
    },
    verify=_view_rules,
)


def _read_views(c: Cursor, d: Draft) -> None:
    c.expect("(")
    d.operands["views"] = c.values()
    if d.operands["views"]:
        c.expect(":")
        d.types["views"] = c.types()
    c.expect(")")


def _write_views(d: Draft) -> str:
    values = d.values("views")
    return f"({values} : {d.type_list('views')})" if values else "()"


def _distributed_rules(op: OpRef) -> None:
    whole = op.result_types()[0]
    for part in operand_types(op):
        if shapes.element_of(part) != shapes.element_of(whole):
            raise op.fail(f"element types differ: {part} and {whole}")
        if len(shapes.shape_of(part)) != len(shapes.shape_of(whole)):
            raise op.fail(f"ranks differ: {part} and {whole}")


CONSTRUCT_DISTRIBUTED_MEMORY_VIEW = OpDef(
    "ktdp.construct_distributed_memory_view",
    operands=[many("views", k.MEMREF)],
    results=[result("result", k.MEMREF)],
    assembly="$inputs$dict : $result:type",
    custom={"inputs": Custom(_read_views, _write_views)},
    verify=_distributed_rules,
)

# --- access tiles ----------------------------------------------------------------------------


def _space_rules(op: OpRef, set_name: str, order_name: str) -> Set:
    """The rules of a set of points and the order of its dims."""
    points, order = Set.parse(op.text(set_name)), Map.parse(op.text(order_name))
    if order.n_dims != order.n_results:
        raise op.fail(f"{order_name} must have as many results as dims")
    if order.n_results != points.n_dims:
        raise op.fail(f"{order_name} has {order.n_results} results, the set {points.n_dims} dims")
    symbols = len(op.types("symbol_operands"))
    if points.n_syms != symbols:
        raise op.fail(f"the set has {points.n_syms} symbols but {symbols} values are given")
    rank = len(tile_shape(op.result_types()[0]))
    if rank != points.n_dims:
        raise op.fail(f"the tile has rank {rank} but the set {points.n_dims} dims")
    return points


def _tile_rules(op: OpRef) -> None:
    base = Map.parse(op.text("base_map"))
    indices = len(op.types("indices"))
    if base.n_dims + base.n_syms != indices:
        raise op.fail(f"base_map has {base.n_dims + base.n_syms} inputs, not {indices}")
    points = _space_rules(op, "access_tile_set", "access_tile_order")
    if points.n_dims != base.n_results:
        raise op.fail(f"{base.n_results} subscripts, but the set has {points.n_dims} dims")


CONSTRUCT_ACCESS_TILE = OpDef(
    "ktdp.construct_access_tile",
    operands=[one("base", BASE), many("indices"), many("symbol_operands")],
    attributes=[
        Attr("base_map", k.AFFINE_MAP),
        Attr("access_tile_set", k.AFFINE_SET),
        Attr("access_tile_order", k.AFFINE_MAP),
    ],
    results=[result("result", TILE)],
    segments=True,
    assembly=" $base$subscripts{? symbols($symbol_operands)?}$dict : $base:type -> $result:type",
    custom={"subscripts": subscripts("indices", "base_map")},
    verify=_tile_rules,
)

# --- indirect access tiles -------------------------------------------------------------------

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
        variables = [name for name, _, _ in d.bodies[0].args]
        dims = [*d.operands.get("captured_variables", ()), *variables]
        views = iter(d.operands.get("indirect_memrefs", ()))
        kinds = scan.split_list((d.attrs[_KINDS] or "[]")[1:-1])
        maps = scan.split_list((d.attrs[_MAPS] or "[]")[1:-1])
        parts: list[str] = []
        for kind, text in zip(kinds, maps, strict=True):
            inner = ", ".join(e.render(dims, ()) for e in Map.parse(text).results)
            parts.append(f"ind({next(views)}[{inner}])" if kind == "true" else f"({inner})")
        head = f"intermediate_variables({', '.join(variables)}) {d.one('base')}"
        return f"{head}[{', '.join(parts)}]"


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
    open_at = len(item) - len(item.lstrip())
    if not item[open_at:].startswith("(") or not item.rstrip().endswith(")"):
        raise Malformed(start + open_at, "expected 'ind(%view[…])' or '(expression)'")
    inner = item[open_at + 1 : len(item.rstrip()) - 1]
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
    points = _space_rules(op, "variables_space_set", "variables_space_order")
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

# --- data and runtime arguments --------------------------------------------------------------


def _moved_rules(op: OpRef) -> None:
    types = [*operand_types(op), *op.result_types()]
    value = next(t for t in types if t.startswith("tensor"))
    tile = next(t for t in types if t.startswith("!"))
    if shapes.shape_of(value) != tile_shape(tile):
        raise op.fail(f"the shapes of {value} and {tile} differ")
    _check_element(op, op.operands("tile")[0], shapes.element_of(value))


def _check_element(op: OpRef, tile: Any, element: str) -> None:
    """The public verifier does not compare element types; a mismatch moves wrong bytes."""
    made = shapes.defining_op(tile)
    if made is None or not made.name.endswith("access_tile"):
        return
    base = shapes.element_of(shapes.value_type(made.operands[0]))
    if base != element:
        raise op.fail(f"the tile's base holds {base}, not {element}")


LOAD = OpDef(
    "ktdp.load",
    operands=[one("tile", TILE)],
    results=[result("result", TENSOR)],
    assembly=" $tile$dict : $tile:short(!ktdp.access_tile) -> $result:type",
    verify=_moved_rules,
)
STORE = OpDef(
    "ktdp.store",
    operands=[one("value", TENSOR), one("tile", TILE)],
    assembly=" $value, $tile$dict : $value:type, $tile:short(!ktdp.access_tile)",
    verify=_moved_rules,
)

EXTRACTS = ("value", "granularity", "upperbound")


def _read_extract(c: Cursor, d: Draft) -> None:
    start = c.start()
    word = c.word()
    if word not in EXTRACTS:
        raise c.fail(f"expected one of {', '.join(EXTRACTS)}", start)
    d.attrs["kind"] = f"{EXTRACTS.index(word)} : i32"


def _write_extract(d: Draft) -> str:
    return EXTRACTS[int((d.attrs["kind"] or "0").split()[0])]


def _extract_rules(op: OpRef) -> None:
    held, *bounds = scan.split_list(op.types("arg")[0].removeprefix("!ktdp.runtime_arg<")[:-1])
    which = EXTRACTS[op.integer("kind") or 0]
    if which != "value" and not any(b.startswith(which) for b in bounds):
        raise op.fail(f"the type of the argument has no {which}")
    expected = held if which == "value" else "index"
    if op.result_types()[0] != expected:
        raise op.fail(f"the result must be {expected}, not {op.result_types()[0]}")


RUNTIME_ARG_EXTRACT = OpDef(
    "ktdp.runtime_arg_extract",
    operands=[one("arg", RUNTIME_ARG)],
    attributes=[Attr("kind", k.matching("0, 1 or 2 as i32", r"[012] : i32"))],
    results=[result("result", k.ANY)],
    assembly=" $what from $arg : $arg:short(!ktdp.runtime_arg)$dict -> $result:type",
    custom={"what": Custom(_read_extract, _write_extract, shows=["kind"])},
    verify=_extract_rules,
)
