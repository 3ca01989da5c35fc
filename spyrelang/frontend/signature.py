"""The signature of a kernel: its parameters and what their annotations say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, EllipsisType, FunctionType
from typing import Any

from spyrelang.errors import Location, Note, SpyreError
from spyrelang.errors import signature as errors
from spyrelang.frontend.definitions import definition, place_of_parameter
from spyrelang.language.annotations import Constant, Dim, Pointer
from spyrelang.language.annotations import Tensor as TensorAnnotation
from spyrelang.language.place import author_frame
from spyrelang.language.tracing import fail, kind_of
from spyrelang.semantics.dtypes import DType

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")

MISSING = inspect.Parameter.empty
"""The default of a parameter that has none."""


@dataclass(frozen=True)
class Parameter:
    """One parameter. `kind` is tensor, ptr, const or dim; the rest is what the annotation says."""

    name: str
    kind: str
    role: str = ""
    dims: tuple[int | str | EllipsisType | Dim, ...] | None = None
    dtype: DType | None = None
    dim: Dim | None = None
    default: Any = MISSING

    def declared(self) -> str:
        """How an author would write the annotation."""
        if self.kind != "tensor":
            return {"ptr": "Ptr", "const": "Const", "dim": "Dim"}[self.kind]
        head = {"in": "In", "out": "Out", "inout": "InOut"}[self.role]
        parts = [_dim_text(d) for d in self.dims or ()] + ([str(self.dtype)] if self.dtype else [])
        return f"{head}[{', '.join(parts)}]" if parts else head


def _dim_text(dim: int | str | EllipsisType | Dim) -> str:
    return "..." if dim is Ellipsis else dim.name if isinstance(dim, Dim) else str(dim)


@dataclass(frozen=True)
class Signature:
    """A kernel's name, function and parameters in order."""

    name: str
    function: Any
    parameters: tuple[Parameter, ...]

    @property
    def code(self) -> CodeType:
        return inspect.unwrap(self.function).__code__

    @property
    def location(self) -> Location:
        """The line of the kernel's `def`."""
        return definition(self.function)

    def place_of(self, name: str) -> Location:
        """Where a parameter is declared."""
        return place_of_parameter(self.function, name)

    def __getitem__(self, name: str) -> Parameter:
        return next(p for p in self.parameters if p.name == name)


def signature(function: Callable[..., Any], name: str | None = None) -> Signature:
    """The signature of a kernel function. Annotations may be strings."""
    if not isinstance(function, FunctionType):
        grid = function if isinstance(function, (int, tuple)) else None
        hint = None if grid is None else f"name it: @spyre.kernel(grid={grid})"
        fail(errors.NOT_A_FUNCTION, got=kind_of(function), hint=hint)
    where = definition(function)
    kernel: Any = name if name is not None else _symbol(function.__name__)
    if not isinstance(kernel, str) or not _NAME.fullmatch(kernel):
        raise errors.KERNEL_NAME.error(where, name=kernel)
    scope = _Scope(function, kernel)
    found = inspect.signature(function).parameters.values()
    return Signature(kernel, function, tuple(scope.parameter(p) for p in found))


def _symbol(name: str) -> str:
    """`<lambda>` is not a symbol."""
    return "kernel" if name == "<lambda>" else name


class _Scope:
    """Evaluates annotations: in the function's globals and closure, and where it was defined."""

    def __init__(self, function: FunctionType, kernel: str) -> None:
        self.kernel = kernel
        self.function = function
        self.globals = function.__globals__
        self.locals = _locals(function)

    def parameter(self, given: inspect.Parameter) -> Parameter:
        """What one parameter declares."""
        names: dict[str, Any] = {"name": given.name, "kernel": self.kernel}
        if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD):
            stars = "*" if given.kind is given.VAR_POSITIONAL else "**"
            names["name"] = stars + given.name
            raise errors.PARAMETER_KIND.error(self._where(given.name), **names)
        if given.annotation is MISSING:
            hint = f"write {given.name}: spy.In (or spy.Out, spy.InOut, spy.Const)"
            raise errors.UNANNOTATED.error(self._where(given.name), hint=hint, **names)
        declared = self._value(given.annotation, names)
        if isinstance(declared, TensorAnnotation):
            if given.default is not MISSING:
                raise errors.DEFAULT.error(self._where(given.name), **names)
            return Parameter(given.name, "tensor", declared.role, declared.dims, declared.dtype)
        if isinstance(declared, Pointer):
            return Parameter(given.name, "ptr", "inout", dtype=declared.dtype)
        if isinstance(declared, Dim):
            return Parameter(given.name, "dim", dim=declared, default=given.default)
        if isinstance(declared, Constant):
            self._check_default(given)
            return Parameter(given.name, "const", default=given.default)
        where = self._where(given.name)
        raise errors.ANNOTATION.error(where, got=_shown(declared), **names)

    def _where(self, name: str) -> Location:
        return place_of_parameter(self.function, name)

    def _value(self, annotation: Any, names: Mapping[str, Any]) -> Any:
        """The annotation itself, or what its text means (`from __future__ import annotations`)."""
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, self.globals, dict(self.locals))
        except SpyreError as bad:
            bad.location = self._where(names["name"])
            raise
        except Exception as bad:  # whatever the author's expression may raise
            hint = "define the name above; names of sizes are made by M, N = spy.dims('M N')"
            raise errors.ANNOTATION.error(
                self._where(names["name"]), got=f"'{annotation}'", notes=[Note(str(bad))],
                hint=hint if isinstance(bad, NameError) else None, **names,
            ) from None  # fmt: skip

    def _check_default(self, given: inspect.Parameter) -> None:
        if given.default is not MISSING and not hashable(given.default):
            where, got = self._where(given.name), type(given.default).__name__
            raise errors.UNHASHABLE.error(where, name=given.name, kernel=self.kernel, got=got)


def _shown(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)


def _locals(function: FunctionType) -> dict[str, Any]:
    """The closure, and the variables of the function in which the kernel is being defined."""
    found: dict[str, Any] = {}
    frame = author_frame()
    if frame is not None and frame.f_globals is function.__globals__:
        found.update(frame.f_locals)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def hashable(value: object) -> bool:
    """Whether a value can be part of a cache key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
