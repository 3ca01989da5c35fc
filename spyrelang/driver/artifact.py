"""An artifact seen as a compiled kernel: it runs and shows its disassembly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spyrelang import display, spyrecode
from spyrelang.driver.compiled import Compiled
from spyrelang.driver.passes import PassTable
from spyrelang.driver.stages import check_stage
from spyrelang.errors import SpyreError
from spyrelang.errors.driver import SPYRECODE_RUNS
from spyrelang.isa.program import Executable


class CompiledArtifact(Compiled):
    """`resume("spyrecode", dir)`: everything that an artifact alone can do."""

    def __init__(self, path: Path) -> None:
        self._artifact = spyrecode.read(path)
        self._start()

    @property
    def name(self) -> str:
        return self._artifact.executable.name

    @property
    def device(self) -> Any:
        """The name of the machine; an artifact holds no device description."""
        return self._artifact.executable.machine.name

    @property
    def stages(self) -> tuple[str, ...]:
        return ("spyrecode",)

    @property
    def executable(self) -> Executable:
        return self._artifact.executable

    def _place(self, error: SpyreError) -> None:
        """An artifact keeps no text."""

    def ir(self, stage: str = "spyrecode", *, locs: bool = False) -> display.IRText:
        check_stage(stage)
        if stage != "spyrecode":
            raise SPYRECODE_RUNS.error(stage=stage)
        del locs
        return display.IRText(self._artifact.disassembly(), stage=stage)

    def passes(self) -> PassTable:
        return PassTable()

    def report(self) -> display.Report:
        return display.Report(self._artifact.describe())

    def __repr__(self) -> str:
        return f"<artifact {self.name}>"
