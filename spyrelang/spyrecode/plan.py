"""The two job plans of an artifact as values: commands, and the runtime steps they become."""

from __future__ import annotations

from dataclasses import dataclass

from spyrelang.spyrecode.correction import Correction

PROFILER_LIMIT = 127


@dataclass(frozen=True)
class Allocate:
    """Memory of the program: `static_size` bytes in segment 7 for as long as the kernel is
    prepared, `dynamic_size` bytes in segment 6 during each launch."""

    static_size: int
    dynamic_size: int = 0


@dataclass(frozen=True)
class InitTransfer:
    """Load `size` bytes of file `file` to address `dev_ptr`, once."""

    file: str
    size: int
    dev_ptr: int


@dataclass(frozen=True)
class ComputeOnHost:
    """Compute the correction blob of `size` bytes from the launch's inputs into handle "
    "`ohandle`."""

    ihandle: str
    ishape: tuple[int, ...]
    ohandle: str
    oshape: tuple[int, ...]
    size: int
    correction: Correction


@dataclass(frozen=True)
class DataTransfer:
    """Copy `size` bytes between host buffer `host_handle` and `dev_ptr`."""

    to_device: bool
    size: int
    dev_ptr: int
    host_handle: str


@dataclass(frozen=True)
class ComputeOnDevice:
    """Run the program whose first byte is at `job_bin_ptr`."""

    job_bin_ptr: int
    name: str | None = None


Command = ComputeOnHost | DataTransfer | ComputeOnDevice


@dataclass(frozen=True)
class Step:
    """One runtime operation of a launch. `kind`: HostCompute, H2D, D2H or Compute; `role`: the
    stream it belongs to (Prep or Dev); every step is a `barrier`. `commands` index into the
    plan."""

    kind: str
    role: str
    name: str
    commands: tuple[int, ...]
    barrier: bool = True


@dataclass(frozen=True)
class Plan:
    """Both plans. `generation` is "G2" (what we write) or "G1" (older, read only)."""

    generation: str
    allocate: Allocate
    transfers: tuple[InitTransfer, ...]
    commands: tuple[Command, ...]

    @property
    def correction(self) -> Correction | None:
        """The correction of the program; None for a kernel with constant addresses."""
        return next((c.correction for c in self.commands if isinstance(c, ComputeOnHost)), None)

    @property
    def symbolic(self) -> bool:
        return self.correction is not None


def steps(plan: Plan, label: str) -> tuple[Step, ...]:
    """The runtime steps of a plan. In G2 a host computation and its transfer are one step.

    `label` names compute events whose command has no name: `<label>#<index>`.
    """
    result: list[Step] = []
    skip = -1
    for index, command in enumerate(plan.commands):
        if index == skip:
            continue
        if isinstance(command, ComputeOnHost):
            fused = plan.generation == "G2"
            skip = index + 1 if fused else -1
            covered = (index, index + 1) if fused else (index,)
            result.append(Step("HostCompute", "Prep", command.ohandle, covered))
        elif isinstance(command, DataTransfer):
            kind, role = ("H2D", "Prep") if command.to_device else ("D2H", "Dev")
            result.append(Step(kind, role, command.host_handle, (index,)))
        else:
            result.append(Step("Compute", "Dev", command.name or f"{label}#{index}", (index,)))
    return tuple(result)
