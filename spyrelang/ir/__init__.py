"""Our layer on MLIR: context, modules, op declarations, reader, printer, verifier.

`opdef` holds the guide to declaring ops. MLIR is imported with this package, not before.
"""

from spyrelang.ir import kinds
from spyrelang.ir.build import attribute, build, type_of
from spyrelang.ir.context import LOCK, context
from spyrelang.ir.module import Module
from spyrelang.ir.opdef import OpDef, load_dialects, lookup, of
from spyrelang.ir.parse import parse, parse_file, read_text
from spyrelang.ir.printer import print_module
from spyrelang.ir.verify import location_of, verify

__all__ = [
    "LOCK",
    "Module",
    "OpDef",
    "attribute",
    "build",
    "context",
    "kinds",
    "load_dialects",
    "location_of",
    "lookup",
    "of",
    "parse",
    "parse_file",
    "print_module",
    "read_text",
    "type_of",
    "verify",
]
