"""Which operations of a kernel can be scheduled, and by what name the others are refused."""

from __future__ import annotations

import re

from spyrelang.dialects.debug import PRINT
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split.source import Op, place

_VALUES = {"arith", "math", "spyreop", "tensor", "index", "affine"}
"""Dialects whose operations make values and touch no memory; they are read where used."""

_OTHERS = {
    "linalg.generic",
    "ktdp.construct_memory_view",
    "ktdp.construct_access_tile",
    "ktdp.construct_distributed_memory_view",
    "ktdp.construct_indirect_access_tile",
    "func.return",
    "scf.yield",
}

_CONTRACTION = re.compile(r"linalg\.\w*(matmul|matvec|vecmat|dot|mmt4d|contract|conv)\w*")
_REDUCTION = re.compile(r"linalg\.\w*(reduce|pooling|softmax)\w*")
_CONTROL = re.compile(
    r"(scf|cf|affine)\.(if|while|for|forall|parallel|execute_region|index_switch|"
    r"reduce|cond_br|br|switch)"
)
_BETWEEN_CORES = re.compile(r"ktdp\.inter_tile_\w+")


def check(op: Op) -> None:
    """Refuse what cannot be scheduled. Raises SPY400-402, SPY404-406, SPY424."""
    if op.name == "ktdp.construct_indirect_access_tile":
        raise errors.GATHER.error(place(op), op=op.name)
    if op.name == "ktdp.construct_distributed_memory_view":
        raise errors.DISTRIBUTED.error(place(op), op=op.name)
    if op.name in ("cf.assert", PRINT.name):
        raise errors.DEBUGGING.error(place(op), op=op.name)
    if _CONTROL.fullmatch(op.name):
        raise errors.CONTROL.error(place(op), op=op.name)
    if op.name not in _OTHERS and op.name.split(".", 1)[0] not in _VALUES:
        raise errors.OPERATION.error(place(op), op=op.name)


def check_named(op: Op) -> None:
    """Refuse named operations that would lose their name when they are generalised."""
    if _CONTRACTION.fullmatch(op.name):
        raise errors.CONTRACTION.error(place(op), op=op.name)
    if _REDUCTION.fullmatch(op.name):
        raise errors.REDUCTION.error(place(op), op=op.name)
