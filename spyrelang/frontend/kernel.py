"""Tracing: a Python function, called once, becomes a `TracedKernel`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from spyrelang import language
from spyrelang.errors import SpyreError, SpyreWarning
from spyrelang.errors import signature as signature_errors
from spyrelang.errors import trace as errors
from spyrelang.frontend import rewrite
from spyrelang.frontend.definitions import place_of_result
from spyrelang.frontend.signature import MISSING, Parameter, Signature, signature
from spyrelang.frontend.specs import TensorSpec
from spyrelang.language import tracing, unknown
from spyrelang.language.annotations import Dim
from spyrelang.language.control import check_closed
from spyrelang.language.graph import LaunchSize, ParamInfo, Space, Store, ViewNode
from spyrelang.language.index import Index, Traced, symbol_index
from spyrelang.language.memory import Pointer
from spyrelang.language.place import Place, is_author
from spyrelang.language.tracing import Trace
from spyrelang.language.types import element_type
from spyrelang.language.views import View

if TYPE_CHECKING:
    from spyrelang.ir import Module


@dataclass(frozen=True)
class Param:
    """An argument of the compiled kernel, in order. `kind` is tensor, ptr or dim; strides count
    elements; the dtype is the MLIR spelling, empty where unknown; `bounds` are the granularity and
    the largest value of a size that is given at launch."""

    name: str
    role: str
    kind: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    bounds: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class TracedKernel:
    """A kernel as KTIR. `warnings` are findings of tracing that do not stop the work."""

    name: str
    params: tuple[Param, ...]
    grid: tuple[int, ...]
    module: Module
    recorded: Trace = field(repr=False)
    warnings: tuple[SpyreWarning, ...] = ()


def trace(
    fn: Callable[..., Any] | Signature,
    args: Mapping[str, Any],
    *,
    grid: tuple[int, ...] = (1,),
    name: str | None = None,
    bases: Mapping[str, int] | None = None,
) -> TracedKernel:
    """Trace `fn` for the specs and constants `args` (by parameter name) on `grid`. Tensors in
    `bases` lie at that address, which counts their elements, and are no arguments of the result.

    The module is verified. Raises SPY2xx at the author's line.
    """
    from spyrelang.frontend.emit import emit

    target = fn if isinstance(fn, Signature) else signature(fn, name)
    recorded, params = _traced(target, args, grid, name or target.name, bases or {})
    module = emit(recorded, target.location, params)
    warnings = tuple(_unused(recorded, target, params))
    return TracedKernel(recorded.name, params, grid, module, recorded, warnings)


def _traced(
    target: Signature,
    args: Mapping[str, Any],
    grid: tuple[int, ...],
    name: str,
    bases: Mapping[str, int],
) -> tuple[Trace, tuple[Param, ...]]:
    """Record the function; once more where it has an `if` on a traced value that can be
    rewritten."""
    codes: dict[FunctionType, CodeType] = {}
    tried: set[CodeType] = set()
    while True:
        with rewrite.swapped(codes):
            recorded = tracing.new_trace(name, grid, target.code)
            params, values = _parameters(recorded, target, args, bases)
            try:
                _run(recorded, target, values)
            except SpyreError as bad:
                found = rewrite.rewritten(bad)
                if found is None or found[0].__code__ in tried:
                    rewrite.explain(bad)
                    raise
                tried |= {found[0].__code__, found[1]}
                codes[found[0]] = found[1]
                continue
        return recorded, params


def _run(recorded: Trace, target: Signature, values: dict[str, Any]) -> None:
    """Call the author's function, with the trace listening."""
    with tracing.recording(recorded):
        try:
            result = target.function(**values)
        except TypeError as bad:
            refused = _refused_call(recorded, bad)
            if refused is None:
                raise
            raise refused from None
    check_closed(recorded, recorded.root)
    if result is not None:
        got = result.describe() if isinstance(result, Traced) else tracing.kind_of(result)
        raise errors.RETURNED.error(place_of_result(target.function), got=got)


def _refused_call(recorded: Trace, bad: TypeError) -> SpyreError | None:
    """The error of a call of a language function whose arguments do not fit its parameters, which
    Python itself refuses; None where it is about something else."""
    last = bad.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    said = re.match(r"(\w+)\(\) (got|missing|takes) (.*)", str(bad))
    if said is None or last is None or not is_author(last.tb_frame):
        return None
    name = said[1]
    function = vars(language).get(name) if name in language.__all__ else None
    if function is None:
        return None
    place = recorded.finder.info(last.tb_frame.f_code).location(last.tb_lasti)
    problem = f"{said[2]} {said[3]}"
    usage = unknown.call_of(function, name)
    return errors.WRONG_CALL.error(place, name=name, problem=problem, hint=f"call it as {usage}")


# --- parameters -----------------------------------------------------------------------------------


def _parameters(
    recorded: Trace, target: Signature, args: Mapping[str, Any], bases: Mapping[str, int]
) -> tuple[tuple[Param, ...], dict[str, Any]]:
    """The arguments of the compiled kernel, and what the function is called with."""
    place = Place(target.location)
    params: list[Param] = []
    values: dict[str, Any] = {}
    for parameter in target.parameters:
        if parameter.kind in ("const", "dim"):
            values[parameter.name] = _constant(target, parameter, args)
            if parameter.dim is not None and values[parameter.name] is None:
                param, value = _size(recorded, place, len(params), parameter.name, parameter.dim)
                params.append(param)
                values[parameter.name] = value
            elif parameter.dim is not None:
                recorded.sizes[parameter.dim.name] = values[parameter.name]
            continue
        recorded.sizes.update(_named_sizes(parameter, args.get(parameter.name)))
        info = ParamInfo(len(params), parameter.name, parameter.role)
        given, base = args.get(parameter.name), bases.get(parameter.name)
        param, value = _argument(recorded, place, info, parameter, given, base)
        params += [param] if base is None else []
        values[parameter.name] = value
    return tuple(params), values


def _named_sizes(parameter: Parameter, spec: Any) -> dict[str, int]:
    """The sizes to which a tensor's annotation gives names; `...` stands for any number of axes."""
    if parameter.dims is None or not isinstance(spec, TensorSpec):
        return {}
    before, found, after = _around_ellipsis(parameter.dims)
    skipped = spec.rank - len(before) - len(after) if found else 0
    sizes = (*spec.shape[: len(before)], *spec.shape[len(before) + skipped :])
    names = (d.name if isinstance(d, Dim) else d for d in (*before, *after))
    return {n: size for n, size in zip(names, sizes, strict=True) if isinstance(n, str)}


def _around_ellipsis(dims: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool, tuple[Any, ...]]:
    if Ellipsis not in dims:
        return dims, False, ()
    at = dims.index(Ellipsis)
    return dims[:at], True, dims[at + 1 :]


def _size(recorded: Trace, place: Place, number: int, name: str, dim: Dim) -> tuple[Param, Index]:
    """A size that is given at launch."""
    assert dim.max is not None
    info = ParamInfo(number, name, "index", (dim.granularity, dim.max))
    node = LaunchSize(place=place, block=recorded.root, name=name, info=info)
    param = Param(name, "index", "dim", (), (), "index", (dim.granularity, dim.max))
    return param, symbol_index(recorded, recorded.add(node))


def _constant(target: Signature, parameter: Parameter, args: Mapping[str, Any]) -> Any:
    found = args.get(parameter.name, parameter.default)
    if found is MISSING:
        raise signature_errors.MISSING_ARGUMENT.error(
            target.location,
            kernel=target.name,
            name=parameter.name,
            declared=parameter.declared(),
        )
    return found


def _argument(
    recorded: Trace,
    place: Place,
    info: ParamInfo,
    parameter: Parameter,
    spec: Any,
    base: int | None,
) -> tuple[Param, Any]:
    if parameter.kind == "ptr":
        dtype = element_type(parameter.dtype) if parameter.dtype is not None else None
        text = dtype.mlir if dtype is not None else ""
        known = isinstance(spec, TensorSpec)
        shape, strides = (spec.shape, spec.element_strides) if known else ((), ())
        param = Param(info.name, info.role, "ptr", shape, strides, text)
        return param, Pointer(recorded, info, dtype)
    if not isinstance(spec, TensorSpec):
        raise signature_errors.NOT_A_TENSOR.error(
            place.location, kernel=recorded.name, name=info.name, got=tracing.kind_of(spec)
        )
    node = ViewNode(
        place=place,
        block=recorded.root,
        name=f"{info.name}_view",
        base=info if base is None else base,
        shape=spec.shape,
        strides=spec.element_strides,
        dtype=spec.dtype,
        space=Space(),
    )
    view = View(recorded, recorded.add(node), info.name, info.role)
    strides = spec.element_strides
    param = Param(info.name, info.role, "tensor", spec.shape, strides, spec.dtype.mlir)
    return param, view


def _unused(recorded: Trace, target: Signature, params: tuple[Param, ...]) -> list[SpyreWarning]:
    """Outputs that are never stored to."""
    stored = stores_by_param(recorded)
    found: list[SpyreError] = [
        errors.UNUSED_OUT.error(
            target.place_of(p.name), name=p.name, role={"out": "Out", "inout": "InOut"}[p.role]
        )
        for p in params
        if p.role != "in" and p.kind == "tensor" and p.name not in stored
    ]
    return [SpyreWarning(error) for error in found]


def stores_by_param(recorded: Trace) -> dict[str, list[Store]]:
    """The stores to each parameter, through whatever view."""
    found: dict[str, list[Store]] = {}
    for node in recorded.root.walk():
        for base in node.tile.view.bases() if isinstance(node, Store) else ():
            if isinstance(base, ParamInfo):
                found.setdefault(base.name, []).append(node)  # type: ignore[arg-type]
    return found
