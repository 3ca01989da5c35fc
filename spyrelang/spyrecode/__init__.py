"""SpyreCode artifacts: a directory with the binary, both job plans, signature and manifest.

`write` makes one from an `Executable`, `read` verifies and parses one. No MLIR anywhere.
"""

from spyrelang.spyrecode.artifact import Artifact, read
from spyrelang.spyrecode.build import Dimension
from spyrelang.spyrecode.layout import Layout, default_layout, row_major_layout
from spyrelang.spyrecode.plan import Plan, Step
from spyrelang.spyrecode.symtab import SymbolTable
from spyrelang.spyrecode.writer import write

__all__ = [
    "Artifact",
    "Dimension",
    "Layout",
    "Plan",
    "Step",
    "SymbolTable",
    "default_layout",
    "read",
    "row_major_layout",
    "write",
]
