"""What a declaration's `verify` hook sees of an op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mlir import ir

from spyrelang.errors import Location, SpyreError
from spyrelang.errors.text import RULE
from spyrelang.ir import scan
from spyrelang.ir.opdef import OpDef
from spyrelang.ir.translate import to_public_text


@lru_cache(maxsize=65536)
def type_text(type: ir.Type) -> str:
    """The public text of a type."""
    return to_public_text(str(type))


@lru_cache(maxsize=65536)
def attr_text(attr: ir.Attribute) -> str:
    """The public text of an attribute (`unit` for the unit attribute)."""
    return to_public_text(str(attr))


class Seen(NamedTuple):
    """What the verifier has read of an op: to ask MLIR again takes longer than most rules do."""

    sizes: Sequence[int]
    values: Sequence[ir.Value]
    types: Sequence[ir.Type]
    results: Sequence[ir.Type]
    attributes: Mapping[str, ir.Attribute | None]


class OpRef:
    """An op with its declaration: values, types and attributes by name.

    `looked_around`: somebody asked for more than its types and declared attributes, so another op
    of the same ones may be judged otherwise.
    """

    __slots__ = ("_op", "_place", "definition", "looked_around", "seen")

    def __init__(
        self, op: ir.Operation, definition: OpDef, seen: Seen, place: Callable[[], Location]
    ) -> None:
        self._op = op
        self.definition = definition
        self.seen = seen
        self._place = place
        self.looked_around = False

    @property
    def op(self) -> ir.Operation:
        """The op in memory."""
        self.looked_around = True
        return self._op

    def _range(self, segment: str) -> slice:
        index, sizes = self.definition.segment(segment), self.seen.sizes
        start = sum(sizes[:index])
        return slice(start, start + sizes[index])

    def operands(self, segment: str) -> list[ir.Value]:
        """The values of a segment."""
        self.looked_around = True
        return list(self.seen.values[self._range(segment)])

    def count(self, segment: str) -> int:
        """How many values a segment has."""
        return self.seen.sizes[self.definition.segment(segment)]

    def types(self, segment: str) -> list[str]:
        """The types of a segment, as public text."""
        return [type_text(t) for t in self.seen.types[self._range(segment)]]

    def operand_types(self) -> list[str]:
        """The types of all operands, as public text."""
        return [type_text(t) for t in self.seen.types]

    def result_types(self) -> list[str]:
        """The types of the results, as public text."""
        return [type_text(t) for t in self.seen.results]

    def has(self, name: str) -> bool:
        """Is the attribute there?"""
        return self._attribute(name) is not None

    def _attribute(self, name: str) -> ir.Attribute | None:
        seen = self.seen.attributes
        return seen[name] if name in seen else self.op.attributes.get(name)

    def text(self, name: str) -> str:
        """The public text of an attribute; its default or an empty text when it is missing."""
        found = self._attribute(name)
        return self.definition.defaults.get(name, "") if found is None else attr_text(found)

    def integer(self, name: str) -> int | None:
        """The value of an integer attribute."""
        return integer_of(self.text(name))

    def items(self, name: str) -> list[str]:
        """The elements of an array attribute, as text."""
        text = self.text(name)
        return scan.split_list(text[1:-1]) if text.startswith("[") else []

    def defining(self, value: ir.Value) -> ir.Operation | None:
        """The op that makes a value; None for a block argument."""
        owner = value.owner
        return None if isinstance(owner, ir.Block) else owner.operation

    def defining_name(self, value: ir.Value) -> str | None:
        """The name of the op that makes a value; None for a block argument."""
        owner = value.owner
        return None if isinstance(owner, ir.Block) else owner.name

    def fail(self, detail: str) -> SpyreError:
        """The error that a rule of the op is broken (to be raised by the caller)."""
        return RULE.error(self._place(), op=self.definition.name, detail=detail)


def integer_of(text: str) -> int | None:
    """The value of an integer attribute's text."""
    head = text.split(" : ", 1)[0].strip()
    if head in ("true", "false"):
        return int(head == "true")
    try:
        return int(head, 0)
    except ValueError:
        return None
