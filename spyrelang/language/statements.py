"""Nodes that are statements: loops by condition, assertions and prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spyrelang.language.graph import Block, BoolNode, IndexNode, Node, Repeating, ValueNode


@dataclass(eq=False, kw_only=True)
class While(Repeating):
    """`while condition: …`: `test` computes the condition before each iteration, `run` is what is
    repeated. `body` is around both and empty but for what they carry."""

    condition: BoolNode | None = None
    test: Block = field(init=False)
    run: Block = field(init=False)

    def operands(self) -> tuple[Any, ...]:
        return () if self.condition is None else (self.condition,)

    def blocks(self) -> tuple[Block, ...]:
        return self.test, self.run


@dataclass(eq=False, kw_only=True)
class Assert(Node):
    """Stop the run with `message` where the condition does not hold."""

    condition: BoolNode
    message: str

    def operands(self) -> tuple[Any, ...]:
        return (self.condition,)

    @property
    def effect(self) -> bool:
        return True


@dataclass(eq=False, kw_only=True)
class Print(Node):
    """Show `values` in the places of the `{}` of `text`; doubled braces are braces."""

    text: str
    values: tuple[IndexNode | BoolNode | ValueNode, ...]

    def operands(self) -> tuple[Any, ...]:
        return self.values

    @property
    def effect(self) -> bool:
        return True
