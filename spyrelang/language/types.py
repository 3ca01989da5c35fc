"""The element types of the language."""

from __future__ import annotations

from spyrelang.errors import SpyreError
from spyrelang.errors import trace as errors
from spyrelang.language.tracing import fail
from spyrelang.semantics.dtypes import DType, get, parse

f16 = get("f16")
bf16 = get("bf16")
f32 = get("f32")
i1 = get("i1")
i8 = get("i8")
i16 = get("i16")
i32 = get("i32")
i64 = get("i64")
index = get("index")
df16 = get("df16")

_USABLE = (f16, bf16, f32, i1, i8, i16, i32, i64, index, df16)


def element_type(dtype: object) -> DType:
    """The type an author names for values; refuses what kernels cannot compute with."""
    try:
        found = parse(dtype)
    except SpyreError:
        fail(errors.ELEMENT_TYPE, dtype=dtype)
    if found not in _USABLE:
        fail(errors.ELEMENT_TYPE, dtype=found)
    return found
