"""KTIR and DataflowIR texts as things to compile and run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from spyrelang import ir
from spyrelang.driver.build import kernel_names, load_device, only_kernel, read_module
from spyrelang.driver.checks import check_device, check_text
from spyrelang.driver.compiled import Compiled
from spyrelang.driver.ladder import Ladder
from spyrelang.driver.run import Run
from spyrelang.errors import SpyreWarning
from spyrelang.errors.driver import NO_KERNEL, not_one_kernel
from spyrelang.language.calls import at_call
from spyrelang.language.tracing import fail


class KtirKernel:
    """One kernel of a KTIR text."""

    def __init__(self, module: ir.Module, name: str) -> None:
        self._module = module
        self.name = name
        self._compiled: dict[str, Compiled] = {}

    def compile(self, *, device: Any = None, profile: str | None = None) -> Compiled:
        """Compile for a device (kept: compiling again for the same one costs nothing). With a
        `profile`, `Compiled.profile` lists what its consumer refuses."""
        with at_call():
            target = load_device(device)
            if target.text not in self._compiled:
                check_device(self._module, self.name, target)
                ladder = Ladder.from_ktir(self._module, self.name, target)
                self._compiled[target.text] = Compiled(ladder)
            return self._compiled[target.text].with_profile(profile)

    def run(
        self,
        args: Mapping[str, object] | None = None,
        *,
        engine: str = "fast",
        device: Any = None,
        memory: Mapping[int, object] | None = None,
        **options: Any,
    ) -> Run:
        """Run it: address arguments take arrays, others scalars; text with constant bases takes
        `memory={address: array}` in elements of the array's dtype. What engine "ktir" finds
        without having to stop is a warning (also in `Run.warnings`)."""
        with at_call():
            compiled = self.compile(device=device)
            return compiled.execute(
                {} if args is None else args, engine=engine, memory=memory, **options
            ).told()

    @cached_property
    def warnings(self) -> tuple[SpyreWarning, ...]:
        """What its text is suspected of, see `load_ktir`."""
        return check_text(self._module, self.name)

    def __repr__(self) -> str:
        return f"<KTIR kernel {self.name}>"


class KtirModule:
    """A KTIR text with its kernels."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.warnings = check_text(module)
        self.kernels = tuple(kernel_names(module))
        self._made: dict[str, KtirKernel] = {}

    def __getitem__(self, name: str) -> KtirKernel:
        """The kernel of that name; raises SPY826."""
        if name not in self.kernels:
            names = ", ".join(self.kernels) or "none"
            fail(NO_KERNEL, name=name, file=self.module.name, names=names)
        return self._made.setdefault(name, KtirKernel(self.module, name))

    def _only(self) -> KtirKernel:
        if len(self.kernels) != 1:
            raise not_one_kernel(self.kernels)
        return self[self.kernels[0]]

    def compile(self, *, device: Any = None, profile: str | None = None) -> Compiled:
        """Compile the only kernel; see `KtirKernel.compile`."""
        with at_call():
            return self._only().compile(device=device, profile=profile)

    def run(self, args: Mapping[str, object] | None = None, **options: Any) -> Run:
        """Run the only kernel; see `KtirKernel.run`."""
        with at_call():
            return self._only().run(args, **options)

    def __repr__(self) -> str:
        return f"<KTIR {self.module.name}: {', '.join(self.kernels)}>"


class DataflowModule:
    """A DataflowIR text, ours or the public scheduler's."""

    def __init__(self, module: ir.Module, device: Any = None) -> None:
        self.module = module
        name = only_kernel(module, "dataflow")
        self.compiled = Compiled(Ladder.from_dataflow(module, name, load_device(device)))

    def run(
        self,
        args: Mapping[str, object] | None = None,
        *,
        memory: Mapping[int, object] | None = None,
        engine: str = "fast",
        **options: Any,
    ) -> Run:
        """Run it; arguments by name, constant addresses through `memory={address: array}`."""
        with at_call():
            return self.compiled.execute(
                {} if args is None else args, engine=engine, memory=memory, **options
            )

    def __repr__(self) -> str:
        return f"<DataflowIR {self.module.name}: {self.compiled.name}>"


def load_ktir(path_or_text: str | Path) -> KtirModule:
    """Read KTIR from a file or text, and check what can be checked without running it; findings
    that leave the meaning unique are warnings (also in `KtirModule.warnings`).

    Raises SPY1xx with the place for text that does not read, SPY560, SPY574 and SPY59x for kernels
    that cannot mean anything.
    """
    with at_call():
        module = KtirModule(read_module(path_or_text))
    for warning in module.warnings:
        warnings.warn(warning, stacklevel=2)
    return module


def load_dataflow(path_or_text: str | Path, device: Any = None) -> DataflowModule:
    """Read DataflowIR from a file or text, for a device (which gives memory sizes, word sizes and
    FIFO depths). Raises SPY1xx with the place."""
    with at_call():
        return DataflowModule(read_module(path_or_text), device)
