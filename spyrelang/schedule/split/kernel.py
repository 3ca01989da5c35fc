"""`split`: read one kernel, group its stores, build its programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlir import ir as mlir
from mlir.passmanager import PassManager

from spyrelang.errors import internal_error
from spyrelang.errors import schedule as errors
from spyrelang.errors.driver import NO_KERNEL, not_one_kernel
from spyrelang.errors.interp import GRID
from spyrelang.ir import LOCK, Module, context
from spyrelang.isa.program import Argument
from spyrelang.schedule.model import Kernel
from spyrelang.schedule.split import legality
from spyrelang.schedule.split.blocks import Region, Walker
from spyrelang.schedule.split.collapse import collapse
from spyrelang.schedule.split.environment import Environment
from spyrelang.schedule.split.groups import Grouper
from spyrelang.schedule.split.indices import Indices
from spyrelang.schedule.split.programs import Builder
from spyrelang.schedule.split.source import Op, Value, place, reading, text_attribute, value_name
from spyrelang.schedule.split.views import Views
from spyrelang.schedule.target import Target


def split(module: Module, name: str | None, device: Target) -> Kernel:
    """The schedule model of kernel `name` (the only one when None) of a KTIR module.

    The module is not changed. Raises SPY400-429 and SPY555 for what cannot be scheduled.
    """
    with LOCK, context(), reading(module):
        function = _find(module, name)
        for op in _ops(function):
            legality.check_named(op)
        general = _generalised(module)
        return _split(_find(general, name), device)


def _ops(op: Op) -> list[Op]:
    found: list[Op] = []

    def visit(inner: Any) -> Any:
        found.append(inner)
        return mlir.WalkResult.ADVANCE

    op.walk(visit)
    return found


def _find(module: Module, name: str | None) -> Op:
    kernels = {text_attribute(f.attributes, "sym_name"): f for f in _kernels(module)}
    if name is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name is None:
        raise not_one_kernel([str(n) for n in kernels])
    if name not in kernels:
        names = ", ".join(str(n) for n in kernels) or "none"
        raise NO_KERNEL.error(name=name, file=module.name, names=names)
    return kernels[name]


def _kernels(module: Module) -> list[Op]:
    return [f for f in module.funcs() if len(f.regions[0].blocks)]


def _generalised(module: Module) -> Module:
    """A copy in which every named linalg operation is a `linalg.generic`."""
    copy = module.clone()
    try:
        PassManager.parse("builtin.module(linalg-generalize-named-ops)").run(copy.operation)
    except mlir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        raise internal_error("programs", f"generalising linalg failed: {error}") from error
    return copy


def _split(function: Op, device: Target) -> Kernel:
    name = str(text_attribute(function.attributes, "sym_name"))
    env = Environment(_grid(function, name), name)
    params = _params(function, name)
    body = function.regions[0].blocks[0]
    indices = Indices(env)
    numbers: dict[Value, int] = {}
    for number, (argument, param) in enumerate(zip(body.arguments, params, strict=True)):
        numbers[argument] = number
        indices.refuse_argument(argument, param.name)
    names = tuple(param.name for param in params)
    walker = Walker(env, indices, Views(indices, numbers, names, device.spaces.get))
    region = walker.walk(body)
    grouper = Grouper(env, walker.graph, region.stores())
    grouped = grouper.region(region)
    builder = Builder(env, walker.graph, names, device.spaces.get("ct_local"))
    orchestrator = builder.build(grouped)
    programs = tuple(collapse(program, device) for program in builder.programs)
    return Kernel(
        name=name,
        grid=env.grid,
        params=_described(params, walker, region),
        orchestrator=orchestrator,
        programs=programs,
        no_share=tuple(sorted(grouper.no_share)),
    )


# --- the signature -------------------------------------------------------------------------------


def _grid(function: Op, name: str) -> tuple[int, ...]:
    """The grid; a kernel without one runs on one core."""
    if "grid" not in function.attributes:
        return (1,)
    attribute = function.attributes["grid"]
    values = list(attribute) if isinstance(attribute, mlir.ArrayAttr) else []
    sizes = [v.value for v in values if isinstance(v, mlir.IntegerAttr)]
    if not sizes or len(sizes) != len(values) or min(sizes) < 1:
        reason = f"is {attribute}; it must be a list of positive numbers"
        raise GRID.error(place(function), kernel=name, reason=reason)
    return tuple(int(size) for size in sizes)


def _params(function: Op, kernel: str) -> list[Argument]:
    arguments = function.regions[0].blocks[0].arguments
    attributes = function.attributes.get("arg_attrs")
    params: list[Argument] = []
    for number, argument in enumerate(arguments):
        own: Any = attributes[number] if attributes is not None else {}
        name = text_attribute(own, "spyrelang.name") or value_name(argument) or f"arg{number}"
        if not isinstance(argument.type, mlir.IndexType):
            raise errors.ARGUMENT_TYPE.error(
                place(function), name=name, kernel=kernel, type=argument.type
            )
        params.append(Argument(name, text_attribute(own, "spyrelang.role") or "", ""))
    return params


def _described(params: list[Argument], walker: Walker, region: Region) -> tuple[Argument, ...]:
    """The parameters with what views, loads and stores tell of them."""
    read = {access.view.base.param for access in walker.loaded}
    written = {store.touch.access.view.base.param for store in region.stores()}
    described: list[Argument] = []
    for number, param in enumerate(params):
        both = number in read and number in written
        inferred = "inout" if both else "out" if number in written else "in"
        seen = walker.params.get(number, param)
        described.append(replace(seen, name=param.name, role=param.role or inferred))
    return tuple(described)
