"""The arguments of a kernel: what each is for, and binding arrays to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from mlir import ir

from spyrelang.errors import Location, launch
from spyrelang.errors import interp as errors
from spyrelang.errors.checks import ARGUMENTS
from spyrelang.errors.engine import REGION_OVERLAP
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler, Uses
from spyrelang.interp.memory import NARROW, SPACING, Memory, Region
from spyrelang.interp.registry import Op
from spyrelang.interp.values import Array
from spyrelang.interp.views import runtime_bounds
from spyrelang.ir import location_of
from spyrelang.runtime import recoding
from spyrelang.runtime.arguments import operands_of
from spyrelang.runtime.execute import constant_operands
from spyrelang.runtime.operand import Operand
from spyrelang.runtime.sharing import share
from spyrelang.runtime.signature import Param, Signature
from spyrelang.semantics import df16, dtypes, numeric
from spyrelang.semantics.casts import convert
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.rounding import from_f64
from spyrelang.spyrecode.layout import contiguous_strides


@dataclass(frozen=True)
class Argument:
    """One argument of the kernel function. `kind` is the type of a scalar; `bounds` those of a
    run-time argument."""

    index: int
    name: str
    role: str | None
    kind: DType
    bounds: Mapping[str, int]
    used: bool = True
    location: Location | None = None


def declared(c: Compiler, function: Op) -> list[Argument]:
    """The arguments of a function, each with a slot. Raises SPY557 for types no launch can give."""
    given: Any = function.attributes.get("arg_attrs", [])
    entries = [ir.DictAttr(a) for a in given]
    found: list[Argument] = []
    for index, value in enumerate(function.regions[0].blocks[0].arguments):
        slot = c.define(value, function)
        slot.roots, slot.direct = frozenset({index}), True
        entry = entries[index] if index < len(entries) else None
        name = _text(entry, "spyrelang.name") or _location_name(value) or f"arg{index}"
        kind = _kind(c, function, value, name)
        bounds = runtime_bounds(str(value.type))
        role, used = _text(entry, "spyrelang.role"), bool(list(value.uses))
        place = location_of(value.location, c.module) or c.place(function)
        found.append(Argument(index, name, role, kind, bounds, used, place))
    return found


def check_arguments(kernel: str, arguments: list[Argument], uses: Uses) -> None:
    """Raise SPY598 for names that occur twice and roles that are none or not kept."""
    names: set[str] = set()
    for a in arguments:
        reason = None
        if a.name in names:
            reason = "has the name of another"
        elif a.role is not None and a.role not in ("in", "out", "inout", "index"):
            reason = f"has the role '{a.role}'; roles are in, out, inout and index"
        elif a.role == "in" and a.index in uses.written:
            reason = "has the role 'in', but the kernel stores to it"
        if reason is not None:
            raise ARGUMENTS.error(a.location, name=a.name, kernel=kernel, reason=reason)
        names.add(a.name)


def _text(entry: Any, name: str) -> str | None:
    return str(text.value_of(entry[name])) if entry is not None and name in entry else None


def _location_name(value: Any) -> str | None:
    where = value.location
    return str(where.name_str) if where.is_a_name() else None


def _kind(c: Compiler, function: Op, value: Any, name: str) -> DType:
    """The scalar type of an argument; `index` for addresses."""
    spelled = str(value.type)
    if spelled.startswith("!ktdp.runtime_arg<"):
        spelled = spelled.removeprefix("!ktdp.runtime_arg<")[:-1].split(",")[0].strip()
    found = dtypes.REGISTRY.get(spelled.removeprefix("!spyreop."))
    if found is None or found.is_pair:
        raise errors.BAD_TYPE.error(
            c.place(function),
            op=f"argument '{name}' of the kernel",
            type=value.type,
            reason="kernels take addresses (index) and scalars",
            hint="take its address (index) and make a view of it with ktdp.construct_memory_view",
        )
    return found


def signature(kernel: str, arguments: list[Argument], uses: Uses) -> Signature:
    """What a launch must give, in the terms of the runtime."""
    return Signature(kernel, tuple(_param(a, uses) for a in arguments))


def _param(argument: Argument, uses: Uses) -> Param:
    views = uses.views.get(argument.index, [])
    shapes = {v.shape for v in views}
    shape = next(iter(shapes)) if len(shapes) == 1 else None
    types = {v.dtype for v in views}
    kind = next(iter(types)) if len(types) == 1 else argument.kind
    return Param(
        index=argument.index,
        name=argument.name,
        role=_role(argument, uses) if views else "index",
        dtype=kind.numpy,
        type_name=kind.name,
        shape=shape or (),
        strides=contiguous_strides(shape or ()),
        contiguous=True,
        scalar=not views,
        pointer=bool(views) and (len(types) > 1 or shape is None),
        place=next((v.place for v in views), None),
    )


def _role(argument: Argument, uses: Uses) -> str:
    if argument.role in ("in", "out", "inout"):
        return argument.role
    reads, writes = argument.index in uses.read, argument.index in uses.written
    return "inout" if reads and writes else "out" if writes else "in"


# --- binding -------------------------------------------------------------------------------------


@dataclass
class Bound:
    """The arguments of one run: the value of each, and the arrays with their regions."""

    memory: Memory
    inputs: list[Any]
    arrays: list[tuple[Operand, Region, Array]]

    def copy_back(self) -> None:
        """Store into arrays that do not lie in memory as the kernel sees them."""
        for operand, region, flat in self.arrays:
            array = operand.array
            if flat.dtype != array.dtype:
                _decode(operand, flat)
            elif region.stored and not np.shares_memory(flat, array):
                array[...] = flat.reshape(array.shape)
            tensor = operand.tensor
            if region.stored and tensor is not None and tensor.region.defined is not None:
                written = np.repeat(region.owners() != 0, flat.itemsize)
                tensor.region.defined[: written.size] |= written


def _decode(operand: Operand, codes: Array) -> None:
    """Store DLFloat16 codes into the f16 array they were made of, by the rules of `recoding`."""
    array, param = operand.array, operand.param
    if not param.writes:
        return
    if recoding.declared(param) or not np.array_equal(codes, df16.from_f16(array).reshape(-1)):
        array[...] = df16.to_f16(codes).reshape(array.shape)


class Binder:
    """Binds arrays to the arguments of one kernel.

    With `numerics` "df16" the memory of an f16 array holds DLFloat16 codes: it is converted when it
    is bound and, if the kernel writes it, converted back.
    """

    def __init__(
        self,
        kernel: str,
        arguments: list[Argument],
        uses: Uses,
        tiles: int,
        numerics: str = "ieee",
    ) -> None:
        self.arguments = arguments
        self.uses = uses
        self.tiles = tiles
        self.numerics = numerics
        self.signature = signature(kernel, arguments, uses)

    def bind(self, arrays: Mapping[str, object], memory: Mapping[int, object] | None) -> Bound:
        """Raises SPY700 to SPY726 for what does not fit."""
        values = self.signature.match((), arrays)
        raw = {
            p.index: int(v)
            for p, v in zip(self.signature.given, values, strict=True)
            if not p.scalar and isinstance(v, (int, np.integer)) and _is_int(v)
            if memory or p.pointer
        }
        scalars = self._scalars(values)
        taken = raw.keys() | scalars.keys()
        kept = [p for p in self.signature.params if p.index not in taken]
        rest = Signature(self.signature.kernel, tuple(kept))
        operands, _, _ = operands_of(rest, [values[p.index] for p in kept])
        listed = constant_operands(memory or {}, {})
        share([*operands, *listed])
        bound = Bound(Memory(self.tiles, self._spacing()), [None] * len(values), [])
        unstable = self.uses.writes_unknown or any(i in self.uses.written for i in raw)
        self._add(bound, operands, listed, list(memory or {}), unstable)
        for index, value in {**raw, **scalars}.items():
            bound.inputs[index] = value
        for operand in operands:
            bound.inputs[operand.param.index] = bound.memory.base(operand.param.index)
        return bound

    def _spacing(self) -> int:
        """How far apart the arguments lie, as a power of two."""
        if not self.uses.narrow_addresses:
            return SPACING
        return NARROW - (len(self.arguments) + 1).bit_length()

    def _scalars(self, values: list[object]) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for param, value in zip(self.signature.given, values, strict=True):
            if param.scalar:
                found[param.index] = self._scalar(self.arguments[param.index], value)
        return found

    def _scalar(self, argument: Argument, value: object) -> Any:
        if not argument.used and argument.kind.name == "index":
            return 0  # an address that nothing is read from or written to
        want = _misfit(argument.kind, value)
        if want is not None:
            raise launch.SCALAR_EXPECTED.error(
                index=argument.index,
                name=argument.name,
                want=want,
                found=_shown(value),
            )
        number: Any = value
        if argument.bounds:
            _check_bounds(argument, int(number))
        if argument.kind.name == "index":
            return int(number)
        kind = numeric(argument.kind, self.numerics)
        if not kind.is_df16:
            return np.asarray(number).astype(kind.numpy)
        with np.errstate(over="ignore"):  # a number of the declared type first, as constants are
            declared = from_f64(np.asarray(number, np.float64), argument.kind)
        return convert(argument.kind, kind)(declared)

    def _add(
        self,
        bound: Bound,
        operands: list[Operand],
        listed: list[Operand],
        addresses: list[int],
        unstable: bool,
    ) -> None:
        stored = [o.array for o in operands if o.param.index in self.uses.written]
        known: list[tuple[Array, Region]] = []
        for operand in (*operands, *listed):
            stable = not unstable and not any(
                a is operand.array or np.may_share_memory(a, operand.array) for a in stored
            )
            region, flat = self._region(operand, stable, known)
            bound.arrays.append((operand, region, flat))
            if operand.param.index >= 0:
                bound.memory.arguments[operand.param.index] = region
        constants = bound.memory.constants
        for address, (_, region, flat) in zip(
            addresses, bound.arrays[len(operands) :], strict=True
        ):
            start = address * flat.itemsize
            constants.append((start, start + flat.nbytes, region))
        constants.sort(key=lambda c: c[:2])
        for (_, end, first), (start, last, second) in pairwise(constants):
            if start < end:
                raise REGION_OVERLAP.error(
                    name=second.name, address=start, nbytes=last - start, other=first.name
                )

    def _region(
        self, operand: Operand, stable: bool, known: list[tuple[Array, Region]]
    ) -> tuple[Region, Array]:
        """The memory of an array; the same array given twice is one region."""
        array = operand.array
        for other, region in known:
            same = other.__array_interface__ == array.__array_interface__
            if same and other.dtype == array.dtype:
                region.undefined = region.undefined and operand.param.role == "out"
                return region, region.data
        flat = self._flat(array)
        name = operand.param.name if operand.param.index < 0 else f"'{operand.param.name}'"
        undefined = operand.param.role == "out"
        region = Region(
            name, flat, self.tiles, undefined=undefined, stable=stable, shape=array.shape
        )
        _mark_defined(region, operand)
        known.append((array, region))
        return region, flat

    def _flat(self, array: Array) -> Array:
        """The elements in row-major order as the kernel sees them: `array` itself if it can be."""
        if self.numerics == "df16" and array.dtype == np.float16:
            return df16.from_f16(array).reshape(-1)
        whole = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        return whole.reshape(-1)


def _mark_defined(region: Region, operand: Operand) -> None:
    """A device tensor knows which of its bytes were ever written."""
    tensor = operand.tensor
    if tensor is None or tensor.region.defined is None or region.undefined:
        return
    defined = tensor.region.defined[: operand.array.nbytes]
    if not defined.all():
        region.undefined = True
        region.owners()[defined[:: operand.array.itemsize]] = -2


def _misfit(kind: DType, value: Any) -> str | None:
    """What an argument of type `kind` must be, where `value` is not that. Integers may be written
    as signed or as unsigned ones."""
    if kind.name == "i1" and isinstance(value, bool | np.bool_):
        return None
    if kind.is_float:
        number = _is_int(value) or isinstance(value, float | np.floating)
        if number and not _rounds(kind, value):
            return f"in the range of {kind.name}"
        return None if number else "a number"
    if not _is_int(value):
        return "a truth value" if kind.name == "i1" else "an integer"
    least, most = -(1 << kind.bits - 1), (1 << kind.bits) - 1
    if least <= int(value) <= most:
        return None
    return "0 or 1" if kind.bits == 1 else f"an integer of {kind.bits} bits"


def _shown(value: object) -> object:
    """A number, or the type of what is none; Python does not print very long integers."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    plain = _is_int(value) or isinstance(value, float | np.floating)
    return value if plain else type(value).__name__


def _rounds(kind: DType, value: Any) -> bool:
    """Whether a float type has a number, infinities and NaN included, to which a value rounds."""
    if isinstance(value, int) and abs(value) >= 1 << 1024:
        return False
    wide = np.float64(value)
    with np.errstate(over="ignore", invalid="ignore"):
        near = from_f64(np.asarray(wide), kind)
        return not np.isfinite(wide) or kind.is_df16 or bool(np.isfinite(near))


def _is_int(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_bounds(argument: Argument, value: int) -> None:
    most = argument.bounds.get("upperbound", value)
    step = argument.bounds.get("granularity", 1)
    if 0 <= value <= most and value % step == 0:
        return
    nearest = min(max(value, 0), most) // step * step
    raise launch.DIMENSION_REFUSED.error(
        what=f"argument #{argument.index}",
        name=argument.name,
        value=value,
        minimum=0,
        maximum=most,
        granularity=step,
        nearest=nearest,
    )
