"""`launch_spec.json`: the host-side signature of an artifact.

The public fields describe the tensors a caller passes. Ours are in the object `spyrelang`: every
argument of the binary in order, with MLIR dtype, strides in elements, and for constant addresses
the byte address at which its array has to lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from spyrelang.errors import Location
from spyrelang.errors import artifact as errors
from spyrelang.isa.program import Argument
from spyrelang.spyrecode.fields import Json, Where, as_int, as_list, as_object, shown
from spyrelang.spyrecode.layout import Layout

NAME = "launch_spec.json"
VERSION = 1
ROLES = {"in": "input", "out": "output", "inout": "input_output"}
TORCH_DTYPES = {
    "f16": "torch.float16",
    "df16": "torch.float16",
    "bf16": "torch.bfloat16",
    "f32": "torch.float32",
    "f64": "torch.float64",
    "i1": "torch.bool",
    "i8": "torch.int8",
    "i16": "torch.int16",
    "i32": "torch.int32",
    "i64": "torch.int64",
    "index": "torch.int64",
}


@dataclass(frozen=True)
class TensorSpec:
    """One tensor as the public format records it; shape entries are sizes or symbol names."""

    arg_index: int
    role: str
    shape: tuple[int | str, ...]
    dtype: str
    layout: Layout | None = None


@dataclass(frozen=True)
class LaunchSpec:
    """The signature. `arguments` and `addresses` are empty for artifacts of other exporters."""

    kernel_name: str
    args: tuple[TensorSpec, ...]
    bundle_symbolic_args: bool = True
    pool_size: int = 0
    symbols: Mapping[str, tuple[int, int]] | None = None
    arguments: tuple[Argument, ...] = ()
    addresses: tuple[int | None, ...] = ()

    def layout_of(self, argument: int) -> Layout | None:
        """The device layout recorded for an argument."""
        return next((a.layout for a in self.args if a.arg_index == argument), None)


def to_json(spec: LaunchSpec) -> dict[str, object]:
    symbols = spec.symbols or {}
    return {
        "version": VERSION,
        "kernel_name": spec.kernel_name,
        "pool_size": spec.pool_size,
        "bundle_symbolic_args": spec.bundle_symbolic_args,
        "emitter": "ktir",
        "args": [_tensor_to_json(tensor) for tensor in spec.args],
        "symbols": {name: {"min": low, "max": high} for name, (low, high) in symbols.items()},
        "spyrelang": {"arguments": _arguments_to_json(spec)},
    }


def _tensor_to_json(tensor: TensorSpec) -> dict[str, object]:
    result: dict[str, object] = {
        "arg_index": tensor.arg_index,
        "role": tensor.role,
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
    }
    return result if tensor.layout is None else {**result, "layout": tensor.layout.to_json()}


def _arguments_to_json(spec: LaunchSpec) -> list[dict[str, object]]:
    result: list[dict[str, object]] = []
    for argument, address in zip(spec.arguments, spec.addresses, strict=True):
        entry: dict[str, object] = {
            "name": argument.name,
            "role": argument.role,
            "dtype": argument.dtype,
            "shape": list(argument.shape),
            "strides": list(argument.strides),
        }
        result.append(entry if address is None else {**entry, "address": str(address)})
    return result


class Reader:
    """Reads a parsed launch_spec.json; SPY660 and SPY661 name the field that is wrong."""

    def __init__(self, file: str) -> None:
        self.where = Where(file)
        self.location = Location(file)

    def read(self, value: object) -> LaunchSpec:
        spec = as_object(value)
        if spec is None:
            self._fail("the top level must be an object")
        version = as_int(spec.get("version"))
        if version is None or version < 1:
            self._fail(f"'version' must be a positive integer, got {shown(spec.get('version'))}")
        if version > VERSION:
            raise errors.LAUNCH_SPEC_VERSION.error(
                self.where.location("version"), found=version, known=VERSION
            )
        symbolic = spec.get("bundle_symbolic_args", True)
        if not isinstance(symbolic, bool):
            self._fail("'bundle_symbolic_args' must be true or false")
        arguments, addresses = self._arguments(spec)
        return LaunchSpec(
            self._text(spec, "kernel_name"),
            tuple(self._tensor(item) for item in self._list(spec, "args")),
            symbolic,
            self._size(spec, "pool_size") if "pool_size" in spec else 0,
            self._symbols(spec),
            arguments,
            addresses,
        )

    def _tensor(self, value: object) -> TensorSpec:
        item = self._object(value, "args")
        role = self._text(item, "role")
        if role not in ROLES.values():
            self._fail(f"unknown role {role!r}")
        shape = self._list(item, "shape")
        for extent in shape:
            number = as_int(extent)
            if not isinstance(extent, str) and (number is None or number < 0):
                self._fail(f"'shape' holds {shown(extent)}, which is neither a size nor a name")
        return TensorSpec(
            self._size(item, "arg_index"),
            role,
            tuple(e for e in shape if isinstance(e, (int, str))),
            self._text(item, "dtype"),
            self._layout(item["layout"]) if "layout" in item else None,
        )

    def _layout(self, value: object) -> Layout:
        item = self._object(value, "layout")
        return Layout(
            self._integers(item, "device_size", 0),
            self._integers(item, "stride_map", -1),
            self._text(item, "device_dtype"),
            self._text(item, "element_arrangement"),
        )

    def _symbols(self, spec: Json) -> dict[str, tuple[int, int]]:
        result: dict[str, tuple[int, int]] = {}
        for name, value in self._object(spec.get("symbols", {}), "symbols").items():
            entry = self._object(value, name)
            result[name] = (self._size(entry, "min"), self._size(entry, "max"))
        return result

    def _arguments(self, spec: Json) -> tuple[tuple[Argument, ...], tuple[int | None, ...]]:
        if "spyrelang" not in spec:
            return (), ()
        ours = self._object(spec["spyrelang"], "spyrelang")
        entries = [self._object(e, "arguments") for e in self._list(ours, "arguments")]
        return tuple(map(self._argument, entries)), tuple(map(self._address, entries))

    def _argument(self, entry: Json) -> Argument:
        return Argument(
            self._text(entry, "name"),
            self._text(entry, "role"),
            self._text(entry, "dtype"),
            self._integers(entry, "shape", 0),
            self._integers(entry, "strides", -(1 << 62)),
        )

    def _address(self, entry: Json) -> int | None:
        if "address" not in entry:
            return None
        text = self._text(entry, "address")
        if not (text.isascii() and text.isdecimal() and len(text) <= 18):
            self._fail(f"'address' must be a decimal string, got {shown(text)}")
        return int(text)

    def _text(self, item: Json, name: str) -> str:
        value = item.get(name)
        if not isinstance(value, str):
            self._fail(f"'{name}' must be a string, got {shown(value)}")
        return value

    def _size(self, item: Json, name: str) -> int:
        value = as_int(item.get(name))
        if value is None or value < 0:
            self._fail(f"'{name}' must be an integer of at least 0, got {shown(item.get(name))}")
        return value

    def _list(self, item: Json, name: str) -> Sequence[object]:
        value = as_list(item.get(name))
        if value is None:
            self._fail(f"'{name}' must be an array, got {shown(item.get(name))}")
        return value

    def _integers(self, item: Json, name: str, least: int) -> tuple[int, ...]:
        values = [as_int(n) for n in self._list(item, name)]
        result = [n for n in values if n is not None and n >= least]
        if len(result) != len(values):
            self._fail(f"'{name}' must hold integers of at least {least}")
        return tuple(result)

    def _object(self, value: object, name: str) -> Json:
        result = as_object(value)
        if result is None:
            self._fail(f"'{name}' must be an object, got {shown(value)}")
        return result

    def _fail(self, detail: str) -> NoReturn:
        raise errors.LAUNCH_SPEC.error(self.location, detail=detail)
