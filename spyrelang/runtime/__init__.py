"""The simulated device: its memory, running executables on arrays, preparing and launching
artifacts.

Needs no MLIR.
"""

from spyrelang.runtime.device import Device, default_device
from spyrelang.runtime.execute import execute
from spyrelang.runtime.prepared import Prepared, Run, prepare
from spyrelang.runtime.tensor import DeviceTensor, empty, from_numpy

__all__ = [
    "Device",
    "DeviceTensor",
    "Prepared",
    "Run",
    "default_device",
    "empty",
    "execute",
    "from_numpy",
    "prepare",
]
