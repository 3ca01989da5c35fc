"""What a kernel's parameters are declared as: `In`, `Out`, `InOut`, `Ptr`, `Const`, `Dim`."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import Any, NoReturn

from spyrelang.errors import SpyreError
from spyrelang.errors import signature as errors
from spyrelang.language import tracing
from spyrelang.language.index import as_integer
from spyrelang.language.sizes import Size
from spyrelang.language.tracing import fail
from spyrelang.semantics.dtypes import DType, parse


class Named(Size):
    """A named size, made by `dims`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return self.same(other)

    def __hash__(self) -> int:
        return hash(self.name)


def dims(names: Any) -> Any:
    """Named sizes for annotations: `M, N = dims("M N")`. One name gives one size, not a tuple.

    Inside a kernel that has it in its annotations, a named size is the int of this call.

    >>> N = spy.dims("N")
    >>> @spyre.kernel
    ... def kernel(x: spy.In[N], out: spy.Out[N]):
    ...     out[:] = x[:] / N
    >>> x, out = np.ones(2, np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([0.5, 0.5], dtype=float32)
    """
    words: list[str] = names.replace(",", " ").split() if isinstance(names, str) else []
    for word in words:
        if not word.isidentifier():
            fail(errors.BAD_DIM, got=repr(word), hint='write names like dims("M N")')
    if not words:
        fail(errors.BAD_DIM, got=repr(names), hint='write names like dims("M N")')
    found = [Named(word) for word in words]
    return tuple(found) if len(found) > 1 else found[0]


@dataclass(frozen=True)
class Dim(Size):
    """A size by name, with what it may be: at most `max`, a multiple of `granularity`."""

    name: str
    max: int | None = None
    granularity: int = 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Dim) and tracing.active() is None:
            rules = self.max, self.granularity
            return self.name == other.name and rules == (other.max, other.granularity)
        return self.same(other)

    @staticmethod
    def checked(name: object, max: object, granularity: object) -> Dim:
        limit = None if max is None else as_integer(max)
        step = as_integer(granularity)
        fits = step is not None and step > 0 and (max is None or (limit is not None and limit > 0))
        if not isinstance(name, str) or not name.isidentifier() or not fits or step is None:
            hint = 'write Dim("N", max=4096, granularity=64)'
            got = f"Dim({name!r}, max={max!r}, granularity={granularity!r})"
            fail(errors.BAD_DIM, got=got, hint=hint)
        return Dim(name, limit, step)


def make_dim(name: str, *, max: int | None = None, granularity: int = 1) -> Dim:
    """A size with a name, a largest value and a step: as a parameter, or as a size in `In[…]`.

    >>> @spyre.kernel
    ... def kernel(x: spy.In[6], out: spy.Out[6], n: spy.Dim("n", max=6, granularity=2)):
    ...     out[:] = 0.0
    ...     for start in spy.range(0, n, 2):
    ...         out[start : start + 2] = x[start : start + 2]
    >>> x, out = np.ones(6, np.float32), np.zeros(6, np.float32)
    >>> run = kernel(x, out, 4, engine="ktir")
    >>> out
    array([1., 1., 1., 1., 0., 0.], dtype=float32)
    """
    return Dim.checked(name, max, granularity)


@dataclass(frozen=True)
class Tensor:
    """A tensor parameter. `dims` None: rank and sizes come from the call; `dtype` None: so does
    the type."""

    role: str
    dims: tuple[int | str | EllipsisType | Dim, ...] | None = None
    dtype: DType | None = None

    def __getitem__(self, items: object) -> Tensor:
        """`In[dims…, dtype]`."""
        listed = list(items) if isinstance(items, tuple) else [items]
        dtype = _dtype(listed[-1]) if listed else None
        if dtype is not None:
            listed.pop()
        sizes = tuple(_size(item) for item in listed)
        if sum(1 for s in sizes if s is Ellipsis) > 1:
            fail(errors.BAD_DIM, got="two '...'", hint="write '...' once")
        return Tensor(self.role, sizes or None, dtype)

    def __repr__(self) -> str:
        return {"in": "In", "out": "Out", "inout": "InOut"}[self.role]

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        fail(errors.BAD_DIM, got=f"{self!r}(…)", hint=f"write square brackets: {self!r}[M, N]")


def _dtype(item: object) -> DType | None:
    """The element type that an annotation's last item names; None for a size.

    Strings are sizes by name unless they spell a type.
    """
    if isinstance(item, DType):
        return item
    if item is None or isinstance(item, (int, Named, Dim, EllipsisType)):
        return None
    if isinstance(item, str) and len(item) < 2:  # numpy has one-letter names for its types
        return None
    try:
        return parse(item)
    except SpyreError:
        return None


def _size(item: object) -> int | str | EllipsisType | Dim:
    if isinstance(item, Named):
        return item.name
    if isinstance(item, Dim) or item is Ellipsis:
        return item  # type: ignore[return-value]
    if isinstance(item, str) and item.isidentifier():
        return item
    size = as_integer(item)
    if size is None or size < 0:
        fail(errors.BAD_DIM, got=repr(item), hint=None)
    return size


In = Tensor("in")
Out = Tensor("out")
InOut = Tensor("inout")


@dataclass(frozen=True)
class Pointer:
    """A parameter that is a bare base address."""

    dtype: DType | None = None

    def __getitem__(self, dtype: object) -> Pointer:
        """`Ptr[dtype]`."""
        found = _dtype(dtype)
        if found is None:
            fail(errors.BAD_DIM, got=repr(dtype), hint="write Ptr[spy.f16]")
        return Pointer(found)

    def __repr__(self) -> str:
        return "Ptr"


class Constant:
    """A parameter whose value is known when the kernel is compiled."""

    def __repr__(self) -> str:
        return "Const"


Ptr = Pointer()
Const = Constant()
