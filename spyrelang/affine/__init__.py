"""Affine expressions, maps and integer sets in plain Python, without MLIR.

Expressions are immutable and simplified as they are built, by the same rules as MLIR's, so `str`
gives the spelling MLIR prints. `eval` works on ints and, element by element, on numpy arrays.
"""

from spyrelang.affine.expr import (
    Add,
    Binary,
    CeilDiv,
    Const,
    Dim,
    Expr,
    FloorDiv,
    Linear,
    Mod,
    Mul,
    Sym,
    as_expr,
)
from spyrelang.affine.map import Map
from spyrelang.affine.set import Bound, Set
from spyrelang.affine.text import Reader, parse_expr

__all__ = [
    "Add",
    "Binary",
    "Bound",
    "CeilDiv",
    "Const",
    "Dim",
    "Expr",
    "FloorDiv",
    "Linear",
    "Map",
    "Mod",
    "Mul",
    "Reader",
    "Set",
    "Sym",
    "as_expr",
    "parse_expr",
]
