"""Element types by their MLIR spelling: width, kind, numpy dtype, limits.

`index` is 64 bits and signed, as on the host. Integers carry no sign in MLIR; numpy holds them
signed, and the ops that read them as unsigned say so in their names. Arrays of `df16` (DLFloat16)
hold its codes as `np.uint16` (see `df16`); `np.uint16` by itself names no type, because the codes
look like integers: say "df16". A fused pair (`fp16_fused`, `df16_fused`, `fp32_fused`) is a
structured numpy dtype with the fields `mean` and `squares`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from spyrelang.errors import Location
from spyrelang.errors import semantics as errors
from spyrelang.semantics import df16

BF16 = np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class DType:
    """One element type. `kind` is "float", "int" or "pair"; `bits` counts significant bits (1 for
    i1), `bytes` what one element takes in memory."""

    name: str
    kind: str
    bits: int
    storage: np.dtype[Any]

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of arrays of this type; for df16 that of its codes."""
        return self.storage

    @property
    def bytes(self) -> int:
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        return self.kind == "int"

    @property
    def is_pair(self) -> bool:
        return self.kind == "pair"

    @property
    def is_df16(self) -> bool:
        """Whether elements are DLFloat16 codes, which numpy's own arithmetic must not touch."""
        return self.name == "df16"

    @property
    def limits(self) -> tuple[float, float] | tuple[int, int]:
        """The lowest and the highest finite value (integers read as signed; i1 is 0 and 1)."""
        if self.name == "i1":
            return 0, 1
        if self.is_int:
            return -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        if self.is_df16:
            return -df16.LARGEST, df16.LARGEST
        top = float(ml_dtypes.finfo(self.numpy).max)
        return -top, top

    @property
    def mlir(self) -> str:
        """The type as MLIR text spells it."""
        return f"!spyreop.{self.name}" if self.is_pair or self.is_df16 else self.name

    def __str__(self) -> str:
        return self.name


def _pair(part: Any) -> np.dtype[Any]:
    return np.dtype([("mean", part), ("squares", part)])


REGISTRY: dict[str, DType] = {
    d.name: d
    for d in (
        DType("f16", "float", 16, np.dtype(np.float16)),
        DType("bf16", "float", 16, BF16),
        DType("f32", "float", 32, np.dtype(np.float32)),
        DType("f64", "float", 64, np.dtype(np.float64)),
        DType("df16", "float", 16, df16.CODES),
        DType("i1", "int", 1, np.dtype(np.bool_)),
        DType("i8", "int", 8, np.dtype(np.int8)),
        DType("i16", "int", 16, np.dtype(np.int16)),
        DType("i32", "int", 32, np.dtype(np.int32)),
        DType("i64", "int", 64, np.dtype(np.int64)),
        DType("index", "int", 64, np.dtype(np.int64)),
        DType("fp16_fused", "pair", 32, _pair(np.float16)),
        DType("fp32_fused", "pair", 64, _pair(np.float32)),
        DType("df16_fused", "pair", 32, _pair(df16.CODES)),
    )
}
"""Every element type by name."""

_ALIASES = {
    "half": "f16",
    "float16": "f16",
    "fp16": "f16",
    "bfloat16": "bf16",
    "float": "f32",
    "single": "f32",
    "float32": "f32",
    "fp32": "f32",
    "double": "f64",
    "float64": "f64",
    "fp64": "f64",
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "dlfloat16": "df16",
}

_BY_NUMPY = {d.storage: d for d in REGISTRY.values() if d.name not in ("index", "df16")}


def get(name: str) -> DType:
    """The type with this MLIR spelling ("f16", "!spyreop.df16"). Raises SPY585."""
    found = REGISTRY.get(name.removeprefix("!spyreop."))
    if found is None:
        raise errors.UNKNOWN_DTYPE.error(dtype=name)
    return found


def parse(spelling: object, location: Location | None = None) -> DType:
    """The type an author means: "float16", "f16", `np.float16`, `torch.bfloat16`, a `DType`.

    As in torch, the string "float" is 32 bits; the Python type `float` is 64, as in numpy.
    Raises SPY585 for what names no type, SPY586 for numpy dtypes without a counterpart.
    """
    if isinstance(spelling, DType):
        return spelling
    text = str(spelling).removeprefix("torch.").removeprefix("!spyreop.").lower()
    text = _ALIASES.get(text, text)
    if text in REGISTRY:
        return REGISTRY[text]
    if spelling is None:  # numpy reads None as f64
        raise errors.UNKNOWN_DTYPE.error(location, dtype=spelling)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy's, for letters it retires
            dtype: np.dtype[Any] = np.dtype(spelling)  # type: ignore[call-overload]
    except (TypeError, ValueError) as err:
        raise errors.UNKNOWN_DTYPE.error(location, dtype=spelling) from err
    return from_numpy(dtype, location)


def from_numpy(dtype: np.dtype[Any], location: Location | None = None) -> DType:
    """The type of the elements of arrays of `dtype`. Raises SPY586 with the conversion to use."""
    found = _BY_NUMPY.get(dtype)
    if found is None:
        reason, fix = _refusal(dtype)
        raise errors.ARRAY_DTYPE.error(location, dtype=dtype, reason=reason, hint=fix)
    return found


def held_by(dtype: np.dtype[Any]) -> DType:
    """The type of the elements of an array that a kernel took: codes are of df16."""
    return REGISTRY["df16"] if dtype == df16.CODES else from_numpy(dtype)


def _refusal(dtype: np.dtype[Any]) -> tuple[str, str]:
    """Why there is no type for `dtype`, and what to do."""
    if not dtype.isnative:
        swapped = dtype.newbyteorder("=")
        return "its bytes are in foreign order", f"array.astype(np.{swapped.name})"
    if dtype == df16.CODES:
        fix = "array.view(np.int16), which keeps the bits; codes of DLFloat16 are declared spy.df16"
        return "integers are signed here", fix
    if dtype.kind == "u":
        signed = f"np.int{dtype.itemsize * 8}"
        return "integers are signed here", f"array.view({signed}), which keeps the bits"
    if dtype.kind == "c":
        return "there are no complex numbers on the device", "pass real and imaginary parts"
    return "the device has no such type", "array.astype(np.float32)"


def to_bits(values: np.ndarray) -> np.ndarray:
    """The same elements as unsigned integers of the same width (a view)."""
    return values.view(np.dtype(f"u{values.dtype.itemsize}"))
