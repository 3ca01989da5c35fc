"""What is known of the kernel's arguments: from their attributes, or from how they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir

from spyrelang.errors import Location
from spyrelang.errors.engine import STRUCTURE
from spyrelang.ir.values import pairs
from spyrelang.isa import program as p
from spyrelang.isa.decode import text
from spyrelang.isa.visit import instructions

_PREFIX = "spyrelang."


def arguments(
    function: ir.Operation,
    programs: Sequence[p.Program],
    symbols: Sequence[p.SymbolValue],
    memories: Sequence[p.Memory],
) -> tuple[p.Argument, ...]:
    """One entry for each argument of the kernel function."""
    given = function.attributes.get("arg_attrs", None)
    entries = list(given) if isinstance(given, ir.ArrayAttr) else []
    uses = _uses(programs, symbols, memories)
    result: list[p.Argument] = []
    for number, argument in enumerate(function.regions[0].blocks[0].arguments):
        known = _dictionary(entries[number]) if number < len(entries) else {}
        result.append(_argument(number, argument, known, uses.get(-number - 1, (set(), ""))))
    return tuple(result)


def no_share(function: ir.Operation, where: Location | None) -> tuple[tuple[int, int], ...]:
    """Pairs of arguments that must not share memory, as the scheduler noted them. Raises SPY535
    where the note is something else."""
    found = pairs(function, "spyrelang.no_share", len(function.regions[0].blocks[0].arguments))
    if found is None:
        reason = "spyrelang.no_share holds no pairs of arguments"
        raise STRUCTURE.error(where, reason=reason)
    return found


def _argument(
    number: int, argument: ir.BlockArgument, known: dict[str, object], use: tuple[set[str], str]
) -> p.Argument:
    directions, dtype = use
    role = "inout" if len(directions) == 2 else next(iter(directions), "index")
    return p.Argument(
        str(known.get("name") or _name(argument) or f"arg{number}"),
        str(known.get("role", role)),
        str(known.get("dtype", dtype or "index")),
        _integers(known.get("shape")),
        _integers(known.get("strides")),
    )


def _dictionary(attr: ir.Attribute) -> dict[str, object]:
    """The spyrelang entries of an argument's attributes, without the prefix."""
    entries = ir.DictAttr(attr)
    return {
        entry.name.removeprefix(_PREFIX): text.value_of(entry.attr)
        for entry in entries
        if entry.name.startswith(_PREFIX)
    }


def _integers(value: object) -> tuple[int, ...]:
    entries = value if isinstance(value, tuple) else ()
    return tuple(v for v in entries if isinstance(v, int))


def _name(argument: ir.BlockArgument) -> str | None:
    """The name in the argument's location, where the reader kept it."""
    where = argument.location
    return str(where.name_str) if where.is_a_name() else None


def _uses(
    programs: Sequence[p.Program], symbols: Sequence[p.SymbolValue], memories: Sequence[p.Memory]
) -> dict[int, tuple[set[str], str]]:
    """For each input symbol: "in" and "out" as its memory is read and written, and its type."""
    bases = {s.id: s.inputs for s in symbols}
    found: dict[int, tuple[set[str], str]] = {}
    for program in programs:
        for unit in program.units:
            for symbol, direction, dtype in _touched(unit.body, memories):
                for source in bases.get(symbol, (symbol,)):
                    found.setdefault(source, (set(), dtype))[0].add(direction)
    return found


def _touched(
    body: tuple[p.Instr, ...], memories: Sequence[p.Memory]
) -> Iterator[tuple[int, str, str]]:
    """(symbol, direction, element type) of every access through a view that starts at a symbol."""
    code = list(instructions(body))
    starts = {i.dst: i.ids for i in code if isinstance(i, p.Symbol)}
    views = {
        i.dst: (starts[i.start], i.dtype)
        for i in code
        if isinstance(i, p.View) and i.start in starts and memories[i.memories[0]].scope == "device"
    }
    for i in code:
        ends: list[tuple[int, str]] = []
        if isinstance(i, p.Load):
            ends = [(i.access.view, "in")]
        elif isinstance(i, p.Store):
            ends = [(i.access.view, "out")]
        elif isinstance(i, p.Transfer):
            ends = [(i.source.view, "in"), (i.target.view, "out")]
        for view, direction in ends:
            if view in views:
                ids, dtype = views[view]
                for symbol in ids:
                    yield symbol, direction, dtype
