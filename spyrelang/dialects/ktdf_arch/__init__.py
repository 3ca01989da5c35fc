"""ktdf_arch: device descriptions, memories, units and the datapaths between them."""

from spyrelang.dialects.ktdf_arch.attributes import FEATURE, MapText, features_of, map_entries
from spyrelang.dialects.ktdf_arch.neighbors import NEIGHBOR, NEIGHBORHOOD
from spyrelang.dialects.ktdf_arch.ops import (
    DATAPATH,
    DEVICE,
    EXEC_UNIT,
    GROUP,
    MEMORY,
    PATTERNS,
    SWITCH,
    YIELD,
)

__all__ = [
    "DATAPATH",
    "DEVICE",
    "EXEC_UNIT",
    "FEATURE",
    "GROUP",
    "MEMORY",
    "NEIGHBOR",
    "NEIGHBORHOOD",
    "PATTERNS",
    "SWITCH",
    "YIELD",
    "MapText",
    "features_of",
    "map_entries",
]
