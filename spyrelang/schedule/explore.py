"""`explore`: tile sizes, copies, instances and the dim they share, chosen together.

Candidates are enumerated, judged by the cost model, and the cheapest that fits every memory wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from spyrelang.schedule import cost as costs
from spyrelang.schedule import structure as structures
from spyrelang.schedule.checks import footprint
from spyrelang.schedule.cost import Choice, Cost, Problem
from spyrelang.schedule.model import Program, Sizes
from spyrelang.schedule.place import Reserved, assign, capacity_error, reserved_ranges
from spyrelang.schedule.structure import Structure
from spyrelang.schedule.target import Target

MAX_TILES = 1200
"""Tile shapes tried at most; more dims mean fewer sizes for each."""


def explore(program: Program, device: Target, reserved: Reserved | None = None) -> Program:
    """Decide `sizes`. `reserved`: what the whole kernel pins (default: this program's pins).

    Raises SPY433 when not even the smallest tile fits.
    """
    pins = reserved_ranges([program], device) if reserved is None else reserved
    problem = costs.problem(program, device)
    instances = _instances(program, device)
    for cost, choice in sorted(_ranked(program, problem, instances), key=_preference):
        sized = replace(program, sizes=_sizes(program, choice))
        if assign(sized, structures.levels(sized), device, pins) is not None:
            return replace(sized, sizes=_explained(sized, device, choice, cost))
    smallest = _choices(program, problem, _smallest(program, problem), 1)[-1]
    raise capacity_error(replace(program, sizes=_sizes(program, smallest)), device, pins)


def _instances(program: Program, device: Target) -> int:
    """Instances that can share a tile: all, unless each has a staging memory of its own."""
    staged = {m for i in range(len(program.operands)) for m in structures.staging(program, i)}
    return 1 if any(device.is_per_instance(m) for m in staged) else max(1, device.corelets)


def _preference(item: tuple[Cost, Choice]) -> tuple[float, int, tuple[int, ...]]:
    """Cheap first; then few tiles; then tiles that are long in the inner dims."""
    cost, choice = item
    return float(f"{cost.total:.5g}"), cost.tiles, tuple(-size for size in reversed(choice.tile))


# --- candidates ---------------------------------------------------------------------------------


def _ranked(program: Program, problem: Problem, instances: int) -> Iterator[tuple[Cost, Choice]]:
    for tile in _tiles(program, problem):
        choices = _choices(program, problem, tile, instances)
        parts = costs.parts_of(problem, tile, choices[0].instances, choices[0].split)
        for choice in choices:
            yield costs.evaluate(choice, parts), choice


def _tiles(program: Program, problem: Problem) -> Iterator[tuple[int, ...]]:
    rank = len(problem.extents)
    limit = min(48, max(2, int(MAX_TILES ** (1 / rank))))
    if program.whole_tile:
        limit = 1
    return product(*(_candidates(problem, d, limit) for d in range(rank)))


def _candidates(problem: Problem, dim: int, limit: int) -> tuple[int, ...]:
    """Tile sizes of one dim, largest first: even parts of the extent, at most `limit` of them."""
    grain = problem.lanes if dim == problem.vector else 1
    units = -(-problem.extents[dim] // grain)
    sizes = even_parts(units)
    if len(sizes) > limit:
        sizes = _thinned(sizes, limit)
    return tuple(size * grain for size in sizes)


def even_parts(units: int) -> list[int]:
    """All sizes ceil(units / k), largest first: each cuts `units` into parts that differ least."""
    sizes: list[int] = []
    size = units
    while size >= 1:
        sizes.append(size)
        if size == 1:
            break
        parts = -(-units // (size - 1))
        size = -(-units // parts)
    return sizes


def _thinned(sizes: Sequence[int], limit: int) -> list[int]:
    """At most `limit` of the sizes, spread evenly, with both ends. A size that divides the whole
    takes the place of one about as large that does not."""
    largest = sizes[0]
    if limit == 1:
        return [largest]
    step = largest ** (1 / (limit - 1))
    exact = [size for size in sizes if largest % size == 0]
    kept = {largest, sizes[-1]}
    for number in range(1, limit - 1):
        wanted = largest / step**number
        near, even = (min(s, key=lambda size: _ratio(size, wanted)) for s in (sizes, exact))
        kept.add(even if _ratio(even, wanted) <= 1.1 * step**0.5 else near)
    return sorted(kept, reverse=True)


def _ratio(a: float, b: float) -> float:
    return max(a, b) / min(a, b)


def _choices(
    program: Program, problem: Problem, tile: tuple[int, ...], instances: int
) -> list[Choice]:
    """The ways to run one tile shape: best split, and two copies or one on each side."""
    used, split = best_split(problem, tile, instances)
    loops = any(count > 1 for count in costs.trips(problem, tile)) or bool(program.outer)
    copies = [(True, True), (True, False), (False, True), (False, False)]
    return [Choice(tile, used, split, i, o) for i, o in (copies if loops else copies[-1:])]


def best_split(problem: Problem, tile: Sequence[int], instances: int) -> tuple[int, int]:
    """Instances used and the dim whose points they share, so that the busiest has the fewest;
    among equals the outermost. (1, -1) when there is nothing to share."""
    points = costs.tile_points(problem, tile)
    if instances == 1 or prod(points) == 1:
        return 1, -1
    shares = {d: -(-points[d] // instances) for d in problem.points if points[d] > 1}
    split = min(shares, key=lambda d: prod(points) // points[d] * shares[d])
    return -(-points[split] // shares[split]), split


def _smallest(program: Program, problem: Problem) -> tuple[int, ...]:
    limit = 1 if program.whole_tile else MAX_TILES
    return tuple(_candidates(problem, d, limit)[-1] for d in range(len(problem.extents)))


# --- the result ---------------------------------------------------------------------------------


def _sizes(program: Program, choice: Choice) -> Sizes:
    """The decision; buffers that are filled once have one copy whatever the choice."""
    count = sum(len(structures.staging(program, i)) for i in range(len(program.operands)))
    draft = Sizes(choice.tile, choice.instances, choice.split, (1,) * count)
    structure = structures.levels(replace(program, sizes=draft))
    copies = tuple(2 if _doubled(program, structure, i, choice) else 1 for i in range(count))
    return replace(draft, copies=copies)


def _doubled(program: Program, structure: Structure, index: int, choice: Choice) -> bool:
    buffer = structure.buffers[index]
    role = program.operands[buffer.operand].role
    wanted = choice.double_in if role == "in" else choice.double_out
    return wanted and structures.refilled(structure, buffer.level)


def _explained(program: Program, device: Target, choice: Choice, cost: Cost) -> Sizes:
    assert program.sizes is not None
    return replace(program.sizes, why=(*_why(program, device, choice, cost),))


def _why(program: Program, device: Target, choice: Choice, cost: Cost) -> Iterator[str]:
    structure = structures.levels(program)
    whole = all(size >= dim.extent for size, dim in zip(choice.tile, program.dims, strict=True))
    if program.whole_tile:
        yield "one tile: elements are read and written at different places, so all are read first"
    elif whole:
        yield "one tile covers the whole iteration space"
    else:
        yield f"{cost.tiles} tiles let transfers and computation overlap"
    busiest = max((cost.load, "loading"), (cost.vector, "computing"), (cost.store, "storing"))
    yield f"about {round(cost.total)} cycles per core, most of them {busiest[1]}"
    if choice.split >= 0:
        name = program.dims[choice.split].name or f"d{choice.split}"
        yield f"{choice.instances} instances share the points of {name}"
    elif device.corelets > 1:
        yield "one instance: the tile has a single point"
    for memory, used in footprint(program, structure).items():
        yield f"{used} of {device.capacity(memory)} bytes of {memory} for staging"
    if any(structures.refilled(structure, b.level) and b.copies == 1 for b in structure.buffers):
        yield "some buffers have a single copy, because two do not fit or gain nothing"
