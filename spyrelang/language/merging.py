"""Values that loops carry and branches choose, as slots of their nodes.

An argument keeps the memory order of the value that enters; what leaves is brought into it.
"""

from __future__ import annotations

from typing import Any

from spyrelang.errors import SpyreError
from spyrelang.language import bodies, elementwise, structured
from spyrelang.language.graph import Block, Carried, CarriedIndex, Node, Slot, ValueNode
from spyrelang.language.index import Index, as_integer, symbol_index, use
from spyrelang.language.place import Place
from spyrelang.language.scalars import as_number
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace
from spyrelang.language.views import Tile


def usable(trace: Trace, value: object) -> bool:
    """Whether a value is a tensor or an integer of this trace that the current block sees."""
    if not isinstance(value, Tensor | Index) or value.trace is not trace:
        return False
    node = value.node
    if not isinstance(node, Node):
        return True
    return any(block is node.block for block in trace.block.chain())


Kept = Tensor | Index | int
"""What slots hold; an int is an integer that is known when the loop is entered."""


def settled(trace: Trace, value: Kept) -> Kept:
    """The value with every element in memory, so that its order can be kept."""
    return structured.spread(trace, value) if isinstance(value, Tensor) else value


def node_of(trace: Trace, value: Any) -> Node | int:
    """The node of a settled value."""
    return use(trace, value) if isinstance(value, Index | int) else structured.node_of(trace, value)


def standing(
    trace: Trace,
    like: Kept,
    owner: Node,
    slot: Slot,
    block: Block,
    place: Place,
    name: str | None,
) -> Tensor | Index:
    """A new value in `block` with the type, shape and memory order of `like`."""
    if isinstance(like, Index | int):
        node = CarriedIndex(place=place, block=block, name=name, owner=owner, slot=slot)
        return symbol_index(trace, node)
    source = like.node
    assert isinstance(source, ValueNode)
    found = Carried(
        place=place, block=block, name=name, shape=source.shape, dtype=like.dtype,
        owner=owner, slot=slot,
    )  # fmt: skip
    return Tensor(trace, found, like.dtype, like.shape, like.axes)


def node_in_order(trace: Trace, like: Kept, value: Any) -> Node | int | None:
    """The node of `value` in the memory order of `like`, made in the current block; None where it
    is of another kind, type or shape, or cannot be used here."""
    if isinstance(like, Index | int):
        number = as_integer(value)
        if number is not None:
            return number
        return use(trace, value) if isinstance(value, Index) and usable(trace, value) else None
    tensor = _tensor(like, value)
    if tensor is None or not usable(trace, tensor):
        return None
    if (tensor.dtype, tensor.shape) != (like.dtype, like.shape):
        return None
    return _ordered(trace, like, tensor)


def _tensor(like: Tensor, value: Any) -> Tensor | None:
    """A tensor from what the author left in the variable."""
    if isinstance(value, Tile):
        return elementwise.tensor_operand(value, "a loop")
    number = as_number(value)
    if number is None:
        return value if isinstance(value, Tensor) else None
    from spyrelang.language.shapes import full

    try:
        return full(like.shape, number, like.dtype)
    except SpyreError:
        return None


def _ordered(trace: Trace, like: Tensor, tensor: Tensor) -> ValueNode:
    order = like.node
    assert isinstance(order, ValueNode)
    if not isinstance(tensor.node, ValueNode):
        return structured.filled(trace, tensor.node, tensor.dtype, order.shape)
    node = elementwise.node_of(trace, tensor)
    access = elementwise.access_of(tensor, like.shape, order.shape, like.axes)
    if node.shape == order.shape and access.dims == tuple(range(len(order.shape))):
        return node
    source = structured.spread(trace, tensor)
    if structured.memory_order(source) == structured.memory_order(like):
        return structured.reshaped(trace, structured.node_of(trace, source), order.shape)
    moved = elementwise.compute(
        (tensor,), bodies.identity, tensor.dtype, like.shape, order.shape, like.axes
    )
    return structured.node_of(trace, moved)
