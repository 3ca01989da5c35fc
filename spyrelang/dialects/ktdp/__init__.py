"""ktdp: KTIR kernels, memory views, access tiles, loads and stores.

What compute tiles send each other is in `ktdp_transfers`.
"""

from spyrelang.dialects.ktdp.data import LOAD, RUNTIME_ARG_EXTRACT, STORE
from spyrelang.dialects.ktdp.indirect import CONSTRUCT_INDIRECT_ACCESS_TILE, REGION_TERMINATOR
from spyrelang.dialects.ktdp.types import (
    FUTURE,
    TENSOR,
    TILE,
    space_text,
    tile_shape,
    tile_type,
)
from spyrelang.dialects.ktdp.views import (
    CONSTRUCT_ACCESS_TILE,
    CONSTRUCT_DISTRIBUTED_MEMORY_VIEW,
    CONSTRUCT_MEMORY_VIEW,
    GET_COMPUTE_TILE_ID,
)

__all__ = [
    "CONSTRUCT_ACCESS_TILE",
    "CONSTRUCT_DISTRIBUTED_MEMORY_VIEW",
    "CONSTRUCT_INDIRECT_ACCESS_TILE",
    "CONSTRUCT_MEMORY_VIEW",
    "FUTURE",
    "GET_COMPUTE_TILE_ID",
    "LOAD",
    "REGION_TERMINATOR",
    "RUNTIME_ARG_EXTRACT",
    "STORE",
    "TENSOR",
    "TILE",
    "space_text",
    "tile_shape",
    "tile_type",
]
