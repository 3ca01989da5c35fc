"""`prepare` an artifact once, `launch` it often: the two phases of a SpyreCode kernel."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from spyrelang import engines
from spyrelang.engines import Event, Options, Outcome, Progress
from spyrelang.errors import launch as errors
from spyrelang.errors.artifact import LAYOUT, PROFILER_NAME
from spyrelang.isa.program import Executable
from spyrelang.runtime import inputs
from spyrelang.runtime.arguments import operands_of
from spyrelang.runtime.copies import copy_from_device
from spyrelang.runtime.device import LAUNCH_LOCK
from spyrelang.runtime.execute import constant_operands
from spyrelang.runtime.operand import Operand
from spyrelang.runtime.placement import Bound, bind
from spyrelang.runtime.program import ProgramMemory, little_endian
from spyrelang.runtime.signature import Signature, make
from spyrelang.spyrecode.artifact import Artifact, read
from spyrelang.spyrecode.layout import Layout, check_layout, row_major_layout
from spyrelang.spyrecode.plan import (
    PROFILER_LIMIT,
    ComputeOnDevice,
    ComputeOnHost,
    DataTransfer,
    Step,
    steps,
)
from spyrelang.spyrecode.segments import SEGMENT, TENSOR_SEGMENTS


@dataclass(repr=False)
class Run:
    """One launch that has finished. `host` holds what the plan copied back, by handle."""

    outcome: Outcome
    host: dict[str, bytes] = field(default_factory=dict[str, bytes], repr=False)

    def __repr__(self) -> str:
        return f"<Run, engine {self.engine}, {self.cycles} cycles>"

    @property
    def cycles(self) -> int:
        """Time of the cycle model."""
        return self.outcome.cycles

    @property
    def engine(self) -> str:
        return self.outcome.engine

    @property
    def events(self) -> list[Event]:
        """What units did; recorded by engine "checked"."""
        return self.outcome.events


@dataclass
class _Launch:
    """What the steps of one launch share."""

    bound: Bound
    sizes: dict[int, int]
    engine: str
    seed: int
    options: Options | None
    progress: Progress | None
    handles: dict[str, bytes] = field(default_factory=dict[str, bytes])
    copied: dict[str, bytes] = field(default_factory=dict[str, bytes])
    pending: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    outcome: Outcome | None = None


class Prepared:
    """A kernel resident on the simulated device. Launches of one kernel run one after the other.

    `bound`: True puts launch tensor i at the start of segment i, whatever its own address.
    """

    def __init__(self, artifact: Artifact, *, name: str | None, bound: bool) -> None:
        plan = artifact.plan
        self.path = artifact.path
        self.name = artifact.name
        self.bound = bound
        self._label = name
        self.static_size = plan.allocate.static_size
        self.dynamic_size = plan.allocate.dynamic_size
        self.steps: tuple[Step, ...] = _named_steps(artifact, name)
        self._artifact = artifact
        self._lock = threading.Lock()
        self._program: ProgramMemory | None = ProgramMemory(artifact)
        self._executable = self._first_executable()
        tables = [c.correction.table for c in plan.commands if isinstance(c, ComputeOnHost)]
        self._table = tables[0] if tables else None
        self.signature: Signature = make(self._executable, inputs.free_dims(self._table))
        self._size_names = inputs.size_names(self._table) - self.signature.by_name.keys()
        for table in tables:
            inputs.check_arguments(table, self.signature)
        self._fixed = self._fixed_addresses()
        self._layouts = self._device_layouts()

    def _first_executable(self) -> Executable:
        program = self._resident()
        entries = [
            c.job_bin_ptr for c in self._artifact.plan.commands if isinstance(c, ComputeOnDevice)
        ]
        executables = [program.executable(entry) for entry in entries]
        return executables[0] if executables else self._artifact.executable

    def _fixed_addresses(self) -> dict[int, int]:
        """Byte addresses that arguments must have, by argument index."""
        if self.bound:
            tensors = [p for p in self.signature.given if not p.scalar]
            limit = TENSOR_SEGMENTS - bool(self.dynamic_size)
            if len(tensors) > limit:
                raise errors.TOO_MANY_BOUND.error(kernel=self.name, count=len(tensors), limit=limit)
            return {p.index: position * SEGMENT for position, p in enumerate(tensors)}
        spec = self._artifact.launch_spec
        addresses = () if spec is None else spec.addresses
        return {i: address for i, address in enumerate(addresses) if address is not None}

    def _device_layouts(self) -> dict[int, Layout]:
        """Layouts that differ from the bytes of the host array."""
        spec = self._artifact.launch_spec
        result: dict[int, Layout] = {}
        for param in self.signature.given:
            layout = None if spec is None else spec.layout_of(param.index)
            if layout is None or layout == row_major_layout(param.shape, param.type_name):
                continue
            check_layout(param.name, layout, param.shape, param.type_name)
            if any(dim > 0 for dim in param.free_dims):
                detail = "only the first dimension of a tensor with a layout may vary in size"
                raise LAYOUT.error(name=param.name, detail=detail)
            result[param.index] = layout
        return result

    def __reduce__(self) -> tuple[object, ...]:
        """Pickling keeps the path: the kernel is prepared again on the other side."""
        return _prepare_again, (str(self.path), self._label, self.bound)

    @property
    def executable(self) -> Executable:
        """The program of the first device step."""
        return self._executable

    @property
    def released(self) -> bool:
        return self._program is None

    def release(self) -> None:
        """Give the program's memory back; waits for a launch that is under way."""
        with self._lock:
            self._program = None

    def __enter__(self) -> Prepared:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        kinds = ", ".join(step.kind for step in self.steps) or "no steps"
        return (
            f"Prepared({self.name}: {kinds}; static_size={self.static_size}, "
            f"dynamic_size={self.dynamic_size}{', released' if self.released else ''})"
        )

    def launch(
        self,
        *args: object,
        engine: str = "fast",
        seed: int = 0,
        options: Options | None = None,
        progress: Progress | None = None,
        memory: Mapping[int, object] | None = None,
        **named: object,
    ) -> Run:
        """Run the kernel on arrays or device tensors, by position or name; outputs are filled.

        `memory`: {address: array} for constant addresses that no argument stands for, counted in
        elements. Sizes given at launch are read from the arrays and may be stated by name.
        Raises SPY700 to SPY746, and SPY5xx for what the program does.
        """
        stated = {n: named.pop(n) for n in list(named) if n in self._size_names}
        values = self.signature.match(args, named)
        with self._lock, LAUNCH_LOCK:
            program = self._resident()
            operands, scalars, raw = operands_of(self.signature, values, self._layouts)
            sizes: dict[int, int] = {}
            if self._table is not None:
                sizes = inputs.sizes_of(self._table, self.signature, operands, scalars, stated)
            fixed = dict(self._fixed)
            if memory is not None:
                operands += constant_operands(memory, fixed)
            bound = self._bind(operands, scalars, fixed, engine, options)
            bound.addresses.update(raw)
            state = _Launch(bound, sizes, engine, seed, options, progress)
            self._run_plan(program, state)
            bound.copy_back()
        return Run(state.outcome or Outcome(engine), state.copied)

    def _resident(self) -> ProgramMemory:
        if self._program is None:
            raise errors.RELEASED.error(kernel=self.name)
        return self._program

    def _bind(
        self,
        operands: list[Operand],
        scalars: dict[int, int],
        fixed: dict[int, int],
        engine: str,
        options: Options | None,
    ) -> Bound:
        return bind(
            self.signature,
            operands,
            addresses=fixed,
            scalars=scalars,
            track=engine == "checked",
            numerics=options.numerics if options is not None else "ieee",
        )

    def _run_plan(self, program: ProgramMemory, state: _Launch) -> None:
        for command in self._artifact.plan.commands:
            if isinstance(command, ComputeOnHost):
                self._compute_on_host(command, state)
            elif isinstance(command, DataTransfer) and command.to_device:
                self._to_device(program, command, state)
            elif isinstance(command, DataTransfer):
                data = copy_from_device(command, program, state.bound, bound_mode=bool(self._fixed))
                state.handles[command.host_handle] = state.copied[command.host_handle] = data
            else:
                self._compute_on_device(program, command, state)

    def _compute_on_host(self, command: ComputeOnHost, state: _Launch) -> None:
        """Evaluate the symbols of this launch and fill them into the blob."""
        correction = command.correction
        if correction.records != 1:
            raise errors.ONE_RECORD.error(kernel=self.name, count=correction.records)
        if command.ihandle:
            vector = little_endian(state.handles[command.ihandle], command.ishape[0])
        else:
            vector = inputs.vector(correction.table, state.bound, state.sizes, self.signature)
        state.handles[command.ohandle] = correction.blob(correction.table.evaluate(vector))

    def _to_device(self, program: ProgramMemory, command: DataTransfer, state: _Launch) -> None:
        blob = state.handles[command.host_handle]
        program.store_bytes(command.dev_ptr, blob)
        flits = next(
            c.correction.flits
            for c in self._artifact.plan.commands
            if isinstance(c, ComputeOnHost) and c.ohandle == command.host_handle
        )
        state.pending.append((command.dev_ptr, flits))

    def _compute_on_device(
        self, program: ProgramMemory, command: ComputeOnDevice, state: _Launch
    ) -> None:
        for address, flits in state.pending:
            program.scatter(address, flits)
        state.pending.clear()
        executable = program.executable(command.job_bin_ptr)
        outcome = engines.run(
            executable,
            state.bound.memory,
            program.pool_values(command.job_bin_ptr),
            engine=state.engine,
            seed=state.seed,
            options=state.options,
            progress=state.progress,
        )
        if state.outcome is not None:
            outcome.cycles += state.outcome.cycles
            outcome.events = state.outcome.events + outcome.events
        state.outcome = outcome


def prepare(
    path: str | os.PathLike[str], *, name: str | None = None, bound: bool = False
) -> Prepared:
    """Verify the artifact directory `path` and load its program; needs no arguments and no MLIR.

    `name`: label of the compute steps in traces. `bound`: map launch tensor i to the start of
    segment i instead of giving the kernel the tensors' own addresses. Raises SPY6xx, SPY550."""
    return Prepared(read(path), name=name, bound=bound)


def _prepare_again(path: str, name: str | None, bound: bool) -> Prepared:
    return prepare(path, name=name, bound=bound)


def _named_steps(artifact: Artifact, name: str | None) -> tuple[Step, ...]:
    """The steps with the names traces show. Raises SPY649."""
    label = f"{artifact.path.parent.name}/{artifact.path.name}/bundle.mlir"
    result = steps(artifact.plan, label)
    if name is None:
        return result
    renamed: list[Step] = []
    for step in result:
        if step.kind == "Compute":
            full = f"{name}#{step.commands[0]}"
            length = len(full.encode())
            if length > PROFILER_LIMIT:
                raise PROFILER_NAME.error(value=name[:40], length=length, limit=PROFILER_LIMIT)
            step = Step(step.kind, step.role, full, step.commands)
        renamed.append(step)
    return tuple(renamed)
