"""`spyrecode.json` to a `Plan` and back. Writes the newest spelling (G2), reads G1 as well."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from spyrelang.errors import SpyreError, SpyreWarning
from spyrelang.errors import artifact as errors
from spyrelang.spyrecode import correction_json, fields
from spyrelang.spyrecode.fields import Json, Where
from spyrelang.spyrecode.plan import (
    Allocate,
    Command,
    ComputeOnDevice,
    ComputeOnHost,
    DataTransfer,
    InitTransfer,
    Plan,
)
from spyrelang.spyrecode.plan_check import check_order, check_preparation, program_address
from spyrelang.spyrecode.segments import SEGMENT

EXECUTE = "JobExecPlan"
PREPARE = "JobPreparationPlan"

_KNOWN = {
    "Allocate": {"static_size", "dynamic_size"},
    "InitTransfer": {"init_bin_file", "size", "dev_ptr"},
    "ComputeOnHost": {"ihandle", "ishape", "ohandle", "oshape", "size", "hcm"},
    "DataTransfer": {"dirn", "size", "dev_ptr", "host_handle"},
    "ComputeOnDevice": {"job_bin_ptr", "name"},
}

# --- writing -----------------------------------------------------------------------------------


def to_json(plan: Plan) -> dict[str, object]:
    """The top-level object; every number is a decimal string."""
    allocate = plan.allocate
    preparation = [
        _command(
            "Allocate",
            static_size=str(allocate.static_size),
            dynamic_size=str(allocate.dynamic_size),
        ),
        *(
            _command("InitTransfer", init_bin_file=t.file, size=str(t.size), dev_ptr=str(t.dev_ptr))
            for t in plan.transfers
        ),
    ]
    return {EXECUTE: [_command_to_json(c) for c in plan.commands], PREPARE: preparation}


def _command(command: str, /, **properties: object) -> dict[str, object]:
    return {"command": command, "properties": properties}


def _command_to_json(command: Command) -> dict[str, object]:
    if isinstance(command, ComputeOnHost):
        return _command(
            "ComputeOnHost",
            ishape=[str(n) for n in command.ishape],
            oshape=[str(n) for n in command.oshape],
            size=str(command.size),
            ihandle=command.ihandle,
            ohandle=command.ohandle,
            hcm=correction_json.to_json(command.correction),
        )
    if isinstance(command, DataTransfer):
        return _command(
            "DataTransfer",
            dirn="false" if command.to_device else "true",
            size=str(command.size),
            dev_ptr=str(command.dev_ptr),
            host_handle=command.host_handle,
        )
    name = {} if command.name is None else {"name": command.name}
    return _command("ComputeOnDevice", job_bin_ptr=str(command.job_bin_ptr), **name)


# --- reading -----------------------------------------------------------------------------------


def from_json(value: object, file: str, *, symbolic: bool = True) -> Plan:
    """The plan in a parsed spyrecode.json. `symbolic`: addresses are symbols, so that copies back
    must come from the program segment. Errors: SPY603, SPY620 to SPY656."""
    where = Where(file)
    top = fields.as_object(value)
    if top is None:
        raise errors.JSON_MALFORMED.error(
            where.location(), name="spyrecode.json", detail="the top level must be an object"
        )
    preparation, execution = _plan(where, top, PREPARE), _plan(where, top, EXECUTE)
    if len(preparation) < 2:
        raise errors.PREPARATION_SHORT.error(
            where.location("JobPreparationPlan"), count=len(preparation)
        )
    generation, allocate = _allocate(where.at(PREPARE, 0), preparation[0])
    transfers = tuple(
        _init_transfer(where.at(PREPARE, i), item) for i, item in enumerate(preparation[1:], 1)
    )
    check_preparation(where, PREPARE, allocate, transfers)
    commands = _Commands(where, allocate, symbolic).read(execution)
    plan = Plan(generation, allocate, transfers, commands)
    check_order(where, EXECUTE, plan)
    return plan


def _plan(where: Where, top: Json, key: str) -> Sequence[object]:
    if key not in top:
        raise errors.PLAN_KEY_MISSING.error(where.location(), key=key)
    items = fields.as_list(top[key])
    if items is None and key == PREPARE:
        raise errors.PREPARATION_SHORT.error(where.location("JobPreparationPlan"), count="no")
    if items is None:
        raise errors.PLAN_NOT_ARRAY.error(where.location(key), key=key)
    return items


def _split(where: Where, item: object) -> tuple[Where, Json]:
    """The place and properties of a command."""
    command = fields.as_object(item)
    if command is None:
        raise errors.COMMAND_MALFORMED.error(
            where.location(), where=where, detail=f"{fields.shown(item)} is not an object"
        )
    name = command.get("command")
    if not isinstance(name, str):
        raise errors.COMMAND_MALFORMED.error(
            where.location(), where=where, detail="missing 'command', a string"
        )
    where = where.at(where.plan, where.index, name)
    properties = fields.as_object(command.get("properties"))
    if properties is None:
        raise errors.COMMAND_MALFORMED.error(
            where.location(), where=where, detail=f"{name} is missing 'properties', an object"
        )
    return where, properties


def _warn_unknown(where: Where, properties: Json, known: set[str]) -> None:
    for name in properties:
        if name not in known:
            error = errors.UNKNOWN_PROPERTY.error(
                where.location(name), where=where, command=where.command, name=name
            )
            warnings.warn(SpyreWarning(error), stacklevel=6)


def _allocate(where: Where, item: object) -> tuple[str, Allocate]:
    where, properties = _split(where, item)
    if where.command != "Allocate":
        raise errors.EXPECTED_ALLOCATE.error(where.location(), where=where, found=where.command)
    # The older generation has one `size`; next to a new one it is just an unknown property.
    old = "size" in properties and not properties.keys() & {"static_size", "dynamic_size"}
    _warn_unknown(where, properties, {"size"} if old else _KNOWN["Allocate"])
    if old:
        static, dynamic = fields.decimal(where, properties, "size"), 0
    else:
        static = fields.decimal(where, properties, "static_size")
        dynamic = fields.decimal(where, properties, "dynamic_size")
    for name, value in (("static_size", static), ("dynamic_size", dynamic)):
        if value > SEGMENT:
            raise errors.ALLOCATION_LIMIT.error(
                where.location(name), where=where, name=name, value=value, limit=SEGMENT
            )
    return ("G1" if old else "G2"), Allocate(static, dynamic)


def _init_transfer(where: Where, item: object) -> InitTransfer:
    where, properties = _split(where, item)
    if where.command != "InitTransfer":
        raise errors.EXPECTED_INIT_TRANSFER.error(
            where.location(), where=where, found=where.command
        )
    _warn_unknown(where, properties, _KNOWN["InitTransfer"])
    file = fields.string(where, properties, "init_bin_file")
    if not file or file in (".", "..") or any(c in file for c in "/\\\0:"):
        raise errors.BINARY_NAME.error(where.location("init_bin_file"), where=where, value=file)
    size = fields.decimal(where, properties, "size")
    return InitTransfer(file, size, fields.decimal(where, properties, "dev_ptr"))


class _Commands:
    """Reads the execution plan; keeps the host handles that exist so far."""

    def __init__(self, where: Where, allocate: Allocate, symbolic: bool) -> None:
        self.where = where
        self.allocate = allocate
        self.symbolic = symbolic
        self.handles: set[str] = set()

    def read(self, items: Sequence[object]) -> tuple[Command, ...]:
        return tuple(self._one(self.where.at(EXECUTE, i), item) for i, item in enumerate(items))

    def _one(self, where: Where, item: object) -> Command:
        where, properties = _split(where, item)
        readers = {
            "ComputeOnHost": self._host,
            "DataTransfer": self._transfer,
            "ComputeOnDevice": self._device,
        }
        read = readers.get(where.command)
        if read is None:
            raise errors.UNKNOWN_COMMAND.error(where.location(), where=where, found=where.command)
        _warn_unknown(where, properties, _KNOWN[where.command])
        return read(where, properties)

    def _host(self, where: Where, properties: Json) -> ComputeOnHost:
        ihandle = fields.string(where, properties, "ihandle")
        ishape = fields.shape(where, properties, "ishape")
        ohandle = fields.string(where, properties, "ohandle")
        oshape = fields.shape(where, properties, "oshape") if "oshape" in properties else ()
        size = fields.decimal(where, properties, "size")
        correction = correction_json.from_json(where, fields.required(where, properties, "hcm"))
        if ihandle and ihandle not in self.handles:
            raise errors.IHANDLE_UNKNOWN.error(
                where.location("ihandle"), where=where, handle=ihandle
            )
        if ohandle in self.handles:
            raise errors.OHANDLE_EXISTS.error(
                where.location("ohandle"), where=where, handle=ohandle
            )
        self.handles.add(ohandle)
        self._check_sizes(where, size, ishape, oshape, correction)
        return ComputeOnHost(ihandle, ishape, ohandle, oshape, size, correction)

    def _check_sizes(
        self,
        where: Where,
        size: int,
        ishape: tuple[int, ...],
        oshape: tuple[int, ...],
        correction: correction_json.Correction,
    ) -> None:
        """The sizes of the command agree with the metadata it carries."""
        inputs = len(correction.table.inputs)
        details = (
            (size != correction.size, f"makes {correction.size} bytes but 'size' is {size}"),
            (ishape != (inputs,), f"has {inputs} inputs but 'ishape' is {list(ishape)}"),
            (
                bool(oshape) and oshape[-1] != correction.flits,
                f"has {correction.flits} flits but 'oshape' is {list(oshape)}",
            ),
        )
        for wrong, detail in details:
            if wrong:
                raise errors.HCM.error(where.location("hcm"), where=where, detail=detail)

    def _transfer(self, where: Where, properties: Json) -> DataTransfer:
        direction = fields.string(where, properties, "dirn")
        if direction not in ("true", "false"):
            raise errors.DIRECTION.error(where.location("dirn"), where=where, value=direction)
        size = fields.decimal(where, properties, "size")
        pointer = fields.decimal(where, properties, "dev_ptr")
        handle = fields.string(where, properties, "host_handle")
        to_device = direction == "false"
        self._check_handle(where, to_device, handle)
        self._check_pointer(where, to_device, pointer, size)
        return DataTransfer(to_device, size, pointer, handle)

    def _check_handle(self, where: Where, to_device: bool, handle: str) -> None:
        if to_device and handle not in self.handles:
            raise errors.HOST_HANDLE_UNKNOWN.error(
                where.location("host_handle"), where=where, handle=handle
            )
        if not to_device and handle in self.handles:
            raise errors.HOST_HANDLE_EXISTS.error(
                where.location("host_handle"), where=where, handle=handle
            )
        self.handles.add(handle)

    def _check_pointer(self, where: Where, to_device: bool, pointer: int, size: int) -> None:
        try:
            program_address(where, "dev_ptr", pointer, size, self.allocate)
        except SpyreError as error:
            outside = error.kind is errors.PROGRAM_SEGMENT
            if to_device or not outside:
                raise
            if self.symbolic:
                raise errors.COPY_BACK_SEGMENT.error(
                    where.location("dev_ptr"), where=where, value=pointer
                ) from None

    def _device(self, where: Where, properties: Json) -> ComputeOnDevice:
        pointer = fields.decimal(where, properties, "job_bin_ptr")
        name = fields.string(where, properties, "name") if "name" in properties else None
        if self.allocate.static_size == 0:
            raise errors.ALLOCATION_ZERO.error(where.location("static_size"), where=where)
        program_address(where, "job_bin_ptr", pointer, 1, self.allocate)
        return ComputeOnDevice(pointer, name)
