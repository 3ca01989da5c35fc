"""Gather and scatter: one address out of an index buffer is added to the direct side's base."""

from __future__ import annotations

from spyrelang.dialects import shapes
from spyrelang.dialects.ktdf.transfers import Side, side_rules
from spyrelang.dialects.ktdf.types import ENDPOINT, element_type
from spyrelang.ir import kinds as k
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import OpDef, many, one, opt, optional
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Piece

_SOURCE, _DESTINATION = Side("dir_src", "dir_src"), Side("dir_dst", "dir_dst")


def _buffer(memref: str, index: str) -> Piece:
    """`%iab[%i]`, or `none`."""

    def read(c: Cursor, d: Draft) -> None:
        if c.take("none"):
            return
        d.operands[memref] = [c.value()]
        c.expect("[")
        d.operands[index] = [c.value()]
        c.expect("]")

    def write(d: Draft) -> str:
        return f"{d.one(memref)}[{d.one(index)}]" if d.operands.get(memref) else "none"

    return Custom(read, write)


_ENDS = ("ind_src_memref", "dir_src", "ind_dst_memref", "dir_dst")


def _types() -> Piece:
    """The types of the four clauses, `none` for a missing one."""

    def read(c: Cursor, d: Draft) -> None:
        for number, segment in enumerate(_ENDS):
            if number:
                c.expect(",")
            if d.operands.get(segment):
                d.types[segment] = [c.type()]
            else:
                c.expect("none")

    def write(d: Draft) -> str:
        return ", ".join(d.type_list(segment) or "none" for segment in _ENDS)

    return Custom(read, write)


def _rules(op: OpRef) -> None:
    buffers = [t for name in ("ind_src_memref", "ind_dst_memref") for t in op.types(name)]
    if len(buffers) != 1:
        raise op.fail("exactly one of ind_src and ind_dst is an index buffer")
    if shapes.rank_of(buffers[0]) != 1:
        raise op.fail("the index buffer must have rank 1")
    for which in ("src", "dst"):
        if len(op.types(f"ind_{which}_memref")) != len(op.types(f"ind_{which}_index")):
            raise op.fail(f"ind_{which} needs an index buffer and an index")
    source, destination = op.types("dir_src")[0], op.types("dir_dst")[0]
    side_rules(op, _SOURCE, source)
    side_rules(op, _DESTINATION, destination)
    if element_type(source) != element_type(destination):
        raise op.fail(
            f"element types differ: {element_type(source)} and {element_type(destination)}"
        )


def _direct(side: Side) -> list[str]:
    return [side.indices, side.sizes]


IND_DATA_TRANSFER = OpDef(
    "ktdf.ind_data_transfer",
    operands=[
        optional("ind_src_memref", k.MEMREF),
        optional("ind_src_index"),
        one("dir_src", ENDPOINT),
        *map(many, _direct(_SOURCE)),
        optional("ind_dst_memref", k.MEMREF),
        optional("ind_dst_index"),
        one("dir_dst", ENDPOINT),
        *map(many, _direct(_DESTINATION)),
    ],
    attributes=[
        *(opt(side.static, k.I64_ARRAY) for side in (_SOURCE, _DESTINATION)),
        *(opt(side.map, k.AFFINE_MAP) for side in (_SOURCE, _DESTINATION)),
    ],
    segments=True,
    assembly="\n  ind_src = $is\n  dir_src = $ds\n  ind_dst = $id\n  dir_dst = $dd$dict : $types",
    custom={
        "is": _buffer("ind_src_memref", "ind_src_index"),
        "ds": _SOURCE,
        "id": _buffer("ind_dst_memref", "ind_dst_index"),
        "dd": _DESTINATION,
        "types": _types(),
    },
    verify=_rules,
)
