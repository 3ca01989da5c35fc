"""`split` on hand-written KTIR: what programs come out, and that they compute the right numbers."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang.affine import Const, Dim, Sym
from spyrelang.errors import SpyreError
from spyrelang.schedule.model import CallProgram, OrchestratorLoop

from .ktir import execute, kernel, load, programs, store, view

RNG = np.random.default_rng(7)


def data(*shape: int) -> np.ndarray:
    return RNG.integers(-8, 8, shape).astype(np.float16)


def tensor(*shape: int, dtype: str = "f16") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def binary(name: str, result: str, a: str, b: str, *shape: int) -> str:
    t = tensor(*shape)
    return (
        f"%{result}_e = tensor.empty() : {t}\n"
        f"    %{result} = linalg.{name} ins(%{a}, %{b} : {t}, {t}) outs(%{result}_e : {t}) -> {t}"
    )


def add_text(rows: int = 4, columns: int = 128, cores: int = 2) -> str:
    shape, part = (rows * cores, columns), (rows, columns)
    return kernel(
        "a b out",
        "%id = ktdp.get_compute_tile_id : index",
        f"%n = arith.constant {rows} : index",
        "%r = arith.muli %id, %n : index",
        view("av", "%a", shape),
        view("bv", "%b", shape),
        view("ov", "%out", shape),
        load("x", "av", shape, "%r, %c0", part),
        load("y", "bv", shape, "%r, %c0", part),
        binary("add", "z", "x", "y", *part),
        store("z", "ov", shape, "%r, %c0", part),
        grid=(cores,),
    )


def test_add_is_one_program() -> None:
    k = programs(add_text())
    (p,) = k.programs
    assert [d.extent for d in p.dims] == [4, 128]
    assert [(o.name, o.role) for o in p.operands] == [
        ("arg0", "in"),
        ("arg1", "in"),
        ("arg2", "out"),
    ]
    assert p.operands[0].origin == (Sym(0) * 4, Const(0))
    assert p.operands[0].index == (Dim(0), Dim(1))
    assert [op.name for op in p.body.ops] == ["arith.addf"]
    assert k.orchestrator == (CallProgram(0, (0, 1, 2), ()),)
    assert [(q.role, q.dtype, q.shape) for q in k.params] == [
        ("in", "f16", (8, 128)),
        ("in", "f16", (8, 128)),
        ("out", "f16", (8, 128)),
    ]
    assert p.location is not None
    assert p.body.ops[0].location is not None


@pytest.mark.parametrize(("rows", "columns", "cores"), [(1, 64, 1), (3, 7, 2), (5, 100, 3)])
def test_add_computes(rows: int, columns: int, cores: int) -> None:
    a, b = data(rows * cores, columns), data(rows * cores, columns)
    out = np.zeros_like(a)
    execute(add_text(rows, columns, cores), a, b, out)
    assert np.array_equal(out, a + b)


def test_dims_of_length_one_are_dropped() -> None:
    (p,) = programs(add_text(rows=1)).programs
    assert [d.extent for d in p.dims] == [128]
    assert p.operands[0].index == (Const(0), Dim(0))


def test_single_element() -> None:
    (p,) = programs(add_text(rows=1, columns=1, cores=1)).programs
    assert [d.extent for d in p.dims] == [1]
    assert p.operands[-1].index[-1] == Dim(0)


def test_names_and_roles_of_arguments() -> None:
    text = add_text().replace("%a: index", '%a: index {spyrelang.name = "left"}', 1)
    text = text.replace("%out: index", '%out: index {spyrelang.role = "inout"}', 1)
    k = programs(text)
    assert k.params[0].name == "left"
    assert k.params[2].role == "inout"
    assert k.programs[0].operands[0].name == "left"


@pytest.mark.parametrize(
    ("shape", "extents"), [((2, 4, 32), [2, 128]), ((6, 2), [12]), ((3, 5, 64), [3, 5, 64])]
)
def test_short_inner_dims_are_joined(shape: tuple[int, ...], extents: list[int]) -> None:
    zeros = ", ".join(["%c0"] * len(shape))
    text = kernel(
        "a out",
        view("av", "%a", shape),
        view("ov", "%out", shape),
        load("x", "av", shape, zeros, shape),
        f"%z = arith.addf %x, %x : {tensor(*shape)}",
        store("z", "ov", shape, zeros, shape),
    )
    a, out = data(*shape), np.zeros(shape, np.float16)
    (p,) = execute(text, a, out).programs
    assert [d.extent for d in p.dims] == extents
    assert np.array_equal(out, a + a)


def test_broadcast_and_partial_rows_are_not_joined() -> None:
    """Rows of 4 out of 5 have gaps; a row operand varies along one of the dims only."""
    shape, part = (3, 5), (3, 4)
    text = kernel(
        "a out",
        view("av", "%a", shape),
        view("ov", "%out", part),
        load("x", "av", shape, "%c0, %c1", part),
        store("x", "ov", part, "%c0, %c0", part),
    )
    a, out = data(*shape), np.zeros(part, np.float16)
    (p,) = execute(text, a, out).programs
    assert [d.extent for d in p.dims] == [3, 4]
    assert np.array_equal(out, a[:, 1:])
    (p,) = programs(unary_text(*[SPELLINGS["broadcast"][0]])).programs
    assert [d.extent for d in p.dims] == [3, 40]


# --- element-wise spellings ----------------------------------------------------------------------

SHAPE = (3, 40)
T = tensor(*SHAPE)
VECTOR = tensor(40)


def unary_text(*lines: str) -> str:
    """out = f(a, b, row), where `lines` define %z from %x, %y and %row."""
    return kernel(
        "a b row out",
        view("av", "%a", SHAPE),
        view("bv", "%b", SHAPE),
        view("rv", "%row", (40,)),
        view("ov", "%out", SHAPE),
        load("x", "av", SHAPE, "%c0, %c0", SHAPE),
        load("y", "bv", SHAPE, "%c0, %c0", SHAPE),
        load("v", "rv", (40,), "%c0", (40,)),
        f"%e = tensor.empty() : {T}",
        *lines,
        store("z", "ov", SHAPE, "%c0, %c0", SHAPE),
    )


ID = "affine_map<(d0, d1) -> (d0, d1)>"
ROW = "affine_map<(d0, d1) -> (d1)>"
PARALLEL = 'iterator_types = ["parallel", "parallel"]'

SPELLINGS = {
    "named": (f"%z = linalg.sub ins(%x, %y : {T}, {T}) outs(%e : {T}) -> {T}", "x - y"),
    "same value twice": (f"%z = linalg.add ins(%x, %x : {T}, {T}) outs(%e : {T}) -> {T}", "x + x"),
    "tensor arith": (f"%z = arith.mulf %x, %y : {T}", "x * y"),
    "tensor math": (f"%z = math.absf %x : {T}", "abs(x)"),
    "unary named": (f"%z = linalg.negf ins(%x : {T}) outs(%e : {T}) -> {T}", "-x"),
    "maximum": (
        f"%z = linalg.max ins(%x, %y : {T}, {T}) outs(%e : {T}) -> {T}",
        "np.maximum(x, y)",
    ),
    "copy": ("%z = tensor.cast %x : " + f"{T} to {T}", "x"),
    "linalg.copy": (f"%z = linalg.copy ins(%x : {T}) outs(%e : {T}) -> {T}", "x"),
    "generic": (
        f"%z = linalg.generic {{indexing_maps = [{ID}, {ROW}, {ID}], {PARALLEL}}} "
        f"ins(%x, %v : {T}, {VECTOR}) outs(%e : {T}) {{\n"
        "    ^bb0(%p: f16, %q: f16, %o: f16):\n"
        "      %k = arith.constant 2.0 : f16\n"
        "      %s = arith.addf %p, %q : f16\n"
        "      %m = arith.mulf %s, %k : f16\n"
        f"      linalg.yield %m : f16\n    }} -> {T}",
        "(x + row) * 2",
    ),
    "init is read": (
        f"%z = linalg.generic {{indexing_maps = [{ID}, {ID}], {PARALLEL}}} "
        f"ins(%x : {T}) outs(%y : {T}) {{\n"
        "    ^bb0(%p: f16, %o: f16):\n"
        "      %s = arith.subf %o, %p : f16\n"
        f"      linalg.yield %s : f16\n    }} -> {T}",
        "y - x",
    ),
    "fill": (
        "%k = arith.constant 3.0 : f16\n"
        f"    %f = linalg.fill ins(%k : f16) outs(%e : {T}) -> {T}\n"
        f"    %z = linalg.mul ins(%x, %f : {T}, {T}) outs(%e : {T}) -> {T}",
        "x * 3",
    ),
    "dense splat": (
        f"%f = arith.constant dense<0.5> : {T}\n    %z = arith.mulf %x, %f : {T}",
        "x * np.float16(0.5)",
    ),
    "tensor.splat": (
        f"%k = arith.constant 4.0 : f16\n    %f = tensor.splat %k : {T}\n"
        f"    %z = arith.addf %x, %f : {T}",
        "x + 4",
    ),
    "broadcast": (
        f"%w = linalg.broadcast ins(%v : {VECTOR}) outs(%e : {T}) dimensions = [0]\n"
        f"    %z = linalg.add ins(%x, %w : {T}, {T}) outs(%e : {T}) -> {T}",
        "x + row",
    ),
    "map": (
        f"%z = linalg.map {{ arith.mulf }} ins(%x, %y : {T}, {T}) outs(%e : {T})",
        "x * y",
    ),
    "transposed twice": (
        f"%te = tensor.empty() : {tensor(40, 3)}\n"
        f"    %t = linalg.transpose ins(%x : {T}) outs(%te : {tensor(40, 3)}) "
        f"permutation = [1, 0]\n"
        f"    %z = linalg.transpose ins(%t : {tensor(40, 3)}) outs(%e : {T}) permutation = [1, 0]",
        "x",
    ),
    "expand and collapse": (
        f"%u = tensor.expand_shape %x [[0, 1], [2]] output_shape [3, 1, 40] "
        f": {T} into {tensor(3, 1, 40)}\n"
        f"    %z = tensor.collapse_shape %u [[0, 1], [2]] : {tensor(3, 1, 40)} into {T}",
        "x",
    ),
    "select": (
        f"%c = arith.cmpf olt, %x, %y : {T}\n"
        f"    %z = arith.select %c, %x, %y : tensor<3x40xi1>, {T}",
        "np.where(x < y, x, y)",
    ),
    "wider inside": (
        f"%xw = arith.extf %x : {T} to {tensor(*SHAPE, dtype='f32')}\n"
        f"    %s = arith.mulf %xw, %xw : {tensor(*SHAPE, dtype='f32')}\n"
        f"    %z = arith.truncf %s : {tensor(*SHAPE, dtype='f32')} to {T}",
        "x * x",
    ),
    "slice": (
        f"%s = tensor.extract_slice %y[1, 0] [1, 40] [1, 1] : {T} to {VECTOR}\n"
        f"    %w = linalg.broadcast ins(%s : {VECTOR}) outs(%e : {T}) dimensions = [0]\n"
        f"    %z = arith.addf %x, %w : {T}",
        "x + y[1]",
    ),
    "reused value": (
        f"%s = arith.addf %x, %y : {T}\n    %m = arith.mulf %s, %s : {T}\n"
        f"    %z = arith.subf %m, %s : {T}",
        "(x + y) * (x + y) - (x + y)",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling(name: str) -> None:
    lines, expected = SPELLINGS[name]
    x, y, row = data(*SHAPE), data(*SHAPE), data(40)
    out = np.full(SHAPE, 99, np.float16)
    k = execute(unary_text(lines), x, y, row, out)
    assert len(k.programs) == 1
    wanted = eval(expected, {"np": np, "x": x, "y": y, "row": row})
    assert np.array_equal(out, np.broadcast_to(wanted, SHAPE))


def test_equal_values_are_computed_once() -> None:
    lines = (
        f"%s = arith.addf %x, %y : {T}\n    %t = arith.addf %x, %y : {T}\n"
        f"    %z = arith.mulf %s, %t : {T}"
    )
    (p,) = programs(unary_text(lines)).programs
    assert [op.name for op in p.body.ops] == ["arith.addf", "arith.mulf"]
    assert p.body.ops[1].operands == (2, 2)


def test_long_chains_do_not_overflow() -> None:
    lines = [f"%v0 = arith.addf %x, %y : {T}"]
    lines += [f"%v{i + 1} = arith.mulf %v{i}, %y : {T}" for i in range(3000)]
    text = unary_text(*lines, f"%z = arith.addf %v3000, %x : {T}")
    (p,) = programs(text).programs
    assert len(p.body.ops) == 3002


def test_generic_with_two_results() -> None:
    lines = (
        f"%z, %w = linalg.generic {{indexing_maps = [{ID}, {ROW}, {ID}, {ID}], {PARALLEL}}} "
        f"ins(%x, %v : {T}, {VECTOR}) outs(%e, %e : {T}, {T}) {{\n"
        "    ^bb0(%p: f16, %q: f16, %o: f16, %u: f16):\n"
        "      %s = arith.addf %p, %q : f16\n"
        "      %m = arith.mulf %s, %q : f16\n"
        f"      linalg.yield %s, %m : f16, f16\n    }} -> ({T}, {T})"
    )
    text = unary_text(lines, store("w", "bv", SHAPE, "%c0, %c0", SHAPE))
    x, y, row = data(*SHAPE), data(*SHAPE), data(40)
    out = np.zeros(SHAPE, np.float16)
    (p,) = execute(text, x, y, row, out).programs
    assert np.array_equal(out, x + row)
    assert np.array_equal(y, (x + row) * row)
    assert [op.name for op in p.body.ops] == ["arith.addf", "arith.mulf"]


def test_captured_scalars() -> None:
    lines = (
        "%k = arith.constant 2.0 : f16\n    %h = arith.mulf %k, %k : f16\n"
        f"    %z = linalg.generic {{indexing_maps = [{ID}, {ID}], {PARALLEL}}} "
        f"ins(%x : {T}) outs(%e : {T}) {{\n    ^bb0(%p: f16, %o: f16):\n"
        "      %s = arith.mulf %p, %h : f16\n"
        f"      linalg.yield %s : f16\n    }} -> {T}"
    )
    x, y, row = data(*SHAPE), data(*SHAPE), data(40)
    out = np.zeros(SHAPE, np.float16)
    execute(unary_text(lines), x, y, row, out)
    assert np.array_equal(out, x * 4)


def test_transposed_load() -> None:
    shape, back = (6, 10), (10, 6)
    text = kernel(
        "a out",
        view("av", "%a", back),
        view("ov", "%out", shape),
        load("x", "av", back, "%c0, %c0", back),
        f"%e = tensor.empty() : {tensor(*shape)}",
        f"%z = linalg.transpose ins(%x : {tensor(*back)}) outs(%e : {tensor(*shape)}) "
        "permutation = [1, 0]",
        store("z", "ov", shape, "%c0, %c0", shape),
    )
    a, out = data(*back), np.zeros(shape, np.float16)
    k = execute(text, a, out)
    assert np.array_equal(out, a.T)
    assert k.programs[0].operands[0].index == (Dim(1), Dim(0))
    assert k.no_share == ((0, 1),)


def test_in_place_copy_may_share() -> None:
    assert programs(add_text()).no_share == ()


def test_zero_rank_and_scalar_operand() -> None:
    text = kernel(
        "a s out",
        view("av", "%a", (40,)),
        view("sv", "%s", (1,)),
        view("ov", "%out", (40,)),
        load("x", "av", (40,), "%c0", (40,)),
        load("k", "sv", (1,), "%c0", (1,)),
        f"%f = tensor.extract %k[%c0] : {tensor(1)}",
        f"%w = tensor.splat %f : {tensor(40)}",
        f"%z = arith.mulf %x, %w : {tensor(40)}",
        store("z", "ov", (40,), "%c0", (40,)),
    )
    a, s, out = data(40), data(1), np.zeros(40, np.float16)
    k = execute(text, a, s, out)
    assert np.array_equal(out, a * s)
    assert k.programs[0].operands[1].index == (Const(0),)


# --- loops ---------------------------------------------------------------------------------------


def loop_text(inner: str, header: str, cores: int = 2, rows: int = 12) -> str:
    shape = (rows, 32)
    return kernel(
        "a out",
        "%id = ktdp.get_compute_tile_id : index",
        f"%rows = arith.constant {rows} : index",
        f"%cores = arith.constant {cores} : index",
        view("av", "%a", shape),
        view("ov", "%out", shape),
        header,
        inner,
        "}",
        grid=(cores,),
    )


def one_row(at: str = "%r") -> str:
    shape = (12, 32)
    return "\n    ".join(
        [
            load("x", "av", shape, f"{at}, %c0", (1, 32)),
            f"%z = arith.addf %x, %x : {tensor(1, 32)}",
            store("z", "ov", shape, f"{at}, %c0", (1, 32)),
        ]
    )


def test_loop_of_one_program_is_absorbed() -> None:
    k = programs(loop_text(one_row(), "scf.for %r = %id to %rows step %cores {"))
    (p,) = k.programs
    assert k.orchestrator == (CallProgram(0, (0, 1), ()),)
    (loop,) = p.outer
    assert (loop.lower, loop.upper, loop.step) == (Sym(0), Const(12), 2)
    assert p.operands[0].origin == (Sym(1), Const(0))
    a, out = data(12, 32), np.zeros((12, 32), np.float16)
    execute(loop_text(one_row(), "scf.for %r = %id to %rows step %cores {"), a, out)
    assert np.array_equal(out, a + a)


def test_nested_loops_are_absorbed_outermost_first() -> None:
    inner = (
        "scf.for %j = %c0 to %c2 step %c1 {\n"
        "    %t = arith.muli %j, %c4 : index\n"
        f"    %q = arith.addi %r, %t : index\n    {one_row('%q')}\n    }}"
    )
    k = programs(loop_text(inner, "scf.for %r = %c0 to %c4 step %c1 {", cores=1))
    (p,) = k.programs
    assert [loop.step for loop in p.outer] == [1, 1]
    assert [str(loop.upper) for loop in p.outer] == ["4", "2"]
    assert p.operands[0].origin[0].linear() == (Sym(1) + Sym(2) * 4).linear()


def test_loop_that_runs_once_vanishes() -> None:
    k = programs(loop_text(one_row(), "scf.for %r = %c3 to %c4 step %c1 {", cores=1))
    (p,) = k.programs
    assert p.outer == ()
    assert p.operands[0].origin == (Const(3), Const(0))


def test_loop_that_never_runs_vanishes() -> None:
    k = programs(loop_text(one_row(), "scf.for %r = %c4 to %c4 step %c1 {", cores=1))
    assert k.programs == ()
    assert k.orchestrator == ()


def test_loop_of_two_programs_stays() -> None:
    inner = one_row() + "\n    " + one_row("%id").replace("%x", "%u").replace("%z", "%w")
    k = programs(loop_text(inner, "scf.for %r = %c4 to %c8 step %c1 {", cores=2))
    (loop,) = k.orchestrator
    assert isinstance(loop, OrchestratorLoop)
    assert [type(op) for op in loop.body] == [CallProgram, CallProgram]
    first, second = loop.body
    assert isinstance(first, CallProgram)
    assert isinstance(second, CallProgram)
    assert first.scalars == (Sym(1),)
    assert second.scalars == ()
    assert k.programs[0].operands[0].origin == (Sym(1), Const(0))
    assert [p.kind for p in k.programs[0].parameters] == ["address", "address", "scalar"]


def test_loop_whose_iterations_depend_stays() -> None:
    """out[0] is read and written by every iteration."""
    shape = (12, 32)
    inner = "\n    ".join(
        [
            load("x", "av", shape, "%r, %c0", (1, 32)),
            load("y", "ov", shape, "%c0, %c0", (1, 32)),
            f"%z = arith.addf %x, %y : {tensor(1, 32)}",
            store("z", "ov", shape, "%c0, %c0", (1, 32)),
        ]
    )
    text = loop_text(inner, "scf.for %r = %c0 to %rows step %c1 {", cores=1)
    k = programs(text)
    assert isinstance(k.orchestrator[0], OrchestratorLoop)
    a, out = data(12, 32), np.zeros((12, 32), np.float16)
    execute(text, a, out)
    assert np.array_equal(out[0], a.sum(0).astype(np.float16))


def test_index_arithmetic_by_other_routes() -> None:
    header = (
        "%i = arith.index_cast %id : index to i32\n"
        "    %i64 = arith.extsi %i : i32 to i64\n"
        "    %back = arith.index_cast %i64 : i64 to index\n"
        "    %q = affine.apply affine_map<(d0)[s0] -> ((d0 * s0) mod 8 + d0 floordiv 4)>"
        "(%back)[%c3]\n"
        "    %m = arith.minsi %q, %c16 : index\n"
        "    %d = arith.divui %m, %c2 : index\n"
        "    scf.for %r = %d to %rows step %c4 {"
    )
    (p,) = programs(loop_text(one_row(), header)).programs
    assert str(p.outer[0].lower) == "((s0 * 3) mod 8 + s0 floordiv 4) floordiv 2"


def test_deeply_nested_divisions_are_refused_not_overflowed() -> None:
    lines = ["%v0 = arith.addi %id, %c1 : index"]
    for i in range(400):
        lines += [
            f"%w{i} = arith.addi %v{i}, %c{3 + i % 2} : index",
            f"%m{i} = arith.constant {1000 - i} : index",
            f"%v{i + 1} = arith.remui %w{i}, %m{i} : index",
        ]
    header = "\n    ".join([*lines, "scf.for %r = %v400 to %rows step %c4 {"])
    with pytest.raises(SpyreError) as caught:
        programs(loop_text(one_row(), header))
    assert caught.value.code == "SPY408"
