"""`TensorSpec`: shape, element type and strides of a tensor; what an array is a spec of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spyrelang.errors import signature as errors
from spyrelang.language.index import MOST, as_integer
from spyrelang.language.memory import row_major
from spyrelang.language.tracing import fail
from spyrelang.semantics.dtypes import DType, parse
from spyrelang.spyrecode.layout import Layout


@dataclass(frozen=True)
class TensorSpec:
    """A tensor placeholder. `shape` and `strides` count elements; strides None: row-major.

    Build it with `tensor_spec` to have the values checked.
    """

    shape: tuple[int, ...]
    dtype: DType
    strides: tuple[int, ...] | None = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def element_strides(self) -> tuple[int, ...]:
        """The strides, written out."""
        return row_major(self.shape) if self.strides is None else self.strides

    def __str__(self) -> str:
        return "x".join(map(str, (*self.shape, self.dtype)))


def tensor_spec(shape: Any, dtype: Any, layout: Any = None, *, strides: Any = None) -> TensorSpec:
    """A spec from what an author writes: an int or a sequence of ints, a type or its name.

    `layout`, or `strides`, is one int per axis, counting elements; None: row-major. The tensor in
    sticks of a `spyre.Layout` has another shape, its `device_size`.
    """
    if isinstance(layout, Layout):
        hint = f"a kernel views that device tensor: spyre.spec({layout.device_size}, …)"
        fail(errors.SPEC, what="layout", got=layout, hint=hint)
    strides = layout if strides is None else strides
    sizes = _ints(shape, "shape", 0)
    steps = None if strides is None else _ints(strides, "strides", None)
    if steps is not None and len(steps) != len(sizes):
        fail(errors.SPEC, what="strides", got=strides)
    return TensorSpec(sizes, parse(dtype), _normal(sizes, steps))


def _ints(values: Any, what: str, least: int | None) -> tuple[int, ...]:
    items = values if isinstance(values, (tuple, list)) else (values,)
    found: list[int] = []
    for item in items:
        number = as_integer(item)
        low = -MOST if least is None else least
        if number is None or not low <= number <= MOST:
            fail(errors.SPEC, what=what, got=values)
        found.append(number)
    return tuple(found)


def _normal(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """None for strides that mean row-major; those of unit axes are never used."""
    if strides is None:
        return None
    dense = row_major(shape)
    if 0 in shape:
        return None
    steps = tuple(d if n == 1 else s for n, s, d in zip(shape, strides, dense, strict=True))
    return None if steps == dense else steps


def spec_of(value: Any, declared: DType | None = None) -> TensorSpec | None:
    """The spec of an array, a torch tensor, a device tensor or a spec; None for anything else.

    Where df16 is `declared`, arrays of uint16 hold its codes; where index is, int64 its numbers.

    Raises SPY58x for element types that the language does not have, ValueError with the reason
    for strides that do not count whole elements.
    """
    if isinstance(value, TensorSpec):
        return value
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None or isinstance(value, type):
        return None
    sizes = tuple(int(n) for n in shape)
    strides = _strides(value)
    if strides is not None and min(strides, default=0) < 0:
        strides = None  # it runs backwards: the device sees a row-major copy
    element = declared if declared is not None and _holds(declared, dtype) else parse(dtype)
    return TensorSpec(sizes, element, _normal(sizes, strides))


def _holds(declared: DType, dtype: object) -> bool:
    """Whether arrays of `dtype` are those of a declared type that they do not name."""
    named = declared.name in ("df16", "index")
    return named and str(dtype).removeprefix("torch.") == declared.numpy.name


def _strides(value: Any) -> tuple[int, ...] | None:
    """Element strides; numpy counts bytes, torch (whose `stride` is a method) elements."""
    method = getattr(value, "stride", None)
    if callable(method):
        found: Any = method()
        return tuple(int(s) for s in found)
    strides = getattr(value, "strides", None)
    itemsize = getattr(value, "itemsize", None)
    if strides is None or callable(strides):
        return None
    if itemsize is None:
        return tuple(int(s) for s in strides)
    if any(s % itemsize for s in strides):
        raise ValueError("that are not whole elements")
    return tuple(int(s) // itemsize for s in strides)
