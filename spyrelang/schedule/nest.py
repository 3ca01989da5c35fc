"""`nest`: the order of the tile loops and of the point loops.

An operand that does not vary along the inner tile loops is moved once for all of them. The order
chosen is the one that moves the fewest bytes when every loop iterates; among equals the order the
author wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from math import prod

from spyrelang.errors import internal_error
from spyrelang.schedule.model import NestOrder, Program
from spyrelang.schedule.sizes import element_bytes
from spyrelang.schedule.structure import operand_dims

MAX_PERMUTED = 6
"""Programs of more dims keep the author's order: all orders of that many are too many to try."""


def nest(program: Program, device: object = None) -> Program:
    """Decide `nest`: tile loops by traffic, point loops in the author's order, vectors inside."""
    del device  # every pass takes one
    if program.vector is None:
        raise internal_error("nested", f"program {program.name} has no vector")
    dims = range(len(program.dims))
    orders = permutations(dims) if len(program.dims) <= MAX_PERMUTED else iter([tuple(dims)])
    tiles = min(orders, key=lambda order: (_traffic(program, order), order))
    points = [d for d in dims if d != program.vector.dim]
    return replace(program, nest=NestOrder(tuple(tiles), (*points, program.vector.dim)))


def _traffic(program: Program, order: Sequence[int]) -> int:
    """Bytes moved when each dim is cut into tiles of one point."""
    return sum(
        element_bytes(operand.dtype)
        * prod(program.dims[d].extent for d in order[: _depth(order, operand_dims(operand))])
        for operand in program.operands
    )


def _depth(order: Sequence[int], dims: frozenset[int]) -> int:
    return max((i + 1 for i, d in enumerate(order) if d in dims), default=0)
