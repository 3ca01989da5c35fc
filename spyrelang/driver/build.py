"""From a traced kernel, or a text of any stage, to a `Compiled`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spyrelang import ir
from spyrelang.device import Device
from spyrelang.driver.bugs import Subject, guarded
from spyrelang.driver.checks import check_device, check_text
from spyrelang.driver.compiled import Compiled
from spyrelang.driver.ladder import Ladder
from spyrelang.driver.stages import SCHEDULE_STAGES, check_stage
from spyrelang.errors.driver import NOT_TEXT, not_one_kernel
from spyrelang.frontend import TracedKernel
from spyrelang.isa.program import Argument
from spyrelang.language.calls import at_call
from spyrelang.settings import current


def load_device(device: Any = None) -> Device:
    """A `Device`, a name, a path, or None for the one in the settings."""
    if isinstance(device, Device):
        return device
    return Device.load(device if device is not None else current().device)


def build_traced(
    traced: TracedKernel,
    device: Device,
    names: Sequence[str] = (),
    addresses: Mapping[str, int] | None = None,
) -> Compiled:
    """The ladder of a traced kernel; runs take arrays called `names`, those in `addresses` put at
    a constant address that counts elements."""
    ladder = Ladder.from_ktir(traced.module, traced.name, device)
    ladder.arguments = tuple(
        Argument(p.name, p.role, p.dtype, p.shape, p.strides) for p in traced.params
    )
    return Compiled(ladder, names, addresses)


def resume(stage: str, path_or_text: str | Path, device: Any = None) -> Compiled:
    """Continue from (edited) text of a stage up to `dataflow`; from a directory for `spyrecode`.

    Raises SPY820 for an unknown stage, SPY1xx for text that does not read, SPY4xx for an edit that
    the schedule cannot express, SPY6xx for an artifact; KTIR is checked as `load_ktir` does.
    """
    with at_call():
        check_stage(stage)
        _text_or_path(path_or_text)
        if stage == "spyrecode":
            from spyrelang.driver.artifact import CompiledArtifact

            return CompiledArtifact(Path(path_or_text))
        target = load_device(device)
        module = read_module(path_or_text)
        if stage in SCHEDULE_STAGES:
            return Compiled(Ladder.from_schedule(module, stage, target))
        name = only_kernel(module, stage)
        if stage == "ktir":
            for warning in check_text(module):
                warnings.warn(warning, stacklevel=2)
            check_device(module, name, target)
            return Compiled(Ladder.from_ktir(module, name, target))
        return Compiled(Ladder.from_dataflow(module, name, target))


def _text_or_path(given: object) -> None:
    if not isinstance(given, (str, Path)):
        raise NOT_TEXT.error(got=type(given).__name__)


def read_module(path_or_text: str | Path) -> ir.Module:
    """A module from a file, or from text (anything with a line break or a brace, and nothing).

    Raises SPY828 for what is neither, SPY1xx for text that does not read.
    """
    _text_or_path(path_or_text)
    if isinstance(path_or_text, str) and _is_text(path_or_text):
        with guarded("read", Subject("text", "text", "", lambda: path_or_text)):
            return ir.parse(path_or_text, "<text>", names=True)
    path = Path(path_or_text)
    with guarded("read", Subject(path.stem, "text", "", path.read_text)):
        return ir.parse_file(path_or_text, names=True)


def _is_text(spelled: str) -> bool:
    return "\n" in spelled or "{" in spelled or not spelled.strip()


def kernel_names(module: ir.Module, stage: str = "ktir") -> list[str]:
    """The kernels of a module: functions with a body and a grid that nothing calls."""
    from spyrelang.driver.names import names

    return names(module, stage)


def only_kernel(module: ir.Module, stage: str) -> str:
    """The kernel of a module that must have exactly one."""
    found = kernel_names(module, stage)
    if len(found) != 1:
        raise not_one_kernel(found)
    return found[0]
