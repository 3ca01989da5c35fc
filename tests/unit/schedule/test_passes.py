"""The passes over many shapes: routes, levels, sizes, addresses."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrelang.affine import Const, Dim
from spyrelang.errors import SpyreError
from spyrelang.schedule import structure as structures
from spyrelang.schedule.checks import footprint, problems
from spyrelang.schedule.describe import describe, describe_kernel
from spyrelang.schedule.explore import even_parts, explore
from spyrelang.schedule.model import Hop, Program
from spyrelang.schedule.nest import nest
from spyrelang.schedule.pipeline import pipeline
from spyrelang.schedule.place import Range, first_fit, place
from spyrelang.schedule.route import route
from spyrelang.schedule.run import STAGES, run

from . import samples
from .samples import FakeDevice, elementwise, kernel

DEVICE = FakeDevice()


def placed(program: Program, device: FakeDevice = DEVICE) -> Program:
    return run(kernel(program), device).programs[0]


# --- each pass -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", samples.SAMPLES)
def test_samples_reach_every_stage(sample: Callable[[], Program]) -> None:
    k = kernel(sample())
    for stage, before in zip(STAGES[1:], STAGES, strict=False):
        k = run(k, DEVICE, upto=stage, after=before)
        assert describe(k.programs[0])
    assert k == run(kernel(sample()), DEVICE)
    assert list(problems(k.programs[0], structures.levels(k.programs[0]))) == []
    assert "bytes of L1" in describe_kernel(k)


def test_passes_change_nothing_else() -> None:
    program = samples.add()
    sized = explore(nest(route(pipeline(program, DEVICE), DEVICE)), DEVICE)
    bare = replace(place(sized, DEVICE), vector=None, routes=None, nest=None)
    assert replace(bare, sizes=None, placement=None) == program


def test_vector_is_the_narrowest_type() -> None:
    program = samples.add()
    wide = tuple(replace(o, dtype="f32") if o.role == "out" else o for o in program.operands)
    vector = pipeline(replace(program, operands=wide), DEVICE).vector
    assert vector is not None
    assert (vector.dim, vector.lanes, vector.unit) == (1, 32, "SFU")


@pytest.mark.parametrize(
    ("extents", "dim"),
    [((4, 128), 1), ((100,), 0), ((2, 4, 32), 2), ((4096, 3, 2), 2), ((1, 64), 1), ((70, 1), 0)],
)
def test_vector_dim(extents: tuple[int, ...], dim: int) -> None:
    vector = pipeline(elementwise(extents), DEVICE).vector
    assert vector is not None
    assert vector.dim == dim


def test_vector_dim_of_a_transposed_tensor() -> None:
    """All operands are stored with the first dim innermost: vectors run along it."""
    program = elementwise((256, 8))
    swapped = tuple(
        replace(o, shape=(8, 256), strides=(256, 1), index=(Dim(1), Dim(0)), origin=(Const(0),) * 2)
        for o in program.operands
    )
    vector = pipeline(replace(program, operands=swapped), DEVICE).vector
    assert vector is not None
    assert vector.dim == 0


def test_pinned_rows_take_whole_vectors() -> None:
    vector = pipeline(samples.local_operand(columns=96), DEVICE).vector
    assert vector is not None
    assert vector.lanes == 32


def test_routes() -> None:
    routes = route(pipeline(samples.local_operand(), DEVICE), DEVICE).routes
    assert routes is not None
    assert routes[0].hops == (Hop("MNILU", "DDR", "L1"), Hop("L1LU", "L1", "SFU"))
    assert routes[1].hops == (Hop("L1LU", "L1", "SFU"),)
    assert routes[2].hops == (Hop("L1SU", "SFU", "L1"), Hop("MNISU", "L1", "DDR"))


DEEP = FakeDevice(
    links=(
        ("DDR", "DMA", "L2", "MOVE", "L1", "L1LU", "SFU"),
        ("SFU", "L1SU", "L1", "MOVE", "L2", "DMA", "DDR"),
    ),
    memories=("DDR", "L2", "L1"),
)


def test_extra_memory_levels_are_extra_hops() -> None:
    program = placed(samples.row_broadcast(), DEEP)
    structure = structures.levels(program)
    assert [b.memory for b in structure.buffers] == ["L2", "L1", "L2", "L1", "L1", "L2"]
    pairs = {(h.producer, h.consumer) for h in structures.handoffs(program, structure)}
    assert pairs == {("DMA", "MOVE"), ("MOVE", "L1LU"), ("L1SU", "MOVE"), ("MOVE", "DMA")}


def test_nest_puts_the_broadcast_inside() -> None:
    assert nest(pipeline(samples.row_broadcast(), DEVICE)).nest.tiles == (1, 0)  # type: ignore[union-attr]
    assert nest(pipeline(samples.column_broadcast(), DEVICE)).nest.tiles == (0, 1)  # type: ignore[union-attr]
    assert nest(pipeline(samples.add(), DEVICE)).nest.tiles == (0, 1)  # type: ignore[union-attr]


def test_broadcast_row_is_loaded_once_per_column_tile() -> None:
    program = placed(samples.row_broadcast(4096, 4096))
    structure = structures.levels(program)
    (row,) = [b for b in structure.buffers if b.name.startswith("row")]
    others = [b for b in structure.buffers if b is not row]
    assert all(b.level == len(structure.loops) for b in others)
    assert row.level < len(structure.loops)
    assert row.dims == (1,)


def test_row_outside_of_the_outer_loop() -> None:
    program = placed(samples.outer_loop())
    structure = structures.levels(program)
    assert [(b.name, b.level, b.copies) for b in structure.buffers] == [
        ("x_l1", 1, 2),
        ("row_l1", 0, 1),
        ("out_l1", 1, 2),
    ]
    assert structure.loops[0].role == "outer"
    assert structure.loops[0].trips is None
    handoffs = structures.handoffs(program, structure)
    assert [(h.producer, h.consumer, h.level, h.copies) for h in handoffs] == [
        ("MNILU", "L1LU", 0, 1),
        ("MNILU", "L1LU", 1, 2),
        ("L1SU", "MNISU", 1, 2),
    ]


def test_scalar_operand_is_one_padded_row() -> None:
    program = placed(samples.scalar_broadcast())
    structure = structures.levels(program)
    buffer = structure.buffers[1]
    assert (buffer.dims, buffer.shape) == ((), ())
    assert structures.padded_shape(program, buffer) == (64,)
    assert [port.splat for port in structure.reads] == [False, True]


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extents", "tile", "split"),
    [
        ((3, 64), (3, 64), 0),
        ((7, 192), (7, 192), 0),
        ((96, 100), (96, 128), 0),
        ((1, 64), (1, 64), -1),
        ((128,), (128,), 0),
        ((2, 3, 5, 70), (2, 3, 5, 128), 0),
    ],
)
def test_small_programs_are_one_tile(
    extents: tuple[int, ...], tile: tuple[int, ...], split: int
) -> None:
    sizes = placed(elementwise(extents)).sizes
    assert sizes is not None
    assert (sizes.tile, sizes.split) == (tile, split)
    assert set(sizes.copies) == {1}
    assert sizes.instances == (1 if split < 0 else 2)


@pytest.mark.parametrize("extents", [(12, 4097), (512, 4096), (1 << 20,), (64, 64, 256)])
def test_large_programs_overlap(extents: tuple[int, ...]) -> None:
    sizes = placed(elementwise(extents)).sizes
    assert sizes is not None
    tiles = [-(-e // t) for e, t in zip(extents, sizes.tile, strict=True)]
    assert 3 <= np.prod(tiles) <= 512
    assert set(sizes.copies) == {2}
    assert sizes.why


def test_whole_tile_is_obeyed() -> None:
    program = replace(elementwise((512, 256)), whole_tile=True)
    sizes = placed(program).sizes
    assert sizes is not None
    assert sizes.tile == (512, 256)
    assert "all are read first" in sizes.why[0]
    with pytest.raises(SpyreError) as caught:
        placed(replace(elementwise((2048, 256)), whole_tile=True))
    assert caught.value.code == "SPY433"


def test_even_parts() -> None:
    assert even_parts(1) == [1]
    assert even_parts(7) == [7, 4, 3, 2, 1]
    for units in range(1, 200):
        parts = {-(-units // k) for k in range(1, units + 1)}
        assert even_parts(units) == sorted(parts, reverse=True)


EXTENTS = st.lists(st.integers(1, 300), min_size=1, max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(
    extents=EXTENTS,
    dtype=st.sampled_from(["f16", "f32"]),
    inputs=st.integers(1, 4),
    kib=st.sampled_from([16, 64, 1024]),
    instances=st.integers(1, 3),
)
def test_any_program_fits_and_is_covered(
    extents: tuple[int, ...], dtype: str, inputs: int, kib: int, instances: int
) -> None:
    device = FakeDevice(l1=kib << 10, corelets=instances)
    program = placed(elementwise(extents, dtype=dtype, inputs=inputs), device)
    structure = structures.levels(program)
    assert footprint(program, structure)["L1"] <= device.l1
    assert list(problems(program, structure)) == []
    assert all(loop.trips != 1 for loop in (*structure.loops, *structure.points))
    for buffer in structure.buffers:
        used = structures.operand_level(program, program.operands[buffer.operand], structure.loops)
        assert buffer.level == used
        assert buffer.copies == 1 or structures.refilled(structure, buffer.level)
    for dim in range(len(extents)):
        assert _covered(program, dim) == [1] * extents[dim]


def _covered(program: Program, dim: int) -> list[int]:
    """How often each coordinate of a dim is visited by tiles, instances, points and lanes."""
    sizes, vector = program.sizes, program.vector
    assert sizes is not None
    assert vector is not None
    extent, size = program.dims[dim].extent, sizes.tile[dim]
    grain = vector.lanes if dim == vector.dim else 1
    assert size % grain == 0
    seen = [0] * extent
    for start in range(0, extent, size):
        elements = min(size, extent - start)
        points = -(-elements // grain)
        share = points
        count = 1
        if dim == sizes.split:
            full = -(-min(size, extent) // grain)
            share, count = -(-full // sizes.instances), sizes.instances
        for i in range(count):
            for p in range(i * share, min(points, (i + 1) * share)):
                for e in range(p * grain, min((p + 1) * grain, elements)):
                    seen[start + e] += 1
    return seen


@settings(max_examples=40, deadline=None)
@given(extents=EXTENTS, instances=st.integers(2, 4))
def test_split_is_balanced(extents: tuple[int, ...], instances: int) -> None:
    """No other dim would leave the busiest instance fewer points."""
    program = placed(elementwise(extents), FakeDevice(corelets=instances))
    sizes, vector = program.sizes, program.vector
    assert sizes is not None
    assert vector is not None
    points = [structures.points(program, d) or 1 for d in range(len(extents))]
    total = int(np.prod(points))
    loads = [total // p * -(-p // instances) for p in points]
    if sizes.split < 0:
        assert total == 1
    else:
        assert loads[sizes.split] == min(loads)
        assert 2 <= sizes.instances <= instances


def test_deterministic() -> None:
    assert placed(elementwise((77, 1000))) == placed(elementwise((77, 1000)))


def test_single_copies_where_two_do_not_fit() -> None:
    """A whole-tile program in a loop: its tile fits once, not twice."""
    program = replace(samples.outer_loop(columns=4096), whole_tile=True)
    room = FakeDevice(l1=3 * 8192 + 8192)
    sizes = placed(program, room).sizes
    assert sizes is not None
    assert sizes.tile == (4096,)
    assert 1 in (sizes.copies[0], sizes.copies[2])
    assert any("single copy" in reason for reason in sizes.why)


# --- addresses -----------------------------------------------------------------------------------


def test_pinned_ranges_are_avoided() -> None:
    program = placed(samples.local_operand())
    structure = structures.levels(program)
    pinned = range(4096, 4096 + 4 * 128 * 2)
    for buffer in structure.buffers:
        assert buffer.address is not None
        end = buffer.address + structures.copy_bytes(program, buffer) * buffer.copies
        assert end <= pinned.start or buffer.address >= pinned.stop
        assert buffer.address % 128 == 0


def test_pins_of_other_programs_are_avoided() -> None:
    pin, other = samples.local_operand(), samples.add()
    pin = replace(
        pin,
        operands=tuple(
            replace(o, base=replace(o.base, constant=0)) if o.name == "pinned" else o
            for o in pin.operands
        ),
    )
    both = replace(kernel(pin), programs=(pin, other))
    placement = run(both, DEVICE).programs[1].placement
    assert placement is not None
    assert min(placement.addresses) >= 1024


def test_first_fit() -> None:
    taken = [Range(128, 256), Range(512, 600)]
    assert first_fit([128, 256, 128], taken, 2048, [(0, 0)] * 3) == (0, 256, 640)
    assert first_fit([128, 512], taken, 1000, [(0, 0)] * 2) is None
    apart = [(0, 0), (1, 1)]
    assert first_fit([512, 512], [], 512, apart) == (0, 0)


@given(
    sizes=st.lists(st.integers(1, 8).map(lambda n: n * 128), max_size=6),
    taken=st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 300)), max_size=4),
)
def test_first_fit_never_overlaps(sizes: list[int], taken: list[tuple[int, int]]) -> None:
    ranges = [Range(start, start + length) for start, length in taken]
    found = first_fit(sizes, ranges, 1 << 20, [(0, 0)] * len(sizes))
    assert found is not None
    own = [Range(a, a + s) for a, s in zip(found, sizes, strict=True)]
    assert not any(a.meets(b) for a, b in itertools.combinations(own, 2))
    assert not any(a.meets(b) for a in own for b in ranges)


def test_checks_fire() -> None:
    program = placed(samples.add())
    assert program.placement is not None
    structure = structures.levels(program)
    clash = replace(program, placement=replace(program.placement, addresses=(0, 128, 2048)))
    assert any("overlap" in p for p in problems(clash, structures.levels(clash)))
    odd = replace(program, placement=replace(program.placement, addresses=(1, 1280, 4096)))
    assert any("aligned" in p for p in problems(odd, structures.levels(odd)))
    swapped = replace(structure, reads=structure.reads[::-1])
    assert any("FIFO" in p for p in problems(program, swapped))
    large = placed(elementwise((512, 4096)))
    assert large.sizes is not None
    mixed = replace(large, sizes=replace(large.sizes, copies=(1, 2, 2)))
    assert any("copies" in p for p in problems(mixed, structures.levels(mixed)))


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "program", "device"),
    [
        ("SPY422", samples.local_operand(), DEVICE),
        ("SPY430", elementwise((4, 64), dtype="f64"), DEVICE),
        ("SPY431", samples.add(), FakeDevice(links=())),
        ("SPY431", samples.add(), FakeDevice(links=(("DDR", "SFU"), ("SFU", "DDR")))),
        ("SPY432", samples.column_broadcast(), FakeDevice(splat=False)),
        ("SPY433", samples.add(), FakeDevice(l1=256)),
        ("SPY434", samples.local_operand(), FakeDevice(l1=4096)),
        ("SPY435", samples.add(cores=64), DEVICE),
    ],
)
def test_refused(code: str, program: Program, device: FakeDevice) -> None:
    if code == "SPY422":
        operands = tuple(replace(o, ct=1) if o.memory == "L1" else o for o in program.operands)
        program = replace(program, operands=operands)
    with pytest.raises(SpyreError) as caught:
        placed(program, device)
    assert caught.value.code == code
    assert caught.value.hint


def test_own_scratchpad_by_number() -> None:
    program = samples.local_operand()
    operands = tuple(replace(o, ct=0) if o.memory == "L1" else o for o in program.operands)
    placed(replace(program, operands=operands, grid=(1,)))


def test_unknown_stage() -> None:
    with pytest.raises(SpyreError) as caught:
        run(kernel(samples.add()), DEVICE, upto="place")
    assert caught.value.code == "SPY820"
