"""Which nodes a kernel's stores need; the rest (unused loads, index arithmetic) is not emitted."""

from __future__ import annotations

from spyrelang.language.graph import (
    Block,
    IndexOp,
    Load,
    Loop,
    LoopVar,
    Map,
    Node,
    Store,
    TileNode,
)


def live(root: Block) -> set[Node]:
    """The stores, the loops around them, and everything they depend on."""
    found: set[Node] = set()
    pending: list[Node] = [node for node in root.walk() if isinstance(node, Store)]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found.add(node)
        pending += needs(node)
        pending += node.block.loops()
    return found


def needs(node: Node) -> list[Node]:
    """The operands of a node."""
    if isinstance(node, Store):
        return [node.value, node.tile]
    if isinstance(node, Load):
        return [node.tile]
    if isinstance(node, TileNode):
        return [node.view, *(o for o in node.origin if not isinstance(o, int))]
    if isinstance(node, Map):
        return list(node.inputs)
    if isinstance(node, IndexOp):
        return [o for o in (node.lhs, node.rhs) if not isinstance(o, int)]
    if isinstance(node, Loop):
        return [o for o in (node.start, node.stop) if not isinstance(o, int)]
    return [node.loop] if isinstance(node, LoopVar) else []
