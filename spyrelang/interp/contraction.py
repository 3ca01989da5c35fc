"""Sums of products as matrix products: matmul, batch_matmul, and generics of that form.

Floats of up to 32 bits are multiplied and summed in f32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.affine import Dim, Map
from spyrelang.interp.body import Body, Node
from spyrelang.interp.values import Array
from spyrelang.interp.widen import widen
from spyrelang.semantics.dtypes import DType

_CASTS = ("arith.extf", "arith.extsi")
_ANY_CAST = "builtin.unrealized_conversion_cast"


@dataclass(frozen=True)
class Contraction:
    """Loops by role: `batch` in all three operands, `rows` of the first, `columns` of the second,
    `inner` summed over. `left` and `right` number the two inputs."""

    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    inner: tuple[int, ...]
    left: int
    right: int
    wide: np.dtype[Any]
    out: DType

    def run(self, inputs: Sequence[Array], loops: int, extents: Sequence[int]) -> Array:
        """The products, over the loops batch, rows, columns, after the batch of tiles; not yet
        rounded. Inputs are spread over the loops."""
        left = self._matrix(inputs[self.left], loops, extents, self.rows, self.inner)
        right = self._matrix(inputs[self.right], loops, extents, self.inner, self.columns)
        with np.errstate(all="ignore"):
            found = self._multiply(left, right)
        shape = [extents[d] for d in (*self.batch, *self.rows, *self.columns)]
        lead = found.shape[: found.ndim - 2 - len(self.batch)]
        return found.reshape((*lead, *shape))

    def _multiply(self, left: Array, right: Array) -> Array:
        """The products of all tiles. Those that share a side are one product: many small ones
        take BLAS longer, and much longer where its threads wait for each other."""
        if left.ndim > 2 and right.ndim == 2:
            flat = left.reshape(-1, left.shape[-1]) @ right
            return flat.reshape(*left.shape[:-1], right.shape[-1])
        if left.ndim == 2 and right.ndim > 2 and _beside(right):
            lead = right.ndim - 2
            beside = right.transpose(lead, *range(lead), lead + 1)
            flat = left @ beside.reshape(right.shape[-2], -1)
            found = flat.reshape(left.shape[0], *right.shape[:-2], right.shape[-1])
            return found.transpose(*range(1, lead + 1), 0, lead + 1)
        return left @ right

    def _matrix(
        self,
        value: Array,
        loops: int,
        extents: Sequence[int],
        first: tuple[int, ...],
        second: tuple[int, ...],
    ) -> Array:
        lead = value.ndim - loops
        axes = (*self.batch, *first, *second)
        others = tuple(lead + d for d in range(loops) if d not in axes)
        value = np.squeeze(value, axis=others)
        position = {d: i for i, d in enumerate(sorted(axes))}
        value = widen(value, self.wide)
        value = value.transpose(*range(lead), *(lead + position[d] for d in axes))
        sizes = [extents[d] for d in self.batch]
        return value.reshape(
            *value.shape[:lead],
            *sizes,
            int(np.prod([extents[d] for d in first], dtype=np.int64)),
            int(np.prod([extents[d] for d in second], dtype=np.int64)),
        )


def _beside(value: Array) -> bool:
    """Whether matrices lie side by side in memory, as the blocks of columns of one do: a row of
    the first is followed by that of the second, so that they are one matrix as they stand."""
    step = value.shape[-1] * value.strides[-1]
    for axis in reversed(range(value.ndim - 2)):
        if value.strides[axis] != step:
            return False
        step *= value.shape[axis]
    return value.strides[-1] == value.itemsize and value.strides[-2] >= step


def recognise(body: Body, maps: Sequence[Map], out: DType) -> Contraction | None:
    """The contraction that a structured op is, or None."""
    if len(maps) != 3 or len(body.yields) != 1 or any(not n.name for n in body.nodes):
        return None
    factors = _factors(body)
    sets = [_dims(m) for m in maps]
    if factors is None or None in sets:
        return None
    left, right, result = (set(s or ()) for s in sets)
    summed = set(range(maps[0].n_dims)) - result
    if not summed <= left & right or left | right != result | summed:
        return None
    narrow = out.is_float and out.name != "f64"
    return Contraction(
        batch=tuple(sorted(left & right & result)),
        rows=tuple(sorted((left - right) & result)),
        columns=tuple(sorted((right - left) & result)),
        inner=tuple(sorted(summed)),
        left=0,
        right=1,
        wide=np.dtype(np.float32) if narrow else out.numpy,
        out=out,
    )


def _dims(map_: Map) -> tuple[int, ...] | None:
    dims = tuple(r.index for r in map_.results if isinstance(r, Dim))
    plain = len(dims) == map_.n_results and len(set(dims)) == len(dims)
    return dims if plain else None


def _factors(body: Body) -> tuple[int, int] | None:
    """Whether the body is acc + in0 * in1, with widening casts of the inputs and nothing else."""
    total = body.maker(body.yields[0])
    if total is None or total.name not in ("arith.addf", "arith.addi") or 2 not in total.reads:
        return None
    product = body.maker(next((r for r in total.reads if r != 2), -1))
    if product is None or product.name != total.name.replace("add", "mul"):
        return None
    sources = [_through_casts(body, r) for r in product.reads]
    casts = len(body.nodes) - 2
    if sorted(sources) != [0, 1] or casts != sum(r > 2 for r in product.reads):
        return None
    return sources[0], sources[1]


def _through_casts(body: Body, value: int) -> int:
    node = body.maker(value)
    return node.reads[0] if node is not None and _widens(node) else value


def _widens(node: Node) -> bool:
    """Whether a node is a cast that every value survives; all floats here hold those of df16."""
    if node.name == _ANY_CAST:
        return str(node.op.operands[0].type) == "!spyreop.df16"
    return node.name in _CASTS
