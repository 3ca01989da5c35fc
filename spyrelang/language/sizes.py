"""`Size`: a size with a name, which is the int it stands for while its kernel is traced."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from spyrelang.errors import signature as errors
from spyrelang.language import tracing


def _left(op: Callable[[Any, Any], Any]) -> Callable[[Size, Any], Any]:
    def computed(self: Size, other: Any) -> Any:
        return op(self.value(), other)

    return computed


def _right(op: Callable[[Any, Any], Any]) -> Callable[[Size, Any], Any]:
    def computed(self: Size, other: Any) -> Any:
        return op(other, self.value())

    return computed


class Size:
    """Base of what names a size in annotations. In a kernel whose annotations have the name, it
    computes and compares as the int that this call bound it to."""

    name: str

    def known(self) -> int | None:
        """What it stands for in the kernel being traced; None where that has no such size."""
        trace = tracing.active()
        return None if trace is None else trace.sizes.get(self.name)

    def value(self) -> int:
        """As `known`. Raises SPY263 where it stands for nothing."""
        trace = tracing.active()
        if trace is None:
            got = f"arithmetic on the size {self.name}"
            tracing.fail(errors.BAD_DIM, got=got, hint=errors.COMPUTE_SIZES)
        if self.name not in trace.sizes:
            names = ", ".join(trace.sizes) or "no sizes"
            hint = f"the annotations of '{trace.name}' name {names}: add it, or write x.shape[0]"
            tracing.fail(errors.BAD_DIM, got=f"in this kernel {self.name}", hint=hint)
        return trace.sizes[self.name]

    def same(self, other: object) -> bool:
        """Equality: by number inside a kernel, by name elsewhere."""
        if isinstance(other, Size) and (tracing.active() is None or other.name == self.name):
            return type(other) is type(self) and other.name == self.name
        return tracing.active() is not None and bool(self.value() == other)

    def __index__(self) -> int:
        return self.value()

    def __int__(self) -> int:
        return self.value()

    def __float__(self) -> float:
        return float(self.value())

    def __bool__(self) -> bool:
        return self.known() != 0

    def __neg__(self) -> int:
        return -self.value()

    def __str__(self) -> str:
        found = self.known()
        return self.name if found is None else str(found)

    def __format__(self, spec: str) -> str:
        found = self.known()
        return format(self.name if found is None else found, spec)

    __add__, __radd__ = _left(operator.add), _right(operator.add)
    __sub__, __rsub__ = _left(operator.sub), _right(operator.sub)
    __mul__, __rmul__ = _left(operator.mul), _right(operator.mul)
    __floordiv__, __rfloordiv__ = _left(operator.floordiv), _right(operator.floordiv)
    __truediv__, __rtruediv__ = _left(operator.truediv), _right(operator.truediv)
    __mod__, __rmod__ = _left(operator.mod), _right(operator.mod)
    __pow__, __rpow__ = _left(operator.pow), _right(operator.pow)
    __lshift__, __rlshift__ = _left(operator.lshift), _right(operator.lshift)
    __rshift__, __rrshift__ = _left(operator.rshift), _right(operator.rshift)
    __divmod__, __rdivmod__ = _left(divmod), _right(divmod)
    __lt__, __le__ = _left(operator.lt), _left(operator.le)
    __gt__, __ge__ = _left(operator.gt), _left(operator.ge)
