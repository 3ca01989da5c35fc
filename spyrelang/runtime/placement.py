"""Placing the arguments of a launch in device memory, and storing back what was copied.

An array whose elements lie in memory as the kernel expects is bound where it is; any other is
copied into a buffer and, if the kernel writes it, copied back. With numerics "df16" the device
holds f16 as DLFloat16 codes, and arrays are converted on the way (see `recoding`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from spyrelang.engines.memory import DeviceMemory
from spyrelang.errors import launch as errors
from spyrelang.runtime import recoding
from spyrelang.runtime.device import FIRST_ADDRESS
from spyrelang.runtime.operand import Array, Operand
from spyrelang.runtime.sharing import check_pairs, share
from spyrelang.runtime.signature import Signature
from spyrelang.spyrecode.layout import pack, unpack
from spyrelang.spyrecode.segments import (
    DYNAMIC_SEGMENT,
    FLIT,
    SEGMENT,
    TENSOR_SEGMENTS,
    in_tensor_segment,
    round_up,
)


@dataclass
class Bound:
    """The arguments of one launch on the device. `addresses` by argument index, `scalars` "
    "likewise."""

    memory: DeviceMemory
    operands: list[Operand]
    addresses: dict[int, int]
    scalars: dict[int, int]
    placed: list[int]

    def copy_back(self) -> None:
        """Store what the kernel wrote into arrays that were not bound in place."""
        for operand in self.operands:
            if not operand.inplace and operand.param.writes:
                _store_back(operand)
                self._note_written(operand)

    def _note_written(self, operand: Operand) -> None:
        """Let a device tensor that had to be copied know which of its bytes have a value now."""
        known = operand.tensor.region.defined if operand.tensor is not None else None
        if known is None:
            return
        written = self.memory.at(operand.address).defined
        known |= True if written is None or written.size != known.size else written

    def unbind(self) -> None:
        """Take the arguments out of a memory that outlives the launch."""
        for address in self.placed:
            self.memory.free(address)


def bind(
    signature: Signature,
    operands: list[Operand],
    *,
    addresses: Mapping[int, int] | None = None,
    memory: DeviceMemory | None = None,
    scalars: dict[int, int] | None = None,
    track: bool = False,
    numerics: str = "ieee",
) -> Bound:
    """Place all operands, and the scratch arguments, in device memory.

    `addresses`: fixed byte addresses by argument index; other arrays go where there is room, device
    tensors stay where they are. `track`: remember which bytes of outputs and scratch are unwritten
    (for engine "checked"). Raises SPY713, SPY717, SPY720, SPY721, SPY722.
    """
    fixed = addresses or {}
    leaders = share(operands) if len(operands) > 1 else {}
    check_pairs(signature, leaders)
    bound = Bound(memory or DeviceMemory(), operands, {}, scalars or {}, [])
    followers = [o for o in operands if o.param.index in leaders]
    pending = [o for o in operands if o.param.index not in leaders]
    undefined = _undefined(operands, leaders) if track else frozenset[int]()
    try:
        for operand in pending:
            _prepare_buffer(operand)
            if numerics == "df16":
                recoding.encode(operand)
            address = _known_address(operand, fixed)
            if address is not None:
                _insert(bound, operand, address, operand.param.index in undefined)
        cursor = _Cursor(bound.memory)
        for operand in pending:
            if operand.address < 0:
                address = cursor.take(cast("Array", operand.buffer).nbytes)
                _insert(bound, operand, address, operand.param.index in undefined)
        for operand in followers:
            _follow(bound, operand, leaders[operand.param.index], fixed)
        _place_scratch(bound, signature, fixed, track)
    except BaseException:
        bound.unbind()
        raise
    return bound


def _undefined(operands: list[Operand], leaders: Mapping[int, Operand]) -> frozenset[int]:
    """Arguments whose memory holds nothing to read: pure outputs that nothing else shares."""
    shared = {o.param.index for o in leaders.values()}
    return frozenset(
        o.param.index for o in operands if not o.param.reads and o.param.index not in shared
    )


def _prepare_buffer(operand: Operand) -> None:
    """Find or make the C-contiguous memory that the device sees."""
    param, array = operand.param, operand.array
    if operand.layout is not None:
        operand.buffer, operand.inplace = pack(array, operand.layout), False
        return
    dense = param.contiguous or not param.shape or param.pointer
    whole = not param.free_dims or array.shape[1:] == param.shape[1:]
    if dense and whole:
        if array.flags.c_contiguous and array.flags.aligned:
            operand.buffer = array
        else:
            operand.buffer, operand.inplace = np.array(array, order="C"), False
        return
    _prepare_strided(operand)


def _prepare_strided(operand: Operand) -> None:
    """A buffer in which elements lie at the kernel's own strides."""
    param, array = operand.param, operand.array
    size = array.itemsize
    steps = tuple(s * size for s in param.strides)
    extent = sum((n - 1) * s for n, s in zip(array.shape, param.strides, strict=True)) + 1
    extent = _affordable(extent if array.size else 0, size)
    if array.strides == steps and array.size and array.flags.aligned:
        operand.buffer = as_strided(array, (extent,), (size,))
        return
    buffer = np.zeros(extent, array.dtype)
    as_strided(buffer, array.shape, steps)[...] = array
    operand.buffer, operand.inplace = buffer, False


def _affordable(extent: int, itemsize: int) -> int:
    """`extent` elements, unless no segment could hold them. Raises SPY722."""
    if extent * itemsize > SEGMENT:
        raise errors.too_large(extent * itemsize)
    return extent


def _store_back(operand: Operand) -> None:
    param, array = operand.param, operand.array
    buffer = recoding.decode(operand)
    if buffer is None:
        return
    if operand.layout is not None:
        array[...] = unpack(buffer, operand.layout, array.shape)
    elif buffer.shape == array.shape and (param.contiguous or not param.shape):
        array[...] = buffer
    elif array.size:
        steps = tuple(s * array.itemsize for s in param.strides)
        array[...] = as_strided(buffer, array.shape, steps)


def _known_address(operand: Operand, fixed: Mapping[int, int]) -> int | None:
    """The address an operand must have; a device tensor that had to be copied has none."""
    address = fixed.get(operand.param.index)
    if address is None and operand.tensor is not None and operand.inplace:
        address = operand.tensor.address
    if address is not None and operand.param.index >= 0:
        what = f"argument '{operand.param.name}'"
        check_address(what, address, cast("Array", operand.buffer).nbytes)
    return address


def check_address(what: str, address: int, nbytes: int) -> None:
    """A tensor begins at a multiple of 128 and stays within segments 0 to 6."""
    if address % FLIT:
        raise errors.MISALIGNED.error(
            what=what,
            address=address,
            alignment=FLIT,
            hint=f"move it to a multiple of {FLIT} bytes",
        )
    if not in_tensor_segment(address, nbytes):
        raise errors.SEGMENT_BOUNDS.error(
            what=what, address=address, end=address + nbytes, last=TENSOR_SEGMENTS - 1
        )


def _insert(bound: Bound, operand: Operand, address: int, undefined: bool) -> None:
    buffer = cast("Array", operand.buffer)
    name, writable = operand.param.name, operand.writable and buffer.flags.writeable
    bound.memory.bind(buffer, address=address, name=name, writable=writable, defined=not undefined)
    if operand.tensor is not None and operand.inplace:
        # What is written of a resident tensor is remembered beyond this launch.
        bound.memory.at(address).defined = operand.tensor.region.defined
    bound.placed.append(address)
    operand.address = address
    bound.addresses[operand.param.index] = address


def _follow(bound: Bound, operand: Operand, leader: Operand, fixed: Mapping[int, int]) -> None:
    """Use the leader's buffer; at an address of its own only where that is fixed."""
    operand.buffer, operand.inplace = leader.buffer, leader.inplace
    operand.before = leader.before
    address = fixed.get(operand.param.index)
    if address is None or address == leader.address:
        operand.address = leader.address
        bound.addresses[operand.param.index] = leader.address
    else:
        operand.writable = leader.writable
        check_address(f"argument '{operand.param.name}'", address, operand.array.nbytes)
        _insert(bound, operand, address, False)


def _place_scratch(
    bound: Bound, signature: Signature, fixed: Mapping[int, int], track: bool
) -> None:
    address = DYNAMIC_SEGMENT
    for param in signature.params:
        if not param.scratch:
            continue
        extent = sum((n - 1) * s for n, s in zip(param.shape, param.strides, strict=True)) + 1
        extent = _affordable(extent if 0 not in param.shape else 0, param.dtype.itemsize)
        nbytes = extent * param.dtype.itemsize
        # All ones is a NaN in every float type.
        buffer = np.full(nbytes, 0xFF, np.uint8)
        at = fixed.get(param.index, address)
        bound.memory.bind(buffer, address=at, name=param.name, defined=not track)
        bound.placed.append(at)
        bound.addresses[param.index] = at
        address += round_up(nbytes) if at == address else 0


class _Cursor:
    """Addresses for arrays that have none: behind everything placed, a free flit between them."""

    def __init__(self, memory: DeviceMemory) -> None:
        regions = [r for r in memory.regions if r.address < DYNAMIC_SEGMENT]
        self._next = round_up(regions[-1].end + FLIT) if regions else FIRST_ADDRESS

    def take(self, nbytes: int) -> int:
        address = self._next
        if address % SEGMENT + nbytes > SEGMENT:
            address = round_up(address, SEGMENT)
        if nbytes > SEGMENT:
            raise errors.too_large(nbytes)
        if address + nbytes > DYNAMIC_SEGMENT:
            raise errors.OUT_OF_MEMORY.error(size=nbytes, used=address)
        self._next = address + round_up(nbytes) + FLIT
        return address
