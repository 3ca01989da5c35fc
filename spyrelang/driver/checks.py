"""Checks of a KTIR kernel against the device it is compiled for."""

from __future__ import annotations

from math import prod

from spyrelang import ir
from spyrelang.device import Device
from spyrelang.driver.bugs import Subject, guarded
from spyrelang.errors import SpyreWarning
from spyrelang.errors import schedule as errors


def scratchpad_bytes(device: Device) -> int:
    """The bytes of what KTIR calls ct_local. Raises SPY309 for devices without."""
    return device.capacity(device.memory_of_space("ct_local"))


def check_text(module: ir.Module, name: str | None = None) -> tuple[SpyreWarning, ...]:
    """What a KTIR text is suspected of, or one kernel of it.

    Raises SPY560, SPY574 and SPY59x for kernels that cannot mean anything.
    """
    from spyrelang import interp

    with guarded("check ktir", Subject(name or "text", "ktir", "", module.text)):
        return tuple(interp.check(module, name))


def check_kernel(module: ir.Module, name: str, device: Device) -> list[SpyreWarning]:
    """What is wrong with the KTIR of a kernel whoever wrote it, and on a device; gives the
    warnings.

    Raises SPY435, SPY560, SPY574, SPY578 and SPY59x.
    """
    check_device(module, name, device)
    return list(check_text(module, name))


def check_device(module: ir.Module, name: str, device: Device) -> None:
    """Raises SPY435 for a grid larger than the device, SPY578 for views at constant addresses past
    its scratchpad."""
    from spyrelang import interp

    with guarded("check ktir", Subject(name, "ktir", device.name, module.text)):
        facts = interp.demands(module, name)
    if facts.grid is not None and prod(facts.grid) > device.cores:
        raise errors.CORES.error(
            facts.location,
            kernel=name,
            cores=prod(facts.grid),
            device=device.name,
            available=device.cores,
        )
    facts.check_scratchpad(scratchpad_bytes(device))
