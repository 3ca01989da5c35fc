"""The patterns that come with spyrelang, by numbers: every element-wise function on all values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from straight_line import array, evaluate, function

from spyrelang import ir
from spyrelang.device import Device, patterns
from spyrelang.semantics import dtypes, tolerance

MATH = "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt tanh erf trunc"
UNARY = "exp sigmoid silu sqrt rsqrt reciprocal"
SOFTPLUS = "beta = {} : f32, threshold = {} : f32"
PREDICATES = "equal notequal greaterthan greaterequal lesserthan lesserequal"

CASES: list[tuple[str, int, str]] = [
    *((f"spyreop.{name}", 1, "") for name in UNARY.split()),
    *((f"math.{name}", 1, "") for name in MATH.split()),
    ("spyreop.realdiv", 2, ""),
    ("arith.divf", 2, ""),
    ("math.powf", 2, ""),
    ("arith.maxnumf", 2, ""),
    ("arith.minnumf", 2, ""),
    *(
        ("spyreop.compare", 2, f"predicate = #spyreop.compare_predicate<{name}>")
        for name in PREDICATES.split()
    ),
    ("spyreop.select", 3, ""),
]
NARROW_CASES = [
    *CASES,
    ("spyreop.gelu", 1, ""),
    ("spyreop.softplus", 1, SOFTPLUS.format("1.0", "20.0")),
    ("spyreop.softplus", 1, SOFTPLUS.format("0.5", "1.0e10")),
    ("spyreop.layernormscale", 1, ""),
    ("spyreop.layernormscale", 2, ""),
    ("spyreop.layernormnorm", 5, ""),
]


def values(dtype: str, count: int) -> list[np.ndarray]:
    """All 65,536 values of a 16-bit type, or a sample of f32, in `count` orders."""
    rng = np.random.default_rng(7)
    kind: Any = dtypes.get(dtype).numpy
    if dtypes.get(dtype).bits == 16:
        every = np.arange(1 << 16, dtype=np.uint16).view(kind)
    else:
        bits = rng.integers(0, 1 << 32, 20_000, dtype=np.uint64).astype(np.uint32)
        near = rng.normal(size=20_000) * 4
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 88.5, -88.5, 1e-3, -0.5, 0.5]
        every = np.concatenate([bits.view(kind), array(dtype, near), array(dtype, edges)])
    return [every, *(rng.permutation(every) for _ in range(count - 1))]


def of_op(op: str, count: int, attributes: str, kind: str) -> ir.Module:
    names = [f"%x{i}" for i in range(count)]
    shown = f" {{{attributes}}}" if attributes else ""
    body = f'  %r = "{op}"({", ".join(names)}){shown} : ({", ".join([kind] * count)}) -> {kind}'
    return function(body, ", ".join(f"{name}: {kind}" for name in names), kind)


def expanded(op: str, count: int, attributes: str, kind: str) -> tuple[Any, ir.Module]:
    """The function of one op before and after `pre_mapping`."""
    before, after = (of_op(op, count, attributes, kind) for _ in range(2))
    patterns.apply(after, Device.load("sample_device"), "pre_mapping")
    return before, after


def ids(case: tuple[str, int, str]) -> str:
    return f"{case[0]} {case[2].rpartition('<')[2].rstrip('>')}".strip()


def run(module: ir.Module, inputs: list[np.ndarray]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return evaluate(next(module.funcs()), inputs)[0]


def check(op: str, count: int, attributes: str, dtype: str) -> None:
    before, after = expanded(op, count, attributes, dtype)
    inputs = values(dtype, count)
    want, got = run(before, inputs), run(after, inputs)
    accepted = tolerance.tolerance(op, dtype).accepts(got, want, dtype)
    with np.errstate(all="ignore"):
        sizes = [np.abs(x.astype(np.float64)) for x in inputs]
    if dtype != "f16":  # a subnormal operand may count as zero
        for size in sizes:
            accepted = accepted | ((size > 0) & (size < 2.0**-126))
    wrong = np.flatnonzero(~accepted)
    assert not len(wrong), [(float(x[wrong[0]]), float(got[wrong[0]])) for x in inputs]
    for operands, result in tolerance.specials(op, dtype):
        found = run(after, [array(dtype, [v]) for v in operands]).astype(np.float64)
        rounded = array(dtype, [result]).astype(np.float64)
        np.testing.assert_array_equal(found, rounded, str(operands))
        assert np.signbit(found[0]) == np.signbit(result) or np.isnan(result), operands


@pytest.mark.parametrize("case", NARROW_CASES, ids=ids)
def test_on_all_f16_values(case: tuple[str, int, str]) -> None:
    check(*case, "f16")


@pytest.mark.parametrize("case", [c for c in CASES if "spyreop" not in c[0]], ids=ids)
def test_on_all_bf16_values(case: tuple[str, int, str]) -> None:
    check(*case, "bf16")


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_on_f32_values(case: tuple[str, int, str]) -> None:
    op, count, attributes = case
    check(op, count, attributes, "f32")


PREDICATE_NAMES = [
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
]


@pytest.mark.parametrize("number", range(1, 15), ids=PREDICATE_NAMES[1:15])
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_comparisons(number: int, dtype: str) -> None:
    body = f"  %r = arith.cmpf {PREDICATE_NAMES[number]}, %x, %y : {dtype}"
    before, after = (function(body, f"%x: {dtype}, %y: {dtype}", "i1") for _ in range(2))
    patterns.apply(after, Device.load("sample_device"), "pre_mapping")
    inputs = values(dtype, 2)
    np.testing.assert_array_equal(run(before, inputs), run(after, inputs))
    left = [o.operation for o in next(after.funcs()).regions[0].blocks[0].operations]
    ordered = {o.attributes["predicate"].value for o in left if o.name == "arith.cmpf"}
    assert ordered <= {1, 2, 3, 4, 5}  # those the vector unit has


@pytest.mark.parametrize(("dtype", "ulp"), [("f16", 1), ("bf16", 1), ("f32", 8)])
def test_erfc(dtype: str, ulp: float) -> None:
    before, after = expanded("math.erfc", 1, "", dtype)
    inputs = values(dtype, 1)
    want, got = run(before, inputs), run(after, inputs)
    tiny = 0.0 if dtype == "f16" else 2.0**-126
    assert np.all(tolerance.Tolerance(ulp, tiny).accepts(got, want, dtype))


def test_powers_at_the_edges() -> None:
    before, after = expanded("math.powf", 2, "", "f32")
    edges = [0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, np.inf, -np.inf, np.nan, 1e4, -1e4]
    x, y = (a.ravel() for a in np.meshgrid(*[np.array(edges, np.float32)] * 2))
    want, got = run(before, [x, y]), run(after, [x, y])
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_array_equal(
        np.signbit(got) | np.isnan(got), np.signbit(want) | np.isnan(want)
    )


def test_an_epsilon_of_its_own() -> None:
    before, after = expanded("spyreop.layernormscale", 2, "epsilon = 0.5 : f32", "f16")
    inputs = values("f16", 2)
    assert "5.000000e-01" in ir.print_module(after)
    close = tolerance.tolerance("spyreop.layernormscale", "f16")
    assert np.all(close.accepts(run(after, inputs), run(before, inputs), "f16"))


def test_addresses() -> None:
    for body, arguments in (
        ("  %r = spyreop.idx32toaddr %x base %y stride %z", "%x: i32, %y: i32, %z: i32"),
        ("  %r = spyreop.idx32toaddr %x base 0xFFFFFF00 stride -3", "%x: i32"),
    ):
        before, after = (function(body, arguments, "i32") for _ in range(2))
        patterns.apply(after, Device.load("sample_device"), "pre_mapping")
        assert "spyreop" not in ir.print_module(after)
        inputs = [
            np.array([0, 7, -9, 2**30], np.int32) * (i + 1) for i in range(arguments.count(":"))
        ]
        np.testing.assert_array_equal(run(before, inputs), run(after, inputs))


ON_VECTORS = [
    *((f"math.{n}", 1) for n in ["exp", "log", "rsqrt", "tanh", "floor", "ceil", "absf"]),
    ("arith.negf", 1),
    ("math.fma", 3),
    ("math.copysign", 2),
]


@pytest.mark.parametrize(("op", "count"), ON_VECTORS)
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_vectors_become_vectorchain(op: str, count: int, dtype: str) -> None:
    before, after = (of_op(op, count, "", f"vector<8x{dtype}>") for _ in range(2))
    patterns.apply(after, Device.load("spyre"), "post_lowering")
    left = [o.operation.name for o in next(after.funcs()).regions[0].blocks[0].operations]
    assert {name.split(".")[0] for name in left} == {"vectorchain", "func"}
    whole = 1 << 15  # a multiple of the lanes
    inputs = [x[:whole].reshape(-1, 8) for x in values(dtype, count)]
    np.testing.assert_array_equal(run(before, inputs), run(after, inputs))


@pytest.mark.parametrize("op", ["exp", "rsqrt", "reciprocal", "sigmoid"])
@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_intrinsics_on_vectors_of_a_unit(op: str, dtype: str) -> None:
    kind = f"vector<8x{dtype}>"
    text = (
        f"func.func @f(%x: {kind}, %u: index) {{\n  dataflow.program_unit %u : {{\n"
        f"    %r = spyreop.{op} %x : {kind}\n    dataflow.send %u, %r : {kind}\n  }}\n  return\n}}"
    )
    before, after = (ir.parse(text, "test.mlir", guard=False) for _ in range(2))
    patterns.apply(after, Device.load("spyre"), "post_lowering")
    assert "spyreop" not in ir.print_module(after)
    inputs = [values(dtype, 1)[0][: 1 << 15].reshape(-1, 8), np.zeros(1)]
    np.testing.assert_array_equal(run(before, inputs), run(after, inputs))


@pytest.mark.parametrize(
    ("op", "kind"), [("math.absi", "vector<4xi32>"), ("arith.xori", "vector<4xi1>")]
)
def test_integer_vectors(op: str, kind: str) -> None:
    count = 1 if op == "math.absi" else 2
    before, after = (of_op(op, count, "", kind) for _ in range(2))
    patterns.apply(after, Device.load("spyre"), "post_lowering")
    rng = np.random.default_rng(3)
    boolean = kind.endswith("i1>")
    inputs = [
        rng.integers(0 if boolean else -99, 2 if boolean else 99, (5, 4)) for _ in range(count)
    ]
    inputs = [x.astype(np.bool_ if boolean else np.int32) for x in inputs]
    np.testing.assert_array_equal(run(before, inputs), run(after, inputs))
    assert op not in ir.print_module(after)


def test_scalars_outside_vectors_are_left_alone() -> None:
    module = function("  %r = arith.xori %x, %x : i32", "%x: i32", "i32")
    patterns.apply(module, Device.load("spyre"), "post_lowering")
    assert "vectorchain" not in ir.print_module(module)
