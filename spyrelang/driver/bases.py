"""Addresses that are fixed when a kernel is compiled: `bases=` of `Kernel.compile`.

Authors give bytes, as the device counts; KTIR counts a view's constant address in its elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from spyrelang.errors.driver import BASES
from spyrelang.frontend import BoundArguments, Parameter
from spyrelang.language.index import as_integer
from spyrelang.language.tracing import fail
from spyrelang.spyrecode.segments import SEGMENT, TENSOR_SEGMENTS

Bases = Mapping[str, int] | str | None
"""Byte addresses by parameter; "segments" for a segment of 16 GiB each, in order."""


def element_addresses(bases: Bases, bound: BoundArguments) -> dict[str, int]:
    """The address of each named tensor, in its elements. Raises SPY837."""
    kernel = bound.signature.name
    if bases is None:
        return {}
    if bases == "segments":
        bases = {p.name: i * SEGMENT for i, p in enumerate(_tensors(bound))}
        if len(bases) > TENSOR_SEGMENTS:
            _refuse(kernel, f"there are {TENSOR_SEGMENTS} segments for {len(bases)} tensors")
    if not isinstance(bases, Mapping):
        _refuse(kernel, f"got {bases!r}")
    names = [p.name for p in _tensors(bound)]
    found: dict[str, int] = {}
    for name, address in bases.items():
        if name not in names:
            _refuse(kernel, f"{name!r} is no tensor of it; these are {', '.join(names) or 'none'}")
        number, size = as_integer(address), bound.specs[name].dtype.bytes
        if number is None or not 0 <= number < TENSOR_SEGMENTS * SEGMENT or number % size:
            _refuse(
                kernel,
                f"that of '{name}' is {address!r}, no multiple of {size} bytes below 112 GiB",
            )
        other = next((n for n, known in found.items() if known == number // size), None)
        if other is not None:  # which runs, that take memory by element address, cannot tell apart
            _refuse(kernel, f"'{other}' and '{name}' both lie at element {number // size}")
        found[name] = number // size
    return found


def _tensors(bound: BoundArguments) -> list[Parameter]:
    return [p for p in bound.signature.parameters if p.kind == "tensor"]


def _refuse(kernel: str, problem: str) -> NoReturn:
    fail(BASES, kernel=kernel, problem=problem)
