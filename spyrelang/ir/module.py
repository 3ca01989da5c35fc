"""The module that travels between the stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from spyrelang.ir.context import LOCK, context


class Module:
    """Owns an MLIR module and the name (and text) it was read from.

    Ops live only as long as their module: keep this object while any op of it is used.
    """

    def __init__(self, mlir: ir.Module, name: str = "<module>", source: str | None = None) -> None:
        self.mlir = mlir
        self.name = name
        self.source = source
        self._lines: list[str] | None = None

    @staticmethod
    def empty(name: str = "<module>") -> Module:
        """A module without ops."""
        with LOCK, context(), ir.Location.unknown():
            return Module(ir.Module.create(), name)

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module` op."""
        return self.mlir.operation

    @property
    def body(self) -> ir.Block:
        """The block of top-level ops."""
        return self.mlir.body

    def clone(self) -> Module:
        """A copy that shares nothing."""
        with LOCK:
            return Module(adopt(self.mlir.operation.clone()), self.name, self.source)

    def text(self, **flags: Any) -> str:
        """The public text; flags as in `print_module`."""
        from spyrelang.ir.printer import print_module

        return print_module(self, **flags)

    def funcs(self) -> Iterator[ir.Operation]:
        """Every `func.func`, in order, those of nested modules included."""
        yield from _funcs(self.mlir.operation)

    def source_line(self, line: int) -> str | None:
        """A line (from 1) of the text this module was read from."""
        if self.source is None:
            return None
        if self._lines is None:
            self._lines = self.source.split("\n")
        lines = self._lines
        return lines[line - 1] if 0 < line <= len(lines) else None

    def __str__(self) -> str:
        return self.text()


def _funcs(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                found = inner.operation
                if found.name == "func.func":
                    yield found
                elif found.name == "builtin.module":
                    yield from _funcs(found)


def adopt(op: ir.Operation | ir.OpView) -> ir.Module:
    """An `ir.Module` with the contents of a detached `builtin.module` op, which is left empty."""
    op = op.operation
    with context(), op.location:
        module = ir.Module.create()
    target = module.operation
    for name in list(op.attributes.keys()):
        target.attributes[name] = op.attributes[name]
    for inner in list(op.regions[0].blocks[0].operations):
        module.body.append(inner.operation)
    return module
