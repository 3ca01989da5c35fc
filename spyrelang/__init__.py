"""spyrelang: write, schedule, run and export kernels for the Spyre dataflow accelerator.

    import spyrelang as spyre              # kernels, devices, checking, artifacts
    import spyrelang.language as spy       # what stands inside a kernel

MLIR is imported when something needs it, not with this package.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spyrelang.errors import SpyreError, SpyreWarning

if TYPE_CHECKING:
    from spyrelang import runtime
    from spyrelang.device import Device
    from spyrelang.driver.build import resume
    from spyrelang.driver.compiled import Compiled
    from spyrelang.driver.kernel import Kernel, kernel
    from spyrelang.driver.load import DataflowModule, KtirModule, load_dataflow, load_ktir
    from spyrelang.driver.run import Run
    from spyrelang.frontend import TensorSpec
    from spyrelang.frontend import tensor_spec as spec
    from spyrelang.runtime import DeviceTensor, Prepared
    from spyrelang.semantics.df16 import from_df16, to_df16
    from spyrelang.spyrecode.layout import Layout, layout
    from spyrelang.testing import CheckResult, check

__version__ = "0.1.0"

__all__ = [
    "CheckResult",
    "Compiled",
    "DataflowModule",
    "Device",
    "DeviceTensor",
    "Kernel",
    "KtirModule",
    "Layout",
    "Prepared",
    "Run",
    "SpyreError",
    "SpyreWarning",
    "TensorSpec",
    "check",
    "from_df16",
    "kernel",
    "layout",
    "load_dataflow",
    "load_ktir",
    "resume",
    "runtime",
    "spec",
    "to_df16",
]

_HOMES = {
    "CheckResult": "spyrelang.testing",
    "Compiled": "spyrelang.driver.compiled",
    "DataflowModule": "spyrelang.driver.load",
    "Device": "spyrelang.device",
    "DeviceTensor": "spyrelang.runtime",
    "Kernel": "spyrelang.driver.kernel",
    "KtirModule": "spyrelang.driver.load",
    "Layout": "spyrelang.spyrecode.layout",
    "Prepared": "spyrelang.runtime",
    "Run": "spyrelang.driver.run",
    "TensorSpec": "spyrelang.frontend",
    "check": "spyrelang.testing",
    "from_df16": "spyrelang.semantics.df16",
    "kernel": "spyrelang.driver.kernel",
    "layout": "spyrelang.spyrecode.layout",
    "load_dataflow": "spyrelang.driver.load",
    "load_ktir": "spyrelang.driver.load",
    "resume": "spyrelang.driver.build",
    "runtime": "spyrelang.runtime",
    "spec": "spyrelang.frontend",
    "to_df16": "spyrelang.semantics.df16",
}
_OTHER_NAMES = {"spec": "tensor_spec"}
_MODULES = {"runtime"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'spyrelang' has no attribute '{name}'")
    module = importlib.import_module(home)
    value = module if name in _MODULES else getattr(module, _OTHER_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
