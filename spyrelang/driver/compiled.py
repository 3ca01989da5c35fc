"""A compiled kernel: every stage of it, its resource sheet, running and exporting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrelang import display
from spyrelang.driver.bugs import guarded
from spyrelang.driver.checks import check_kernel, scratchpad_bytes
from spyrelang.driver.passes import PassTable
from spyrelang.driver.progress import progress_bar
from spyrelang.driver.run import Run
from spyrelang.driver.stages import STAGES, check_stage
from spyrelang.errors import SpyreError, SpyreWarning
from spyrelang.errors.driver import NO_STAGE, NOT_A_MAPPING, UNKNOWN_ENGINE, unknown_numerics
from spyrelang.language.calls import at_call
from spyrelang.semantics import NUMERICS as MODES

if TYPE_CHECKING:
    from spyrelang.device import Device
    from spyrelang.driver.ladder import Ladder
    from spyrelang.engines import Options, Progress
    from spyrelang.isa.program import Argument, Executable
    from spyrelang.profiles import ProfileReport
    from spyrelang.runtime.signature import Signature
    from spyrelang.spyrecode.layout import Layout

ENGINES = ("ktir", "fast", "checked")


class Compiled:
    """One kernel for one set of shapes, types and constants, on one device.

    Nothing below the KTIR is made before it is needed; `run`, `export` and `ir` ask for it.
    """

    def __init__(
        self,
        ladder: Ladder,
        parameters: Sequence[str] = (),
        addresses: Mapping[str, int] | None = None,
    ) -> None:
        self._ladder = ladder
        self._start(parameters, addresses)

    def _start(
        self, parameters: Sequence[str] = (), addresses: Mapping[str, int] | None = None
    ) -> None:
        """What is kept of runs, also of an artifact, which has no ladder."""
        self._parameters = tuple(parameters)
        self._addresses = dict(addresses or {})
        self.fixed: tuple[Argument, ...] = ()
        """The tensors at constant addresses, which an artifact takes after its arguments."""
        self.profile: ProfileReport | None = None
        self._ktir: dict[str, Any] = {}
        self._findings: list[SpyreWarning] = []

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._ladder.name

    @property
    def ladder(self) -> Ladder:
        """What has been made of the kernel so far, stage by stage."""
        return self._ladder

    @property
    def device(self) -> Device:
        """The device it is compiled for."""
        return self._ladder.device

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages there are, in order."""
        return self._ladder.stages

    @property
    def executable(self) -> Executable:
        """The decoded program that engines run; raises SPY4xx where the kernel cannot be scheduled
        on this device."""
        return self._ladder.executable()

    # --- looking at it ----------------------------------------------------------------------------

    def ir(self, stage: str = "ktir", *, locs: bool = False) -> display.IRText:
        """The text of a stage; "spyrecode" is the disassembly of the binary. `locs` adds the
        author's places. Raises SPY820 for an unknown stage, SPY821 for one before the start."""
        check_stage(stage)
        if stage not in self.stages:
            raise NO_STAGE.error(stage=stage, start=self.stages[0])
        return display.IRText(self._ladder.text(stage, locs=locs), stage=stage)

    def show_ir(self, stage: str = "ktir", *, diff: bool = False, locs: bool = False) -> None:
        """Print a stage, in colour on a terminal; `diff` shows what changed since the stage
        before."""
        text = self.ir(stage, locs=locs)
        position = self.stages.index(stage)
        if diff and position:
            before = self.ir(self.stages[position - 1], locs=locs)
            display.show_diff(before, text)
        else:
            display.show(text)

    def passes(self) -> PassTable:
        """Every step so far: name, stage reached, seconds, ops before and after. Compiles the
        kernel to the end first."""
        self._ladder.executable()
        return PassTable(self._ladder.counted())

    def check_profile(self, profile: str) -> ProfileReport:
        """Everything that a consumer of the KTIR would refuse, with lines: "scheduler-v1" (the
        public scheduler), "ours" or "interpreter". Raises SPY461 for another name."""
        from spyrelang import profiles

        profiles.check_name(profile)
        if "ktir" not in self.stages:
            raise NO_STAGE.error(stage="ktir", start=self.stages[0])
        attempts = {"ours": self._ladder.executable, "interpreter": self._interpreter}
        attempt = attempts.get(profile)
        return profiles.check(self._ladder.module("ktir"), self.name, profile, attempt)

    def with_profile(self, profile: str | None) -> Compiled:
        """The same, with the findings of `check_profile` as `profile`; it prints them."""
        if profile is None:
            return self
        other = copy(self)
        other.profile = self.check_profile(profile)
        return other

    def report(self) -> display.Report:
        """The resource sheet: units, FIFO depths, memory used against capacity, tile sizes and why,
        copies, instances."""
        from spyrelang.driver.report import report

        return report(self._ladder)

    # --- running it -------------------------------------------------------------------------------

    def run(
        self,
        *args: object,
        engine: str = "fast",
        numerics: str = "ieee",
        seed: int = 0,
        options: Options | None = None,
        memory: Mapping[int, object] | None = None,
        progress: Progress | None = None,
        **named: object,
    ) -> Run:
        """Run on arrays, by position or name, or all in one mapping; outputs are filled in place.

        `numerics`: "ieee" computes f16 as IEEE half precision; "df16" as DLFloat16 (nine fraction
        bits, exponents from -31 to 32), as the hardware does, with f16 arrays converted on the way.
        Raises SPY7xx for arguments that do not fit, SPY5xx for what the engine finds.
        """
        with at_call():
            return self.execute(
                self._named(args, named, engine),
                engine=engine,
                numerics=numerics,
                seed=seed,
                options=options,
                memory=memory,
                progress=progress,
            ).told()

    def execute(
        self,
        arrays: Mapping[str, object],
        *,
        engine: str = "fast",
        numerics: str = "ieee",
        seed: int = 0,
        options: Options | None = None,
        memory: Mapping[int, object] | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """`run` with the arguments in one mapping, whatever their names are."""
        check_engine(engine)
        check_numerics(numerics)
        _check_options(options)
        arrays = by_name(arrays)
        if memory is not None:
            _mapping("memory", "{address: array}", memory)
        if self._addresses:
            fixed = {self._addresses[n]: a for n, a in arrays.items() if n in self._addresses}
            arrays = {n: a for n, a in arrays.items() if n not in self._addresses}
            memory = {**fixed, **(memory or {})}
        known: list[SpyreError] = []
        try:
            if engine == "ktir":
                outcome = self._interpreted(arrays, numerics, memory)
                known = [w.error for w in self._findings if w.error is not None]
                outcome.warnings[:0] = known
            else:
                if numerics != "ieee":
                    options = _with_numerics(options, numerics)
                knobs: dict[str, Any] = {"seed": seed, "options": options, "memory": memory}
                outcome = self._on_device(arrays, engine, progress, knobs)
        except SpyreError as error:
            self._place(error)
            raise
        for warning in outcome.warnings:
            self._place(warning)
        return Run(self, engine, outcome, len(known))

    def _place(self, error: SpyreError) -> None:
        """Show the lines of the kernel's own text in an error about them."""
        self._ladder.place(error)

    def _interpreted(
        self, arrays: Mapping[str, object], numerics: str, memory: Mapping[int, object] | None
    ) -> Any:
        """What engine "ktir" reports of a run."""
        program = self._interpreter(numerics)
        scratchpad = scratchpad_bytes(self.device)
        with guarded("run ktir", self._ladder.subject, program.place_of):
            return program.run(arrays, memory=memory, scratchpad=scratchpad)

    def _on_device(
        self,
        arrays: Mapping[str, object],
        engine: str,
        progress: Progress | None,
        knobs: dict[str, Any],
    ) -> Any:
        """What the engine reports of a run of the decoded program."""
        if engine == "checked":
            from spyrelang.driver.partial import run_checked

            with progress_bar(self.name, progress) as report:
                return run_checked(self.executable, arrays, progress=report, **knobs)
        from spyrelang.runtime import execute

        return execute(self.executable, arrays, engine=engine, progress=progress, **knobs)

    def _named(
        self, args: Sequence[object], named: Mapping[str, object], engine: str
    ) -> dict[str, object]:
        """All arguments by name; which ones fit is for the engine's side to say."""
        if len(args) == 1 and not named and isinstance(args[0], Mapping):
            return by_name(args[0])
        if not args:
            return dict(named)
        if self._addresses and len(args) <= len(self._parameters):
            return {**dict(zip(self._parameters, args, strict=False)), **named}
        return self.signature(engine).by_names(args, named)

    def signature(self, engine: str = "fast") -> Signature:
        """What a run in that engine expects of its arguments. Raises SPY4xx where the kernel cannot
        be scheduled on this device, unless the engine is "ktir"."""
        if engine == "ktir":
            return self._interpreter().signature
        from spyrelang.runtime.signature import signature_of

        return signature_of(self.executable)

    def _interpreter(self, numerics: str = "ieee") -> Any:
        if "ktir" not in self.stages:
            raise NO_STAGE.error(stage="ktir", start=self.stages[0])
        if numerics not in self._ktir:
            from spyrelang import interp

            module = self._ladder.module("ktir")
            if not self._ktir:
                self._findings = check_kernel(module, self.name, self.device)
            with guarded("compile ktir", self._ladder.subject):
                self._ktir[numerics] = interp.compile(module, self.name, numerics=numerics)
        return self._ktir[numerics]

    def export(self, path: str | Path, layouts: Mapping[str, Layout] | None = None) -> Path:
        """Write the SpyreCode artifact to directory `path`, replacing an earlier artifact there;
        returns the path. `layouts` are those in which a launch finds tensors on the device, by name
        (see `spyre.layout`; default: row-major). Raises SPY6xx."""
        from spyrelang import spyrecode

        found = self.executable
        if self.fixed:
            found = replace(found, arguments=(*found.arguments, *self.fixed))
        addresses = {a.name: self._addresses[a.name] * _bytes(a.dtype) for a in self.fixed}
        spyrecode.write(found, path, addresses=addresses, layouts=layouts)
        return Path(path)

    def __repr__(self) -> str:
        if self.profile is not None:
            return str(self.profile)
        return f"<Compiled {self.name} for {self.device.name}>"


def _bytes(dtype: str) -> int:
    from spyrelang.semantics import dtypes

    return dtypes.get(dtype).bytes


def by_name(arguments: object) -> dict[str, object]:
    """Arguments given in one mapping. Raises SPY829 for anything else."""
    form = "{name: value}"
    given = _mapping("arguments", form, arguments)
    for name in given:
        if not isinstance(name, str):
            raise NOT_A_MAPPING.error(what="arguments", form=form, got=f"the key {name!r}")
    return dict(given)


def _check_options(options: object) -> None:
    """Raise SPY523 for what are no engine options."""
    from spyrelang.engines import Options
    from spyrelang.errors.engine import BAD_OPTION

    if options is not None and not isinstance(options, Options):
        raise BAD_OPTION.error(what="options", value=options, known="an engines.Options")


def _with_numerics(options: Options | None, numerics: str) -> Options:
    from spyrelang.engines import Options

    return replace(options or Options(), numerics=numerics)


def _mapping(what: str, form: str, given: object) -> Mapping[Any, object]:
    if not isinstance(given, Mapping):
        raise NOT_A_MAPPING.error(what=what, form=form, got=type(given).__name__)
    return given  # pyright: ignore[reportUnknownVariableType]


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise UNKNOWN_ENGINE.error(engine=engine, known=", ".join(ENGINES))


def check_numerics(numerics: str) -> None:
    if numerics not in MODES:
        raise unknown_numerics(numerics, MODES)


__all__ = ["ENGINES", "STAGES", "Compiled", "check_engine", "check_numerics"]
