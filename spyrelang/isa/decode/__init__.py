"""DataflowIR -> `Executable`: the only part of `isa` that reads MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from spyrelang import ir
from spyrelang.errors import Location
from spyrelang.errors.engine import STRUCTURE
from spyrelang.isa.decode.arguments import arguments as find_arguments
from spyrelang.isa.decode.arguments import no_share
from spyrelang.isa.decode.facts import DeviceFacts, Hardware
from spyrelang.isa.decode.kernel import Functions, KernelDecoder, grid_of
from spyrelang.isa.decode.places import Places
from spyrelang.isa.program import Argument, Executable
from spyrelang.isa.validate import validate

__all__ = ["DeviceFacts", "decode"]


def decode(
    module: ir.Module,
    *,
    device: DeviceFacts,
    name: str | None = None,
    arguments: Sequence[Argument] | None = None,
) -> Executable:
    """The executable of a DataflowIR module.

    `device` gives memory sizes and scopes, FIFO depths and word sizes. `name` picks the kernel
    where the module has several. `arguments` replaces what the text says about the arguments.
    Raises SPY530 to SPY539 with the place in the text.
    """
    places = Places(module)
    functions = Functions.of(module.funcs())
    kernel = _kernel(functions, module.name, name)
    root = functions.by_name[kernel]
    grid = grid_of(functions, root, places.place(root))
    hardware = Hardware(device, prod(grid))
    decoder = KernelDecoder(places, hardware, functions, root, grid)
    orchestrator = decoder.decode()
    symbols = decoder.used_symbols()
    if arguments is None:
        arguments = find_arguments(root, decoder.programs, symbols, hardware.memories)
    executable = Executable(
        name=kernel,
        machine=hardware.machine(),
        arguments=tuple(arguments),
        inputs=tuple(decoder.inputs),
        symbols=symbols,
        programs=tuple(decoder.programs),
        orchestrator=orchestrator,
        locs=places.table(),
        grid=grid,
        no_share=no_share(root, places.place(root)),
    )
    validate(executable)
    return executable


def _kernel(functions: Functions, module: str, name: str | None) -> str:
    """The name of the kernel: the function that no other calls."""
    roots = [n for n in functions.by_name if n not in functions.called]
    if name is not None:
        if name not in functions.by_name:
            known = ", ".join(roots) or "none"
            reason = f"there is no function @{name} with a body; kernels here are: {known}"
            raise STRUCTURE.error(Location(module), reason=reason)
        return name
    if len(roots) != 1:
        what = ", ".join(f"@{n}" for n in roots) or "none"
        reason = f"the module needs one kernel function, that is one no other calls; found {what}"
        raise STRUCTURE.error(Location(module), reason=reason)
    return roots[0]
