"""Rules that relate the commands of a plan to each other and to the program's memory."""

from __future__ import annotations

from spyrelang.errors import artifact as errors
from spyrelang.spyrecode.fields import Where
from spyrelang.spyrecode.plan import (
    Allocate,
    ComputeOnDevice,
    ComputeOnHost,
    DataTransfer,
    InitTransfer,
    Plan,
)
from spyrelang.spyrecode.segments import FLIT, PROGRAM_SEGMENT, SEGMENT


def program_address(where: Where, name: str, address: int, size: int, allocate: Allocate) -> None:
    """`size` bytes at `address` lie in the program's memory and begin a flit."""
    if not PROGRAM_SEGMENT <= address < PROGRAM_SEGMENT + SEGMENT:
        raise errors.PROGRAM_SEGMENT.error(
            where.location(name),
            where=where,
            name=name,
            value=address,
            low=PROGRAM_SEGMENT,
            high=PROGRAM_SEGMENT + SEGMENT,
        )
    if address % FLIT:
        raise errors.PROGRAM_ALIGNMENT.error(
            where.location(name), where=where, name=name, value=address
        )
    end = address - PROGRAM_SEGMENT + size
    if end > allocate.static_size:
        raise errors.PROGRAM_BOUNDS.error(
            where.location(name), where=where, name=name, end=end, size=allocate.static_size
        )


def check_preparation(
    where: Where, plan: str, allocate: Allocate, transfers: tuple[InitTransfer, ...]
) -> None:
    """Sizes are whole flits; files land inside the allocation."""
    at = where.at(plan, 0, "Allocate")
    for name, value in (
        ("static_size", allocate.static_size),
        ("dynamic_size", allocate.dynamic_size),
    ):
        if value % FLIT:
            raise errors.PROGRAM_ALIGNMENT.error(
                at.location(name), where=at, name=name, value=value
            )
    for index, transfer in enumerate(transfers, 1):
        at = where.at(plan, index, "InitTransfer")
        if transfer.size % FLIT:
            raise errors.PROGRAM_ALIGNMENT.error(
                at.location("size"), where=at, name="size", value=transfer.size
            )
        program_address(at, "dev_ptr", transfer.dev_ptr, transfer.size, allocate)


def check_order(where: Where, plan_name: str, plan: Plan) -> None:
    """Each host computation is followed by its transfer, and host work by device work."""
    pending = False
    for index, command in enumerate(plan.commands):
        at = where.at(plan_name, index, type(command).__name__)
        if isinstance(command, ComputeOnHost):
            _check_pair(at, plan, index)
            pending = True
        elif isinstance(command, ComputeOnDevice):
            pending = False
        elif not command.to_device and pending:
            raise errors.ORDER.error(at.location(), where=at)
        elif command.to_device and not _follows_its_source(plan, index):
            raise errors.PAIRING.error(
                at.location(),
                where=at,
                handle=command.host_handle,
                detail="the transfer does not follow its ComputeOnHost",
            )
    if pending:
        at = where.at(plan_name, len(plan.commands), "(end of plan)")
        raise errors.ORDER.error(at.location(), where=at)
    _check_targets(where, plan_name, plan)


def _follows_its_source(plan: Plan, index: int) -> bool:
    before = plan.commands[index - 1] if index else None
    command = plan.commands[index]
    if not isinstance(before, ComputeOnHost) or not isinstance(command, DataTransfer):
        return False
    return before.ohandle == command.host_handle


def _check_pair(at: Where, plan: Plan, index: int) -> None:
    command = plan.commands[index]
    after = plan.commands[index + 1] if index + 1 < len(plan.commands) else None
    if not isinstance(command, ComputeOnHost):
        return
    if not isinstance(after, DataTransfer) or not after.to_device:
        detail = "the next command is none"
    elif after.host_handle != command.ohandle:
        detail = f"the next transfer moves {after.host_handle!r}"
    elif after.size != command.size:
        detail = f"it makes {command.size} bytes, the transfer moves {after.size}"
    else:
        return
    raise errors.PAIRING.error(at.location(), where=at, handle=command.ohandle, detail=detail)


def _check_targets(where: Where, plan_name: str, plan: Plan) -> None:
    """Patched flits land in a binary; filler flits (all zero) may land behind it."""
    ranges = [(t.dev_ptr, t.dev_ptr + t.size) for t in plan.transfers]
    end = PROGRAM_SEGMENT + plan.allocate.static_size
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    for index, command in enumerate(plan.commands):
        if not isinstance(command, ComputeOnHost):
            continue
        correction = command.correction
        patched = {field.flit for field in correction.locations}
        for flit, target in enumerate(correction.targets):
            address = target * FLIT
            filler = flit not in patched and not any(
                correction.template[flit * FLIT : (flit + 1) * FLIT]
            )
            inside = any(a <= address and address + FLIT <= b for a, b in ranges)
            if not inside and not (filler and low <= address <= end - FLIT):
                at = where.at(plan_name, index, "ComputeOnHost")
                raise errors.SCATTER_TARGET.error(
                    at.location("senConstants"),
                    where=at,
                    flit=flit,
                    address=address,
                    low=low,
                    high=high,
                )
