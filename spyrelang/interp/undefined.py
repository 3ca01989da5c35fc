"""Integer operations on operands for which MLIR defines no result.

`semantics` gives them a value, the same in every engine; the author hears of it with the line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spyrelang.errors import interp_values as errors
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.frame import Frame
from spyrelang.interp.index_dialect import WIDTH, arith_name
from spyrelang.interp.registry import Op
from spyrelang.interp.values import Array
from spyrelang.semantics.casts import convert
from spyrelang.semantics.dtypes import REGISTRY, DType

Watch = Callable[[list[Any], Any, int, Frame], None]
"""(operands, result, rank without the batch, frame): reports operands without a defined result."""
Mask = Callable[..., Any]


def watch(c: Compiler, op: Op) -> Watch | None:
    """What looks at the operands of an op; None for ops that are defined on all operands."""
    name = arith_name(op)
    make = _MASKS.get(name)
    if make is None:
        return None
    kinds = [c.dtype(_element(v.type), op) for v in (*op.operands, *op.results)]
    mask, place, shown = make(*kinds), c.place(op), op.name

    def look(operands: list[Any], result: Any, rank: int, f: Frame) -> None:
        found = np.asarray(mask(*operands))
        if not found.any():
            return
        found = np.broadcast_to(found, np.broadcast_shapes(found.shape, *map(np.shape, operands)))
        at = np.unravel_index(int(np.argmax(found)), found.shape)
        values = [np.broadcast_to(v, found.shape)[at] for v in operands]
        taken = np.broadcast_to(result, found.shape)[at]
        f.state.warn(
            errors.UNDEFINED_RESULT.error(
                place,
                op=shown,
                operands=" and ".join(map(str, values)),
                value=taken,
                tile=f.tile(int(at[0]) if found.ndim > rank else 0),
            )
        )

    return look


def _element(kind: Any) -> Any:
    return getattr(kind, "element_type", kind)


def _divisor(signed: bool, kind: DType, *_: DType) -> Mask:
    least = -(1 << (kind.bits - 1))

    def mask(a: Array, b: Array) -> Any:
        zero = b == 0
        if not signed or kind.bits == 1:
            return zero
        return zero | ((b == -1) & (a == least))

    return mask


def _amount(kind: DType, *_: DType) -> Mask:
    bits = WIDTH if kind.name == "index" else kind.bits

    def mask(_: Array, by: Array) -> Any:
        return (by < 0) | (by >= bits) if kind.bits > 1 else by

    return mask


def _out_of_range(signed: bool, source: DType, target: DType) -> Mask:
    low = -(1 << (target.bits - 1)) if signed else 0
    high = (1 << (target.bits - signed)) - 1
    decode = convert(source, REGISTRY["f32"]) if source.is_df16 else None

    def mask(a: Array) -> Any:
        whole = np.trunc((decode(a) if decode else a).astype(np.float64))
        return ~((whole >= low) & (whole < float(high + 1)))

    return mask


_MASKS: dict[str, Callable[..., Mask]] = {
    **{f"arith.{n}": partial(_divisor, True) for n in ("divsi", "floordivsi", "ceildivsi")},
    **{f"arith.{n}": partial(_divisor, False) for n in ("divui", "ceildivui", "remsi", "remui")},
    **{f"arith.{n}": _amount for n in ("shli", "shrsi", "shrui")},
    "arith.fptosi": partial(_out_of_range, True),
    "arith.fptoui": partial(_out_of_range, False),
}
