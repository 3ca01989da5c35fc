"""The public scheduler ("V1"): element-wise work on several cores, broadcasts and reductions."""

from __future__ import annotations

import re
from typing import Any

from spyrelang.affine import Const, Dim, Map, Set
from spyrelang.interp import text
from spyrelang.profiles.facts import NO_GRID, ends_region, in_body, maker, types

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub

_NAMED = frozenset(
    {"linalg.add", "linalg.mul", "linalg.sub", "linalg.reduce", "linalg.generic", "linalg.yield"}
)
_BODY = frozenset({"arith.addf", "arith.mulf", "arith.subf", "linalg.yield"})
_CONTROL = {
    "scf.while": "the legality check rejects scf.while",
    "scf.if": "no pass handles a branch",
    "scf.parallel": "no pass handles it",
    "scf.forall": "no pass handles it",
    "ktdp.construct_distributed_memory_view": "the legality check rejects distributed views",
    "ktdp.construct_indirect_access_tile": "the legality check rejects indirect tiles",
    "ktdp.runtime_arg_extract": "sizes must be static",
    "cf.assert": "no pass handles an assertion",
    "spyrelang.print": "the op is ours; nobody else has it",
}
_KNOWN = frozenset(
    {
        "ktdp.construct_memory_view",
        "ktdp.get_compute_tile_id",
        "ktdp.load",
        "ktdp.store",
        "scf.for",
        "tensor.empty",
    }
)
_INDICES = ("affine", "arith", "index", "math")
_UNKNOWN_SIZE = re.compile(r"[<x]\?x")


def refusal(function: Op, op: Op) -> str | None:
    """Why the scheduler refuses an op of a kernel."""
    if op.name == "func.func":
        return _grid(op)
    if op.name in _CONTROL:
        return _CONTROL[op.name]
    if op.name.startswith("ktdp.inter_tile_"):
        return "the dialect of this scheduler does not have it"
    if in_body(op):
        return _in_body(op)
    if op.name == "scf.for" and len(op.results):
        return "the legality check rejects scf.for with iter_args"
    if any(_UNKNOWN_SIZE.search(kind) for kind in types(op)):
        return "sizes must be static"
    if op.name.startswith("linalg."):
        return _structured(op)
    if op.name == "ktdp.construct_access_tile":
        return _tile(op)
    return _on_tensors(op) or _other(op)


def _other(op: Op) -> str | None:
    if op.name.startswith("tensor.") and op.name != "tensor.empty":
        return "operands of what is computed must be loads; no pass handles other tensor ops"
    known = op.name in _KNOWN or ends_region(op) or op.name.partition(".")[0] in _INDICES
    return None if known else "no pass handles it"


def _grid(function: Op) -> str | None:
    sizes = text.grid(function)
    if sizes is None:
        return NO_GRID
    if len(sizes) > 1:
        return f"the grid must have one entry, not {len(sizes)}: the numbering of cores is assumed"
    return None


def _in_body(op: Op) -> str | None:
    around = op.parent.operation.name
    if around != "linalg.generic" or op.name in _BODY or op.name.startswith("spyreop."):
        return None
    return "bodies hold arith.addf, mulf, subf and spyreop intrinsics only"


def _structured(op: Op) -> str | None:
    if op.name not in _NAMED:
        return "named linalg ops other than add, mul, sub and reduce are rejected"
    if "indexing_maps" in op.attributes:
        for entry in op.attributes["indexing_maps"]:
            map_ = Map.parse(str(entry))
            if not all(isinstance(r, Dim | Const) for r in map_.results):
                return f"indexing maps hold dimensions and constants only, not {map_}"
    for value in list(op.operands)[len(op.operands) - len(op.results) :]:
        made = maker(value)
        if made is not None and made.name == "arith.constant":
            return "a constant initial value would be dropped without notice"
        if made is None or made.name != "tensor.empty":
            return "destinations must be tensor.empty"
    return None


def _tile(op: Op) -> str | None:
    points = Set.parse(str(op.attributes["access_tile_set"]))
    if points.n_syms:
        return "sizes must be static"
    if points.box() is None:
        return "the set of a tile must be a box"
    order = Map.parse(str(op.attributes["access_tile_order"]))
    return None if order.is_identity else "the order of a tile must be the identity"


def _on_tensors(op: Op) -> str | None:
    dialect = op.name.partition(".")[0]
    on_tensors = any(kind.startswith("tensor<") for kind in types(op))
    if dialect not in ("arith", "math") or not on_tensors or op.name in _BODY:
        return None
    if op.name == "arith.constant":
        return None  # what matters is where it is used
    return "it becomes a body that the device description cannot expand"
