"""What the passes need to know of a device. `device.Device` answers it, and so do the fakes of
the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Target(Protocol):
    """A device as the scheduler sees it. Kinds are strings; sizes are bytes; one core's view."""

    @property
    def name(self) -> str:
        """The device's name."""
        ...

    @property
    def compute_units(self) -> tuple[str, ...]:
        """The unit kinds that compute."""
        ...

    @property
    def cores(self) -> int:
        """The largest number of cores a kernel can run on."""
        ...

    @property
    def corelets(self) -> int:
        """Compute units of one core (corelets)."""
        ...

    def lanes(self, unit: str, dtype: str) -> int:
        """Elements of `dtype` in one vector of `unit`; 0 when it cannot compute on them."""
        ...

    def path(self, source: str, target: str) -> tuple[str, ...]:
        """The shortest way over datapaths, both ends included; () when there is none."""
        ...

    def is_memory(self, kind: str) -> bool:
        """Whether a node of a path is a memory."""
        ...

    @property
    def spaces(self) -> Mapping[str, str]:
        """The memory kinds of the KTIR spaces ("global", "ct_local")."""
        ...

    def capacity(self, memory: str) -> int:
        """Size of one instance of a memory."""
        ...

    def is_per_instance(self, memory: str) -> bool:
        """Whether each compute instance of a core has a memory of this kind of its own."""
        ...

    def can_splat(self, unit: str) -> bool:
        """Whether a load unit can repeat one element over all lanes."""
        ...

    def bandwidth(self, unit: str, memory: str) -> int:
        """Bytes a cycle that `unit` moves to or from `memory`."""
        ...
