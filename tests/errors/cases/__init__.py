"""What raises each code of the catalogue: one module per area, one function per case.

    @raises("SPY287")
    def grid_of_zero() -> None: …

A case makes the mistake through a public entry (only where none reaches the code, through the
lowest function that raises it). The golden file `golden/SPY287.txt` holds what the author then
reads. A second case of a code has a name of its own: `@raises("SPY287", "function")` is compared
with `golden/SPY287-function.txt`.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
