"""Which nodes a kernel's effects need; the rest (unused loads, index arithmetic) is not emitted."""

from __future__ import annotations

from spyrelang.language.graph import Block, Node


def live(root: Block) -> set[Node]:
    """The nodes that do something, the loops around them, and everything they depend on."""
    found: set[Node] = set()
    pending: list[Node] = [node for node in root.walk() if node.effect]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found.add(node)
        pending += needs(node)
        pending += node.block.owners()
    return found


def needs(node: Node) -> list[Node]:
    """The operands of a node."""
    return [operand for operand in node.operands() if isinstance(operand, Node)]
