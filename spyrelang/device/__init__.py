"""Device descriptions: loading them, what they say, and running their patterns."""

from spyrelang.device.device import Device
from spyrelang.device.files import shipped
from spyrelang.device.model import Access, Datapath, Granule, Memory, PatternSet, Unit

__all__ = [
    "Access",
    "Datapath",
    "Device",
    "Granule",
    "Memory",
    "PatternSet",
    "Unit",
    "shipped",
]
