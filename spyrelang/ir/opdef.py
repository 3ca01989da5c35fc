"""Declarations of ops: one `OpDef` per op; builder, accessors, verifier and both texts follow.

Guide
-----
A dialect module declares its ops like this::

    from spyrelang.ir import kinds as k
    from spyrelang.ir.opdef import Attr, OpDef, many, one, optional, result

    BINARY = OpDef(
        "vectorchain.binary",
        operands=[one("lhs", VECTOR), one("rhs", VECTOR), optional("mask", VECTOR)],
        attributes=[Attr("binary_op", OPERATOR), Attr("op_specific_map", k.AFFINE_MAP), DBG_NAME],
        results=[result("result", VECTOR)],
        assembly=" $lhs, $rhs{?[$mask : $mask:type]?}$dict : $lhs:type, $rhs:type, $result:type",
    )

* `operands` are segments in order: `one`, `optional` or `many` values of one kind. `segments=True`
  writes and reads `operandSegmentSizes`; without it at most one segment may be optional or many,
  or `counts(total, integer)` computes the sizes (`integer(name)` is an attribute's value).
* A kind (`kinds.py`) decides on text. Where a kind has one text (`k.INDEX`) the custom form may
  leave the type out.
* `Attr(name, kind, required=True, default=None, drop=False)`: a default is filled in by reader and
  builder and not printed in custom form; `drop` entries are index numbers that keep equal ops
  apart: they are removed on reading, and the generic form of a module numbers them anew.
* `regions` are `Region(name, args, terminator, implicit, hidden, prefix, …)`. With `implicit` the
  reader adds the terminator where text leaves it out, with `hidden` a plain one is not printed.
  `prefix` is the dialect whose ops are written bare inside. Terminators say `terminator=True`.
* `assembly` is a template (see `assembly.py`) for what follows the op's name. Without it the op is
  always written in generic form. `custom={"name": piece}` puts hand-written pieces behind `$name`.
* `verify(op)` gets an `OpRef` and raises `op.fail("…")`. Where it asks for types and declared
  attributes only, its answer is remembered for ops of the same ones: rules about the ops around go
  into `verify_use(op)`, which is always asked.
* Types and attributes of a dialect are declared with `kinds.declare_opaque`, `bare`,
  `declare_enum`: they bring every accepted spelling into one and refuse the rest.

Use: `BINARY.build(lhs=a, rhs=b, binary_op="#vectorchain<binary_operator add>", op_specific_map=m,
results=[t])`, `BINARY.operands(op, "mask")`, `BINARY.operand(op, "lhs")`,
`BINARY.attr(op, "dbgName")`,
`lookup("vectorchain.binary")`, `of(op)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from spyrelang.errors import SpyreError, internal_error
from spyrelang.ir.kinds import ANY, INDEX, Kind

if TYPE_CHECKING:
    from mlir import ir

    from spyrelang.ir.opref import OpRef
    from spyrelang.ir.pieces import Piece

Count = Literal["one", "optional", "many"]
SEGMENTS = "operandSegmentSizes"


@dataclass(frozen=True)
class Part:
    """An operand segment or a group of results: its name, the kind of its types, how many."""

    name: str
    kind: Kind = ANY
    count: Count = "one"


def one(name: str, kind: Kind = INDEX) -> Part:
    """Exactly one value."""
    return Part(name, kind, "one")


def optional(name: str, kind: Kind = INDEX) -> Part:
    """No value or one."""
    return Part(name, kind, "optional")


def many(name: str, kind: Kind = INDEX) -> Part:
    """Any number of values."""
    return Part(name, kind, "many")


def result(name: str = "result", kind: Kind = ANY, count: Count = "one") -> Part:
    """A result, or a group of results."""
    return Part(name, kind, count)


@dataclass(frozen=True)
class Attr:
    """An attribute with a rule. `default` is the text of the value a missing one has.

    `discardable`: public tools keep it with the entries that an op does not declare.
    """

    name: str
    kind: Kind = ANY
    required: bool = True
    default: str | None = None
    drop: bool = False
    discardable: bool = False


def opt(name: str, kind: Kind = ANY) -> Attr:
    """An attribute that may be missing."""
    return Attr(name, kind, required=False)


@dataclass(frozen=True)
class Region:
    """A region of one block.

    `args` are the kinds of its block arguments (None: any), `terminator` the op that must end it
    (None: no rule), `implicit` says that text may leave it out, `many` that the region repeats,
    `optional` that the block may be missing, `hidden` that a terminator without operands and
    entries is not printed, `filled` that an empty block has no custom form, `outer_names` that
    text shows the block arguments under the names of the operands.
    """

    name: str = "body"
    args: tuple[Kind, ...] | None = ()
    terminator: str | None = None
    implicit: bool = False
    prefix: str | None = None
    many: bool = False
    optional: bool = False
    hidden: bool = False
    filled: bool = False
    outer_names: bool = False


class OpDef:
    """One op of our dialects; see the guide at the top of this module."""

    def __init__(
        self,
        name: str,
        *,
        operands: Sequence[Part] = (),
        attributes: Sequence[Attr] = (),
        results: Sequence[Part] = (),
        regions: Sequence[Region] = (),
        segments: bool = False,
        counts: Callable[[int, Callable[[str], int]], list[int] | None] | None = None,
        assembly: str | None = None,
        custom: Mapping[str, Piece] | None = None,
        verify: Callable[[OpRef], None] | None = None,
        verify_use: Callable[[OpRef], None] | None = None,
        terminator: bool = False,
        result_name: Callable[[ir.Operation], str | None] | None = None,
        name_each_result: bool = False,
    ) -> None:
        from spyrelang.ir.assembly import compile_assembly

        self.name = name
        self.dialect = name.split(".", 1)[0]
        self.parts = tuple(operands)
        self.attributes = tuple(attributes)
        self.results = tuple(results)
        self.regions = tuple(regions)
        self.segments = segments
        self.counts = counts
        self.verify = verify
        self.verify_use = verify_use
        self.terminator = terminator
        self.result_name = result_name
        self.name_each_result = name_each_result
        self._attrs = {a.name: a for a in self.attributes}
        self._index = {p.name: i for i, p in enumerate(self.parts)}
        self._sizes: dict[int, list[int] | None] = {}
        self._segment_sizes: dict[tuple[int, tuple[int, ...] | None], list[int] | None] = {}
        self._result_sizes: dict[int, list[int] | None] = {}
        self.inherent = frozenset(a.name for a in self.attributes if not a.discardable)
        self.defaults = {a.name: a.default for a in self.attributes if a.default is not None}
        self.dropped = {a.name: a.kind for a in self.attributes if a.drop}
        self.assembly = compile_assembly(self, assembly, dict(custom or {}))
        if name in REGISTRY:
            raise AssertionError(f"{name} is declared twice")
        REGISTRY[name] = self
        _know_dialect(self.dialect)

    # --- shape -----------------------------------------------------------------------------

    def segment(self, name: str) -> int:
        """The number of the declared segment of that name."""
        index = self._index.get(name)
        if index is None:
            raise self._no_part(name)
        return index

    def _no_part(self, name: str) -> SpyreError:
        detail = f"'{self.name}' has no operand or attribute '{name}', or its sizes are broken"
        return internal_error("ir", detail)

    def sizes(
        self, total: int, integer: Callable[[str], int], segments: Sequence[int] | None
    ) -> list[int] | None:
        """How many operands each segment has, or None when the counts cannot be right."""
        if self.segments:
            key = (total, None if segments is None else tuple(segments))
            if key not in self._segment_sizes:
                found = None if segments is None else list(segments)
                self._segment_sizes[key] = self._checked(found, total)
            return self._segment_sizes[key]
        if self.counts is not None:
            return self._checked(self.counts(total, integer), total)
        if total not in self._sizes:
            self._sizes[total] = self._checked(spread(self.parts, total), total)
        return self._sizes[total]

    def result_sizes(self, total: int) -> list[int] | None:
        """How many results each declared group has, or None where `total` cannot be right."""
        if total not in self._result_sizes:
            self._result_sizes[total] = spread(self.results, total)
        return self._result_sizes[total]

    def _checked(self, sizes: list[int] | None, total: int) -> list[int] | None:
        if (
            sizes is None
            or len(sizes) != len(self.parts)
            or sum(sizes) != total
            or min(sizes, default=0) < 0
        ):
            return None
        for part, size in zip(self.parts, sizes, strict=True):
            if (part.count == "one" and size != 1) or (part.count == "optional" and size > 1):
                return None
        return sizes

    # --- accessors on live ops -------------------------------------------------------------

    def live_sizes(self, op: ir.Operation) -> list[int] | None:
        """`sizes` of an op in memory."""
        if not self.segments and self.counts is None:
            return self.sizes(len(op.operands), _no_integer, None)
        attributes = op.attributes
        segments = _i32_array(attributes.get(SEGMENTS)) if self.segments else None

        def integer(name: str) -> int:
            return _integer(attributes.get(name))

        return self.sizes(len(op.operands), integer, segments)

    def operands(self, op: ir.Operation | ir.OpView, segment: str) -> list[ir.Value]:
        """The values of one segment of a (verified) op."""
        index = self.segment(segment)
        op = op.operation
        sizes = self.live_sizes(op)
        if sizes is None:
            raise self._no_part(segment)
        start = sum(sizes[:index])
        values = op.operands
        return [values[i] for i in range(start, start + sizes[index])]

    def operand(self, op: ir.Operation | ir.OpView, segment: str) -> ir.Value | None:
        """The value of a segment that holds one, or None where an optional one is missing."""
        found = self.operands(op, segment)
        return found[0] if found else None

    def attr(self, op: ir.Operation | ir.OpView, name: str) -> Any:
        """The attribute of that name (an `ir.Attribute`), its default, or None."""
        attributes = op.operation.attributes
        if name in attributes:
            return attributes[name]
        default = self.defaults.get(name)
        if default is None:
            return None
        from spyrelang.ir.build import attribute

        return attribute(default)

    # --- builder ---------------------------------------------------------------------------

    def build(
        self,
        *,
        results: Sequence[Any] = (),
        extra: Mapping[str, Any] | None = None,
        regions: int | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
        **values: Any,
    ) -> ir.Operation:
        """Make the op; segments and attributes by name.

        A segment takes a value, a sequence of values or None; an attribute an `ir.Attribute`, an
        affine object or a text; `results` types or texts; `extra` discardable attributes.
        Raises a catalogue error for a name the op does not have.
        """
        from spyrelang.ir.build import build, i32_array

        attributes: dict[str, Any] = dict(self.defaults)
        operands: list[ir.Value] = []
        sizes: list[int] = []
        for part in self.parts:
            found = _as_values(values.pop(part.name, None))
            operands += found
            sizes.append(len(found))
        for name, value in values.items():
            if name not in self._attrs:
                raise self._no_part(name)
            if value is not None:
                attributes[name] = value
        attributes.update(extra or {})
        if self.segments:
            attributes[SEGMENTS] = i32_array(sizes)
        count = len(self.regions) if regions is None else regions
        return build(self.name, operands, attributes, results, count, loc, ip)

    def __repr__(self) -> str:
        return f"OpDef({self.name!r})"


def _as_values(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, Iterable) and not hasattr(value, "owner"):
        return list(value)  # type: ignore[reportUnknownArgumentType]
    return [value]


def _no_integer(_: str) -> int:
    return -1


@lru_cache(maxsize=4096)
def _i32_array(attr: Any) -> tuple[int, ...] | None:
    from mlir import ir

    return tuple(attr) if isinstance(attr, ir.DenseI32ArrayAttr) else None


def _integer(attr: Any) -> int:
    from mlir import ir

    return attr.value if isinstance(attr, ir.IntegerAttr) else -1


def spread(parts: Sequence[Part], total: int) -> list[int] | None:
    """Sizes where one part takes what the fixed ones leave."""
    rest = total - sum(p.count == "one" for p in parts)
    sizes: list[int] = []
    for part in parts:
        if part.count == "one":
            sizes.append(1)
        else:
            sizes.append(min(rest, 1) if part.count == "optional" else rest)
            rest -= sizes[-1]
    return sizes if rest == 0 else None


REGISTRY: dict[str, OpDef] = {}
"""Every declared op by name."""

DIALECTS: set[str] = set()
"""Names of our dialects."""

FOREIGN_RULES: dict[str, Callable[[Any], str | None]] = {}
"""By prefix of an attribute's name: what an op of another dialect that carries such an attribute
must obey. Gives the broken rule, or None."""


def _know_dialect(name: str) -> None:
    """Note a dialect, and spare MLIR the search for a Python module of it.

    The bindings look for `mlir.dialects.<name>` whenever they make a view of an op, and remember
    only success: without an (empty) module each view of one of our ops costs a failing import.
    """
    DIALECTS.add(name)
    sys.modules.setdefault(f"mlir.dialects.{name}", ModuleType(f"mlir.dialects.{name}"))


@dataclass
class _Loaded:
    done: bool = field(default=False)


_LOADED = _Loaded()


def load_dialects() -> None:
    """Import every dialect module, once.

    The reader must know all ops before it meets the first text, whoever calls it; the import goes
    by name because `ir` is below `dialects`.
    """
    if _LOADED.done:
        return
    import importlib
    import pkgutil

    package = importlib.import_module("spyrelang.dialects")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"spyrelang.dialects.{module.name}")
    _LOADED.done = True


def lookup(name: str) -> OpDef | None:
    """The declaration of an op name, or None for ops that are not ours."""
    return REGISTRY.get(name)


def of(op: ir.Operation | ir.OpView) -> OpDef | None:
    """The declaration of a live op, or None."""
    return REGISTRY.get(op.operation.name)
