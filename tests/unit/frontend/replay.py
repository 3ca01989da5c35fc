"""Runs a recorded kernel on numpy arrays: what the nodes mean, written down a second time."""

import itertools
import operator

import numpy as np

from spyrelang import semantics
from spyrelang.frontend import TracedKernel
from spyrelang.language.graph import (
    Fill,
    IndexOp,
    Load,
    Loop,
    Map,
    Store,
    TileId,
    TileNode,
    ViewNode,
)

INTEGERS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}


def replay(traced: TracedKernel, **arrays: np.ndarray) -> None:
    """Run every compute tile, one after the other, on the arrays of the tensor parameters."""
    for tile in itertools.product(*map(range, traced.grid)):
        _Tile(tile, arrays).block(traced.recorded.root)


class _Tile:
    def __init__(self, tile, arrays):
        self.tile = tile
        self.arrays = arrays
        self.known = {}

    def get(self, value):
        return value if isinstance(value, int) else self.known[value]

    def block(self, block):
        for node in block.nodes:
            self.known[node] = self.run(node)

    def run(self, node):
        if isinstance(node, TileId):
            return self.tile[node.axis]
        if isinstance(node, IndexOp):
            return INTEGERS[node.op](self.get(node.lhs), self.get(node.rhs))
        if isinstance(node, ViewNode):
            return self.arrays[node.base.name]
        if isinstance(node, TileNode):
            starts = [self.get(o) for o in node.origin]
            assert all(
                s >= 0 and s + e <= n
                for s, e, n in zip(starts, node.extents, node.view.shape, strict=True)
            )
            return tuple(slice(s, s + e) for s, e in zip(starts, node.extents, strict=True))
        if isinstance(node, Load):
            return self.get(node.tile.view)[self.get(node.tile)].copy()
        if isinstance(node, Store):
            self.get(node.tile.view)[self.get(node.tile)] = self.get(node.value)
        elif isinstance(node, Fill):
            return np.full(node.shape, node.value, node.dtype.numpy)
        elif isinstance(node, Map):
            return self.compute(node)
        elif isinstance(node, Loop):
            for i in range(self.get(node.start), self.get(node.stop), node.step):
                self.known[node.var] = i
                self.block(node.body)
        return None

    def compute(self, node):
        grid = np.indices(node.shape, sparse=True)
        values, dtypes = [], []
        for source, access in zip(node.inputs, node.accesses, strict=True):
            at = tuple(0 if d is None else grid[d] for d in access.dims)
            values.append(np.broadcast_to(self.get(source)[at], node.shape))
            dtypes.append(source.dtype.name)
        for op in node.body:
            if op.value is not None:
                values.append(np.asarray(op.value).astype(op.dtype.numpy))
            else:
                values.append(_apply(op, values, dtypes))
            dtypes.append(op.dtype.name)
        result = values[-1] if node.body else values[0]
        return np.array(np.broadcast_to(result, node.shape))


def _apply(op, values, dtypes):
    attributes = {name: _number(text) for name, text in op.attributes}
    function = semantics.lookup(op.name).bind(
        attributes, [dtypes[i] for i in op.operands], [op.dtype.name]
    )
    return function(*(np.asarray(values[i]) for i in op.operands))


def _number(text):
    number = text.split(" : ")[0]
    return int(number) if number.lstrip("-").isdigit() else float(number)
