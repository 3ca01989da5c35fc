"""Running an executable on host arrays: bind, run, copy back."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import numpy as np

from spyrelang import engines
from spyrelang.engines import DeviceMemory, Options, Outcome, Progress
from spyrelang.errors import launch as errors
from spyrelang.isa.program import Executable
from spyrelang.runtime.arguments import operands_of
from spyrelang.runtime.arrays import CannotBind, host_array
from spyrelang.runtime.device import LAUNCH_LOCK
from spyrelang.runtime.operand import Operand
from spyrelang.runtime.placement import Bound, bind
from spyrelang.runtime.signature import Param, Signature, signature_of
from spyrelang.spyrecode.segments import in_tensor_segment


def execute(
    executable: Executable,
    arrays: Mapping[str, object],
    *,
    engine: str = "fast",
    seed: int = 0,
    options: Options | None = None,
    memory: DeviceMemory | Mapping[int, object] | None = None,
    addresses: Mapping[str, int] | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run `executable` with its arguments by name; outputs are filled in place.

    `memory`: the device memory to place arguments in (default: one of this run's own), or
    {address: array} for constant addresses, each counted in elements of its array's dtype.
    `addresses`: byte addresses of arguments whose address is a constant of the program. With the
    option numerics "df16" f16 arrays become DLFloat16 codes on their way to the device, and back.
    Raises SPY700 to SPY726 for arguments, SPY5xx for what the program does.
    """
    signature = signature_of(executable)
    operands, scalars, raw = operands_of(signature, signature.match((), arrays))
    fixed = _by_index(signature, addresses) if addresses else {}
    target = memory if isinstance(memory, DeviceMemory) else None
    if memory is not None and not isinstance(memory, DeviceMemory):
        operands += constant_operands(memory, fixed)
    bound = bind(
        signature,
        operands,
        addresses=fixed,
        memory=target,
        scalars=scalars,
        track=engine == "checked",
        numerics=options.numerics if options is not None else "ieee",
    )
    bound.addresses.update(raw)
    values = {s.id: _value(bound, s.arg) for s in executable.inputs}
    try:
        with LAUNCH_LOCK:
            outcome = engines.run(
                executable,
                bound.memory,
                values,
                engine=engine,
                seed=seed,
                options=options,
                progress=progress,
            )
        bound.copy_back()
    finally:
        if target is not None:
            bound.unbind()
    return outcome


def _value(bound: Bound, arg: int) -> int:
    """The launch-time value of an argument: its address, or itself."""
    return bound.addresses[arg] if arg in bound.addresses else bound.scalars[arg]


def _by_index(signature: Signature, addresses: Mapping[str, int]) -> dict[int, int]:
    positions = {p.name: p.index for p in signature.params}
    for name in addresses:
        if name not in positions:
            close = difflib.get_close_matches(name, list(positions), 1)
            raise errors.UNKNOWN_ARGUMENT.error(
                kernel=signature.kernel,
                name=name,
                known=signature.names,
                hint=f"did you mean '{close[0]}'?" if close else None,
            )
    return {positions[name]: address for name, address in addresses.items()}


# --- memory={address: array} ----------------------------------------------------------------------


def constant_operands(memory: Mapping[int, object], fixed: dict[int, int]) -> list[Operand]:
    """Operands for arrays at constant addresses; their byte addresses go into `fixed`.

    Nothing declares their roles, so each writable array may be written.
    """
    result: list[Operand] = []
    for number, (address, value) in enumerate(memory.items()):
        index = -1 - number
        operand = _constant_operand(index, address, value)
        fixed[index] = address * operand.array.itemsize
        if not in_tensor_segment(fixed[index], operand.array.nbytes):
            raise errors.MEMORY_ADDRESS.error(
                detail=f"element {address} is not in one of the segments 0 to 6"
            )
        result.append(operand)
    return result


def _constant_operand(index: int, address: object, value: object) -> Operand:
    if isinstance(address, bool) or not isinstance(address, (int, np.integer)) or address < 0:
        raise errors.MEMORY_ADDRESS.error(detail=f"{address!r} is not an address")
    try:
        array = host_array(value)
    except CannotBind as error:
        raise errors.MEMORY_ADDRESS.error(detail=f"at {address}: {error}") from None
    if array is None:
        detail = f"at {address}: {type(value).__name__} is not an array"
        raise errors.MEMORY_ADDRESS.error(detail=detail)
    if not array.dtype.isnative:
        raise errors.BIG_ENDIAN.error(what=f"memory[{address}]", found=array.dtype)
    param = Param(
        index=index,
        name=f"memory[{address}]",
        role="inout" if array.flags.writeable else "in",
        dtype=array.dtype,
        type_name=str(array.dtype),
        shape=(),
        strides=(),
        contiguous=True,
        scalar=False,
        pointer=False,
    )
    return Operand(param, array, None)
