"""The stage ladder: one kernel at every stage, each made from the one before when asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from spyrelang import ir
from spyrelang.device import Device
from spyrelang.driver.bugs import Subject, guarded
from spyrelang.driver.passes import PassRecord
from spyrelang.driver.stages import SCHEDULE_STAGES, STAGES
from spyrelang.errors import SpyreError, internal_error
from spyrelang.isa.decode import decode
from spyrelang.isa.listing import listing
from spyrelang.isa.program import Argument, Executable
from spyrelang.lower import legalise, lower
from spyrelang.schedule import run as passes
from spyrelang.schedule.model import Kernel
from spyrelang.schedule.split import refuse_df16, split
from spyrelang.schedule.text import read, write

# The checkpoint whose patterns run on the text of a schedule stage once it is reached.
CHECKPOINTS = {"pipeline": "pre_scheduling", "explored": "post_scheduling"}

PASS_NAMES = {
    "pipeline": "pipeline",
    "routed": "route",
    "nested": "nest",
    "explored": "explore",
    "placed": "place",
}

T = TypeVar("T")


class Ladder:
    """Holds what has been made so far and makes the rest on demand.

    It starts at any stage: with the KTIR of a kernel, with a schedule read from text, or with
    DataflowIR.
    """

    def __init__(self, name: str, device: Device, start: str) -> None:
        self.name = name
        self.device = device
        self.start = start
        self.records: list[PassRecord] = []
        self._modules: dict[str, ir.Module] = {}
        self._kernels: dict[str, Kernel] = {}
        self._executable: Executable | None = None
        self.arguments: tuple[Argument, ...] | None = None
        self._given: ir.Module | None = None

    @staticmethod
    def from_ktir(module: ir.Module, name: str, device: Device) -> Ladder:
        ladder = Ladder(name, device, "ktir")
        ladder._modules["ktir"] = ladder._given = module
        return ladder

    @staticmethod
    def from_schedule(module: ir.Module, stage: str, device: Device) -> Ladder:
        """Continue from ScheduleIR; refuses what the schedule model cannot say (SPY4xx)."""
        ladder = Ladder(stage, device, stage)
        ladder._modules[stage] = ladder._given = module
        with guarded(f"read {stage}", ladder.subject):
            kernel = read(module, device, stage)
        del ladder._modules[stage]  # shown as we write it, whatever names the text gave
        ladder.name = kernel.name
        ladder._kernels[stage] = kernel
        return ladder

    @staticmethod
    def from_dataflow(module: ir.Module, name: str, device: Device) -> Ladder:
        ladder = Ladder(name, device, "dataflow")
        ladder._modules["dataflow"] = ladder._given = module
        return ladder

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages this ladder can show, in order."""
        return STAGES[STAGES.index(self.start) :]

    @property
    def subject(self) -> Subject:
        """What a reproducer holds of this kernel."""
        return Subject(
            self.name, self.start, self.device.name, lambda: self.module(self.start).text()
        )

    # --- what a stage holds -----------------------------------------------------------------------

    def module(self, stage: str) -> ir.Module:
        """The IR of a stage; for schedule stages written on demand."""
        if stage not in self._modules:
            if stage in SCHEDULE_STAGES:
                self._modules[stage] = write(self.kernel(stage), self.device, stage)
            elif stage == "dataflow":
                self._modules[stage] = self._lower()
            else:
                raise internal_error("driver", f"stage {stage} has no IR of its own")
        return self._modules[stage]

    def text(self, stage: str, *, locs: bool = False) -> str:
        """The text of a stage; of `spyrecode` the disassembly."""
        if stage == "spyrecode":
            return listing(self.executable())
        return self.module(stage).text(locs=locs)

    def kernel(self, stage: str) -> Kernel:
        """The schedule model at a schedule stage."""
        if stage not in self._kernels:
            if stage == SCHEDULE_STAGES[0]:
                self._kernels[stage] = self._split()
            else:
                self._kernels[stage] = self._advance(stage)
        return self._kernels[stage]

    def executable(self) -> Executable:
        """The decoded DataflowIR, which the engines run and artifacts hold."""
        if self._executable is None:
            module = self.module("dataflow")
            self._executable = self._timed(
                "decode",
                "spyrecode",
                lambda: decode(
                    module, device=self.device, name=self.name, arguments=self.arguments
                ),
            )
        return self._executable

    def place(self, error: SpyreError) -> None:
        """Show the lines of the text that this ladder was made from in an error about them."""
        if self._given is not None:
            error.supply(self._given.name, self._given.source_line)

    # --- steps ------------------------------------------------------------------------------------

    def counted(self) -> list[PassRecord]:
        """The steps so far, with the op counts of schedule stages filled in (which writes them)."""
        found: list[PassRecord] = []
        for record in self.records:
            if record.stage in SCHEDULE_STAGES and not record.ops_after:
                before = found[-1].ops_after if found else record.ops_before
                after = count_ops(self.module(record.stage))
                record = replace(record, ops_before=record.ops_before or before, ops_after=after)
            found.append(record)
        return found

    def _split(self) -> Kernel:
        module = self.module("ktir")
        refuse_df16(module)
        if self.device.patterns("pre_mapping"):
            module = module.clone()
            before = count_ops(module)
            self._timed(
                "pre_mapping patterns",
                "ktir",
                lambda: _apply(module, self.device, "pre_mapping"),
                before,
                lambda _: count_ops(module),
            )
        return self._timed(
            "split",
            SCHEDULE_STAGES[0],
            lambda: split(module, self.name, self.device),
            count_ops(module),
        )

    def _advance(self, stage: str) -> Kernel:
        previous = SCHEDULE_STAGES[SCHEDULE_STAGES.index(stage) - 1]
        kernel = self.kernel(previous)
        name = PASS_NAMES[stage]
        kernel = self._timed(
            name, stage, lambda: passes.run(kernel, self.device, upto=stage, after=previous)
        )
        checkpoint = CHECKPOINTS.get(stage)
        if checkpoint is not None and self.device.patterns(checkpoint):
            kernel = self._rewrite(kernel, stage, checkpoint)
        return kernel

    def _rewrite(self, kernel: Kernel, stage: str, checkpoint: str) -> Kernel:
        """Run a checkpoint's patterns on the text of a stage and read the result back."""

        def step() -> Kernel:
            module = write(kernel, self.device, stage)
            _apply(module, self.device, checkpoint)
            return read(module, self.device, stage)

        return self._timed(f"{checkpoint} patterns", stage, step)

    def _lower(self) -> ir.Module:
        kernel = self.kernel(SCHEDULE_STAGES[-1])
        module = self._timed("lower", "dataflow", lambda: lower(kernel, self.device), 0, count_ops)
        self._timed(
            "post_lowering patterns",
            "dataflow",
            lambda: legalise(module, self.device),
            self.records[-1].ops_after,
            lambda _: count_ops(module),
        )
        return module

    def _timed(
        self,
        name: str,
        stage: str,
        step: Callable[[], T],
        before: int = 0,
        after: Callable[[T], int] | None = None,
    ) -> T:
        start, cpu = time.perf_counter(), time.process_time()
        with guarded(name, self.subject):
            try:
                result = step()
            except SpyreError as error:
                self.place(error)
                raise
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        ops = after(result) if after is not None else 0
        self.records.append(PassRecord(name, stage, seconds, before, ops, cpu))
        return result


def _apply(module: ir.Module, device: Device, checkpoint: str) -> None:
    from spyrelang.device import patterns

    patterns.apply(module, device, checkpoint)


def count_ops(module: ir.Module) -> int:
    """Ops in a module, regions included."""
    from mlir.ir import WalkOrder, WalkResult

    total = 0

    def visit(_: Any) -> WalkResult:
        nonlocal total
        total += 1
        return WalkResult.ADVANCE

    with ir.LOCK:
        module.operation.walk(visit, WalkOrder.PRE_ORDER)
    return total
