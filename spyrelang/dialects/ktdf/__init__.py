"""ktdf: ScheduleIR, pipelines of stages that move data between memories and FIFOs."""

from spyrelang.dialects.ktdf.indirect import IND_DATA_TRANSFER
from spyrelang.dialects.ktdf.pipelines import (
    PARALLEL,
    PARALLEL_YIELD,
    PIPELINE,
    PRIVATE,
    PRIVATE_YIELD,
    STAGE,
)
from spyrelang.dialects.ktdf.sizes import (
    BUFFER_PHASE,
    CREATE_TOKEN,
    DERIVE_SIZE,
    LINEARIZE_INDEX,
    RESERVE_SIZE,
    SELECT_MEMREF,
)
from spyrelang.dialects.ktdf.transfers import (
    DATA_TRANSFER,
    FIFO_ALLOCATE,
    OPAQUE,
    READ_FROM_FIFO,
    WRITE_TO_FIFO,
)
from spyrelang.dialects.ktdf.types import element_type, slot_of, slot_type

__all__ = [
    "BUFFER_PHASE",
    "CREATE_TOKEN",
    "DATA_TRANSFER",
    "DERIVE_SIZE",
    "FIFO_ALLOCATE",
    "IND_DATA_TRANSFER",
    "LINEARIZE_INDEX",
    "OPAQUE",
    "PARALLEL",
    "PARALLEL_YIELD",
    "PIPELINE",
    "PRIVATE",
    "PRIVATE_YIELD",
    "READ_FROM_FIFO",
    "RESERVE_SIZE",
    "SELECT_MEMREF",
    "STAGE",
    "WRITE_TO_FIFO",
    "element_type",
    "slot_of",
    "slot_type",
]
