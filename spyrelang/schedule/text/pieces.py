"""Pipelines, stages and transfers as ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spyrelang.ir.emit import Emitter, map_text
from spyrelang.ir.index import Index, Value, subscripts
from spyrelang.schedule.text.prologue import DYNAMIC

Count = int | Value
TOKEN = "!ktdf.token"


@dataclass(frozen=True)
class End:
    """One end of a `ktdf.data_transfer`. A FIFO slot has no `start`; `sizes` are ints or values."""

    value: Value
    type: str
    sizes: tuple[Count, ...]
    start: tuple[Index, ...] | None = None


def data_transfer(emitter: Emitter, source: End, target: End, splat: bool = False) -> None:
    """Append the transfer; `splat` spreads one element over a whole slot."""
    attributes: dict[str, str] = {}
    operands: list[Value] = []
    segments: list[int] = []
    for name, end in (("source", source), ("dest", target)):
        values: tuple[Value, ...] = ()
        if end.start is not None:
            values, exprs = subscripts(end.start)
            attributes[f"{name}_map"] = map_text(len(values), exprs)
        dynamic = [n for n in end.sizes if not isinstance(n, int)]
        static = [n if isinstance(n, int) else DYNAMIC for n in end.sizes]
        attributes[f"static_{name}_sizes"] = f"array<i64: {', '.join(map(str, static))}>"
        operands += [end.value, *values, *dynamic]
        segments += [1, len(values), len(dynamic)]
    attributes["operandSegmentSizes"] = f"array<i32: {', '.join(map(str, segments))}>"
    if splat:
        attributes["transfer_mode"] = '"splat"'
    emitter.op("ktdf.data_transfer", operands, attributes)


def slot_text(source: str, target: str, lanes: int, dtype: str) -> str:
    return f'!ktdf.fifo.slot<"{source}" -> "{target}", {lanes}x{dtype}>'


@dataclass
class Pipe:
    """A `ktdf.pipeline` under construction: its private resources, then its stages in order."""

    emitter: Emitter
    modulo: int = 0
    _types: list[str] = field(default_factory=list)
    _makers: list[Callable[[Emitter], Value]] = field(default_factory=list)
    _slots: dict[tuple[str, str], list[tuple[int, str]]] = field(default_factory=dict)

    def resource(self, type_text: str, make: Callable[[Emitter], Value]) -> int:
        """Ask for a private value; returns its result number."""
        self._types.append(type_text)
        self._makers.append(make)
        return len(self._types) - 1

    def slot(self, source: str, target: str, lanes: int, dtype: str) -> int:
        """Ask for a FIFO slot; slots of one pair of units come from one allocation."""
        text = slot_text(source, target, lanes, dtype)
        number = self.resource(text, lambda _: None)
        self._slots.setdefault((source, target), []).append((number, text))
        return number

    def token(self) -> int:
        return self.resource(TOKEN, lambda e: e.value("ktdf.create_token", (), None, TOKEN))

    def open(self) -> None:
        """Write the pipeline's head; resources are fixed from here on."""
        attributes = {"modulo": f"{self.modulo} : i64"} if self.modulo else None
        op = self.emitter.op("ktdf.pipeline", (), attributes, regions=1)
        self.body = self.emitter.inside(op.regions[0].blocks.append())
        self.values: list[Value] = []
        if self._types:
            private = self.body.op("ktdf.private", (), None, self._types, 1)
            self._private(self.body.inside(private.regions[0].blocks.append()))
            self.values = list(private.results)

    def _private(self, inside: Emitter) -> None:
        made: dict[int, Value] = {}
        firsts = {slots[0][0]: slots for slots in self._slots.values()}
        for number, maker in enumerate(self._makers):
            if number in firsts:
                slots = firsts[number]
                op = inside.op("ktdf.fifo.allocate", (), None, [text for _, text in slots])
                made.update(zip((n for n, _ in slots), op.results, strict=True))
            elif number not in made:
                made[number] = maker(inside)
        inside.op("ktdf.private_yield", [made[n] for n in range(len(self._types))])

    def stage(
        self, units: Sequence[str] | None, depends_in: Sequence[int], depends_out: Sequence[int]
    ) -> Emitter:
        """Append a stage; the tokens are result numbers of the private op."""
        tokens = [self.values[n] for n in (*depends_in, *depends_out)]
        attributes = {"operandSegmentSizes": f"array<i32: {len(depends_in)}, {len(depends_out)}>"}
        if units is not None:
            names = ", ".join(f'"{unit}"' for unit in units)
            attributes["applicable_units"] = f"[{names}]"
        op = self.body.op("ktdf.stage", tokens, attributes, regions=1)
        return self.body.inside(op.regions[0].blocks.append())


def chain(pipe: Pipe, stages: int) -> list[tuple[list[int], list[int]]]:
    """Tokens that put `stages` stages in line: (depends_in, depends_out) of each."""
    tokens = [pipe.token() for _ in range(stages - 1)]
    return [
        ([tokens[n - 1]] if n else [], [tokens[n]] if n < stages - 1 else []) for n in range(stages)
    ]


def point_loop(
    emitter: Emitter, zero: Value, upper: Value, one: Value, role: str, dim: int
) -> tuple[Index, Emitter]:
    """`scf.for 0 to upper step 1`, marked with its role and the program dim it walks."""
    attributes = {
        "loop_role": f'"{role}"',
        "loop_type": "#ktdf.loop_type<parallel_loop>",
        "spyrelang.dim": f"{dim} : i64",
    }
    op = emitter.op("scf.for", [zero, upper, one], attributes, regions=1)
    block = emitter.block(op, ["index"])
    return Index.of(block.arguments[0]), emitter.inside(block)
