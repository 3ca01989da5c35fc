"""agen ops with symbolic strides, interleaving, and the state of transfer masks."""

from __future__ import annotations

import re
from collections.abc import Callable

from spyrelang.dialects import agen_parts as parts
from spyrelang.dialects.agen_parts import LOAD, STORE
from spyrelang.dialects.dataflow import DBG_NAME, GET_LOGICAL_MEMORY_VIEW, VECTOR
from spyrelang.dialects.vectorchain import shape_of
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, optional, result
from spyrelang.ir.opref import OpRef, attr_text, integer_of
from spyrelang.ir.pieces import Custom, Draft

# --- symbolic strides ----------------------------------------------------------------------------

_COUNTS = (Attr("num_indices", k.I32_ATTR), Attr("num_strides", k.I32_ATTR))


def _read_counted(c: Cursor, d: Draft) -> None:
    c.expect("[indices:(")
    d.operands["indices"] = c.values()
    c.expect("), strides:(")
    d.operands["strides"] = c.values()
    c.expect(")]")
    for name in ("indices", "strides"):
        d.attrs[f"num_{name}"] = f"{len(d.operands[name])} : i32"


def _write_counted(d: Draft) -> str:
    return f"[indices:({d.values('indices')}), strides:({d.values('strides')})]"


_COUNTED = Custom(_read_counted, _write_counted, shows=["num_indices", "num_strides"])


def _sizes(before: int, may_rest: bool) -> Callable[[int, Callable[[str], int]], list[int]]:
    """Segment sizes from the two counts; `before` values come first."""

    def counts(total: int, integer: Callable[[str], int]) -> list[int]:
        indices, strides = integer("num_indices"), integer("num_strides")
        rest = [total - before - indices - strides] if may_rest else []
        return [1] * before + [indices, strides, *rest]

    return counts


def _symbolic(op: OpRef, vector: str) -> None:
    view = op.operands("mem_ref")[0]
    maker = op.defining(view)
    if maker is None or maker.name != GET_LOGICAL_MEMORY_VIEW.name:
        raise op.fail(f"the memref must come from {GET_LOGICAL_MEMORY_VIEW.name}")
    memref = op.types("mem_ref")[0]
    if not re.fullmatch(r"memref<(\d+|\?)x[^x<]*(<.*>)?[^x]*>", memref):
        raise op.fail(f"the memref must have one dim, not {memref}")
    if not parts.is_identity(attr_text(maker.attributes["layout_map"])):
        raise op.fail("the layout of the view must be the identity")
    extents, element = shape_of(vector)
    if len(extents) != 1:
        raise op.fail(f"the vector must have one dim, not {vector}")
    if element != _element_of(memref):
        raise op.fail(f"{memref} and {vector} have different element types")
    indices, strides = len(op.operands("indices")), len(op.operands("strides"))
    if indices != strides or not indices:
        raise op.fail(f"{indices} indices and {strides} strides: as many, and at least one")


def _element_of(memref: str) -> str:
    inside = scan.split_list(memref[len("memref<") : -1])[0]
    return re.sub(r"^(\d+|\?)x", "", inside)


SYMBOLIC_VECTOR_LOAD = OpDef(
    "agen.symbolic_vector_load",
    operands=[
        one("mem_ref", k.MEMREF),
        many("indices"),
        many("strides"),
        optional("multicast_info"),
    ],
    attributes=[*_COUNTS, *LOAD, DBG_NAME],
    results=[result("value", VECTOR)],
    counts=_sizes(1, True),
    assembly=" $mem_ref$at{?, multicast_info($multicast_info)?}$dict : $mem_ref:type, $value:type",
    custom={"at": _COUNTED},
    verify=lambda op: _symbolic(op, op.result_types()[0]),
)
SYMBOLIC_VECTOR_STORE = OpDef(
    "agen.symbolic_vector_store",
    operands=[one("value", VECTOR), one("mem_ref", k.MEMREF), many("indices"), many("strides")],
    attributes=[*_COUNTS, *STORE, DBG_NAME],
    counts=_sizes(2, False),
    assembly=" $value, $mem_ref$at$dict : $mem_ref:type, $value:type",
    custom={"at": _COUNTED},
    verify=lambda op: _symbolic(op, op.types("value")[0]),
)

# --- interleave ----------------------------------------------------------------------------------

_INTERLEAVED = Region("body", args=(), terminator="agen.yield", implicit=True, hidden=True)

COMPOSITE_MEMORY_INTERLEAVE = OpDef(
    "agen.composite_memory_interleave",
    attributes=[opt("granularity", k.I32_ATTR), DBG_NAME],
    regions=[_INTERLEAVED],
    assembly="$entries$body",
    custom={"entries": parts.entries(), "body": parts.body(_INTERLEAVED)},
)

# --- transfer masks ------------------------------------------------------------------------------

_MASK = re.compile(r"mask([A-Z])")
_PATTERN = re.compile(
    r'"\s*\(\s*unmasked\s*=\s*(\d+)(?:\s*:\s*i32)?\s*,\s*masked\s*=\s*(\d+)(?:\s*:\s*i32)?\s*\)\s*"'
)
_LISTS = ("num_unmasked_elements", "num_masked_elements")


def _read_masks(c: Cursor, d: Draft) -> None:
    start = c.start()
    d.attrs.update(c.dictionary())
    letters = sorted(key for key in d.attrs if _MASK.fullmatch(key))
    pairs: list[tuple[str, str]] = []
    for i, key in enumerate(letters):
        found = _PATTERN.fullmatch(d.attrs[key] or "")
        if found is None:
            raise c.fail(f'{key} must be "(unmasked = N, masked = N)"', start)
        if key != f"mask{chr(ord('A') + i)}":
            raise c.fail("masks must be named maskA, maskB, … without a gap", start)
        pairs.append((found[1], found[2]))
        d.attrs[key] = _pattern(found[1], found[2])
    if pairs:
        for name, column in zip(_LISTS, zip(*pairs, strict=True), strict=True):
            d.attrs[name] = f"[{', '.join(f'{n} : i32' for n in column)}]"


def _pattern(unmasked: str, masked: str) -> str:
    return f'"(unmasked = {unmasked} : i32, masked = {masked} : i32)"'


def _numbers(d: Draft, name: str) -> list[str]:
    items = scan.split_list((d.attrs.get(name) or "[]")[1:-1])
    return [str(integer_of(item) or 0) for item in items]


def _write_masks(d: Draft) -> str:
    shown = {name: d.attrs.get(name) for name in ("num_slices", "slice_mask_map")}
    for i, pair in enumerate(zip(*(_numbers(d, name) for name in _LISTS), strict=False)):
        shown[f"mask{chr(ord('A') + i)}"] = _pattern(*pair)
    # The public printer drops every other entry; keeping them costs nothing.
    for key, value in d.attrs.items():
        if key not in _LISTS and not _MASK.fullmatch(key):
            shown.setdefault(key, value)
    return f" {{ {scan.join_dict(shown)} }}"


def _mask_lists(op: OpRef) -> None:
    given = [name for name in _LISTS if op.has(name)]
    if len(given) == 1:
        raise op.fail(f"'{given[0]}' without the other list")
    if given and len(op.items(_LISTS[0])) != len(op.items(_LISTS[1])):
        raise op.fail("the two lists of mask elements differ in length")
    letters = sorted(key for key in op.op.attributes if _MASK.fullmatch(key))
    if letters != [f"mask{chr(ord('A') + i)}" for i in range(len(letters))]:
        raise op.fail("masks must be named maskA, maskB, … without a gap")
    for key in letters:
        if not _PATTERN.fullmatch(op.text(key)):
            raise op.fail(f'{key} must be "(unmasked = N, masked = N)"')
    if len(op.items(_LISTS[0])) > 26:
        raise op.fail("at most 26 masks have a letter")


SET_TRANSFER_MASK_STATE = OpDef(
    "agen.set_transfer_mask_state",
    operands=[one("mask_value")],
    attributes=[
        Attr("num_slices", k.I32_ATTR),
        Attr("slice_mask_map", k.STRING),
        opt("num_unmasked_elements", k.I32_LIST),
        opt("num_masked_elements", k.I32_LIST),
        DBG_NAME,
    ],
    results=[result("state", VECTOR)],
    assembly=" mask_value($mask_value)$masks :  $mask_value:type , $state:type",
    custom={"masks": Custom(_read_masks, _write_masks)},
    verify=_mask_lists,
)
