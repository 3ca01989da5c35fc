"""Making ops, types and attributes of unregistered dialects without misusing MLIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang import affine
from spyrelang.errors.text import MALFORMED
from spyrelang.ir.context import MLIRError, context
from spyrelang.ir.translate import to_mlir_text


def build(
    name: str,
    operands: Sequence[ir.Value] = (),
    attributes: Mapping[str, Any] | None = None,
    results: Sequence[Any] = (),
    regions: int = 0,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Operation:
    """Create an op; every region gets its one empty block, to which arguments may be added.

    Attributes and result types may be texts (in the public spelling), affine maps and sets, bools
    or strings in quotes. Without `loc` and `ip` the current ones of MLIR count, else an unknown
    location and no insertion.
    """
    with context():
        where = loc if loc is not None else _current_location()
        op = ir.Operation.create(
            name,
            results=[type_of(t) for t in results],
            operands=list(operands),
            attributes={k: attribute(v) for k, v in (attributes or {}).items()},
            regions=regions,
            loc=where,
            ip=ip if ip is not None else _current_ip(),
        )
        for region in op.regions:
            region.blocks.append()
    return op


def _current_location() -> Any:
    try:
        return ir.Location.current
    except (RuntimeError, ValueError):
        return ir.Location.unknown()


def _current_ip() -> Any:
    try:
        return ir.InsertionPoint.current
    except (RuntimeError, ValueError):
        return False


@lru_cache(maxsize=8192)
def _parse_attribute(text: str) -> ir.Attribute:
    try:
        return ir.Attribute.parse(to_mlir_text(text) or "?", context())
    except MLIRError as error:
        raise MALFORMED.error(message=f"'{text}' is not an attribute: {_first(error)}") from None


@lru_cache(maxsize=8192)
def _parse_type(text: str) -> ir.Type:
    try:
        return ir.Type.parse(to_mlir_text(text) or "?", context())
    except MLIRError as error:
        raise MALFORMED.error(message=f"'{text}' is not a type: {_first(error)}") from None


def _first(error: Any) -> str:
    found = error.error_diagnostics
    return found[0].message if found else "refused by MLIR"


def attribute(value: Any) -> ir.Attribute:
    """An attribute from a text in the public spelling, an affine map or set, a bool, or itself.

    Raises a catalogue error when the text is no attribute.
    """
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, ir.Type):
        return ir.TypeAttr.get(value, context())
    if isinstance(value, affine.Map | affine.Set):
        return _parse_attribute(str(value))
    if isinstance(value, bool):
        return _parse_attribute("true" if value else "false")
    if isinstance(value, (list, tuple)):
        with context():
            return ir.ArrayAttr.get([attribute(v) for v in value])  # type: ignore[reportUnknownArgumentType]
    return _parse_attribute(value)


def type_of(value: Any) -> ir.Type:
    """A type from a text in the public spelling, or itself."""
    return value if isinstance(value, ir.Type) else _parse_type(value)


def index_type() -> ir.Type:
    """`index`."""
    return _parse_type("index")


def index(value: int) -> ir.Attribute:
    """An index integer."""
    return _parse_attribute(f"{int(value)} : index")


def i64(value: int) -> ir.Attribute:
    """An i64 integer; out of range is an error."""
    return _integer(value, 64)


def i32(value: int) -> ir.Attribute:
    """An i32 integer; out of range is an error."""
    return _integer(value, 32)


def _integer(value: int, bits: int) -> ir.Attribute:
    # MLIR's parser would wrap the upper half of the unsigned range without a word.
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise MALFORMED.error(message=f"{value} does not fit i{bits}")
    return _parse_attribute(f"{int(value)} : i{bits}")


def string(value: str) -> ir.Attribute:
    """A string."""
    return ir.StringAttr.get(value, context())


def unit() -> ir.Attribute:
    """The unit attribute."""
    return ir.UnitAttr.get(context())


def array(values: Sequence[Any]) -> ir.Attribute:
    """An array of what `attribute` takes."""
    return attribute(list(values))


def i32_array(values: Sequence[int]) -> ir.Attribute:
    """A dense i32 array, e.g. of segment sizes."""
    return ir.DenseI32ArrayAttr.get(list(values), context())


def i64_array(values: Sequence[int]) -> ir.Attribute:
    """A dense i64 array."""
    return ir.DenseI64ArrayAttr.get(list(values), context())


def affine_map(value: affine.Map) -> ir.Attribute:
    """The attribute of an affine map."""
    return attribute(value)


def affine_set(value: affine.Set) -> ir.Attribute:
    """The attribute of an integer set."""
    return attribute(value)


def shaped(kind: str, shape: Sequence[int | None], element: Any, rest: str = "") -> ir.Type:
    """A `tensor`, `memref` or `vector` type; None is a dynamic extent, `rest` what follows.

    `shaped("memref", [4, None], "f16", '"L1"')`.
    """
    dims = "".join("?x" if n is None else f"{n}x" for n in shape)
    tail = f", {rest}" if rest else ""
    return _parse_type(f"{kind}<{dims}{element}{tail}>")


def tensor(shape: Sequence[int | None], element: Any) -> ir.Type:
    """A ranked tensor type."""
    return shaped("tensor", shape, element)


def memref(shape: Sequence[int | None], element: Any, space: str = "") -> ir.Type:
    """A memref type; `space` is the text of its memory space."""
    return shaped("memref", shape, element, space)


def vector(shape: Sequence[int], element: Any) -> ir.Type:
    """A vector type."""
    return shaped("vector", shape, element)


def opaque_type(dialect: str, text: str) -> ir.Type:
    """A type of one of our dialects: `opaque_type("ktdp", "access_tile<4xindex>")`."""
    return _parse_type(f"!{dialect}.{text}")


def opaque_attribute(dialect: str, text: str) -> ir.Attribute:
    """An attribute of one of our dialects: `opaque_attribute("ktdp", "memory_space<global>")`."""
    return _parse_attribute(f"#{dialect}.{text}")
