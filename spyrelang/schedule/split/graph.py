"""The scalar expression DAG behind stored tensors.

A node is one element of a loaded tensor, or one scalar operation on nodes. Equal nodes are one
node, so values used more than once are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spyrelang.affine import Expr
from spyrelang.errors import Location
from spyrelang.schedule.model import Body, ScalarOp
from spyrelang.schedule.split.views import Access


@dataclass(frozen=True)
class Moment:
    """When something happens in the kernel: its position in the text, and the symbols of the
    loops round it, outermost first."""

    position: int
    loops: tuple[int, ...]


@dataclass(frozen=True)
class Touch:
    """Elements of a view met by the points of a box: view[access.origin + index(point)].

    `index` has one expression per view dim, over the dims of the box `extents`.
    """

    access: Access
    index: tuple[Expr, ...]
    extents: tuple[int, ...]
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Leaf:
    """One load: what it reads and when."""

    touch: Touch
    when: Moment


@dataclass(frozen=True)
class Operation:
    """One scalar operation; `operands` are node numbers."""

    name: str
    operands: tuple[int, ...]
    dtype: str
    attrs: tuple[tuple[str, str], ...] = ()
    location: Location | None = field(default=None, compare=False)


Node = Leaf | Operation


class Graph:
    """Nodes by number; operands have smaller numbers than their users."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}

    def add(self, node: Node) -> int:
        """The number of a node, new or known."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def reachable(self, roots: Iterable[int]) -> list[int]:
        """The nodes that roots are computed from, roots included, in order."""
        seen: set[int] = set()
        pending = list(roots)
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                node = self.nodes[number]
                pending += node.operands if isinstance(node, Operation) else ()
        return sorted(seen)

    def leaves(self, roots: Iterable[int]) -> list[Leaf]:
        """The loads that roots depend on, in the order of the kernel."""
        nodes = (self.nodes[number] for number in self.reachable(roots))
        found = [node for node in nodes if isinstance(node, Leaf)]
        return sorted(found, key=lambda leaf: leaf.when.position)

    def shared(self, a: Iterable[int], b: Iterable[int]) -> bool:
        """Whether two sets of roots have a load or an operation on loads in common."""
        first = {leaf.touch for leaf in self.leaves(a)}
        return any(leaf.touch in first for leaf in self.leaves(b))


def fused(graph: Graph, roots: Sequence[int]) -> tuple[list[Touch], Body]:
    """One body that computes all roots, and what it reads, in the order of the kernel. Loads of the
    same elements become one."""
    touches = list(dict.fromkeys(leaf.touch for leaf in graph.leaves(roots)))
    numbers: dict[int, int] = {}
    ops: dict[ScalarOp, int] = {}
    for number in graph.reachable(roots):
        node = graph.nodes[number]
        if isinstance(node, Leaf):
            numbers[number] = touches.index(node.touch)
            continue
        operands = tuple(numbers[operand] for operand in node.operands)
        op = ScalarOp(node.name, operands, node.dtype, node.attrs, node.location)
        numbers[number] = ops.setdefault(op, len(touches) + len(ops))
    inputs = tuple(touch.access.view.dtype for touch in touches)
    return touches, Body(inputs, tuple(ops), tuple(numbers[root] for root in roots))
