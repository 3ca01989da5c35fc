"""The text of immutable mappings: `[%k0 -> %v0], [%k1 -> %v1]`."""

from __future__ import annotations

from spyrelang.ir.cursor import Cursor
from spyrelang.ir.pieces import Custom, Draft


def pairs(keys: str, values: str) -> Custom:
    """The piece for key-value pairs held in two operand segments; none is legal."""

    def read(c: Cursor, d: Draft) -> None:
        left, right = d.operands.setdefault(keys, []), d.operands.setdefault(values, [])
        more = c.peek("[")
        while more:
            c.expect("[")
            left.append(c.value())
            c.expect("->")
            right.append(c.value())
            c.expect("]")
            more = c.take(",")

    def write(d: Draft) -> str:
        both = zip(d.operands[keys], d.operands[values], strict=True)
        return ", ".join(f"[{k} -> {v}]" for k, v in both)

    return Custom(read, write, anchor=keys)
