"""Which function compiles which op."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrelang.interp.compiler import Compiler

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub
Build = Callable[["Compiler", Op], None]
"""Reads an op and appends the step that runs it."""

_BUILDERS: dict[str, Build] = {}
_DIALECTS: dict[str, Build] = {}

_MODULES = (
    "asserts",
    "calls",
    "distributed",
    "elementwise",
    "indices",
    "indirect",
    "linalg",
    "loops",
    "memrefs",
    "nests",
    "prints",
    "slices",
    "softmax",
    "tensors",
    "tiles",
    "transfers",
    "views",
)


def builds(*names: str) -> Callable[[Build], Build]:
    """Enter a builder for ops by name; "arith.*" stands for every other op of a dialect."""

    def enter(build: Build) -> Build:
        for name in names:
            if name.endswith(".*"):
                _DIALECTS[name[:-2]] = build
            else:
                _BUILDERS[name] = build
        return build

    return enter


@cache
def _load() -> None:
    for name in _MODULES:
        importlib.import_module(f"spyrelang.interp.{name}")


def builder(name: str) -> Build | None:
    """The builder of an op; None where nothing interprets it."""
    _load()
    return _BUILDERS.get(name) or _DIALECTS.get(name.partition(".")[0])
