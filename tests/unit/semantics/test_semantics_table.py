"""The table itself: lookup, counts, modes, element types, and that every op can be bound."""

from __future__ import annotations

import pickle

import ml_dtypes
import numpy as np
import pytest
from semantics_reference import bind

from spyrelang import semantics
from spyrelang.errors import SpyreError
from spyrelang.semantics import dtypes


def refused(code: str, *args, **kwargs):
    with pytest.raises(SpyreError) as caught:
        bind(*args, **kwargs)
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


def test_unknown_op():
    assert not semantics.known("arith.adf")
    with pytest.raises(SpyreError) as caught:
        semantics.lookup("arith.adf")
    assert caught.value.code == "SPY580"
    assert "arith.addf" in str(caught.value)
    with pytest.raises(SpyreError):
        semantics.lookup("vectorchain.binary")


def test_known_ops_are_listed():
    assert semantics.known("arith.addf")
    assert {"spyreop.gelu", "vectorchain.binary.mul_div2"} <= set(semantics.names())
    assert list(semantics.names()) == sorted(semantics.names())


def test_operand_and_result_counts():
    assert "2 operands" in refused("SPY584", "arith.addf", "f16", "f16").message
    refused("SPY584", "arith.addf", "f16 f16 f16", "f16")
    refused("SPY584", "arith.addf", "f16 f16", "f16 f16")
    refused("SPY584", "vectorchain.binary.add", "f16 f16 i1 i1", "f16")


def test_numeric_modes():
    with pytest.raises(SpyreError) as caught:
        semantics.lookup("arith.addf").bind({}, ["f16", "f16"], ["f16"], numerics="exact")
    assert caught.value.code == "SPY823"
    add = semantics.lookup("arith.addf")
    as_df16 = add.bind({}, ["f16", "f16"], ["f16"], numerics="df16")
    assert as_df16 is add.bind({}, ["!spyreop.df16"] * 2, ["df16"])
    assert add.bind({}, ["f32", "f32"], ["f32"], "df16") is bind("arith.addf", "f32 f32", "f32")


def test_unknown_type_in_bind():
    refused("SPY585", "arith.addf", "f12 f12", "f12")


def test_binding_is_cached_but_not_across_the_sign_of_zero():
    one = bind("arith.constant", "", "f16", value=1.0)
    assert one is bind("arith.constant", "", "f16", value=1.0)
    zero, minus, false = (bind("arith.constant", "", "f16", value=v) for v in (0.0, -0.0, False))
    assert len({id(zero), id(minus), id(false)}) == 3
    listed = bind("vectorchain.constant_bitstream", "", "i8", value=[1, 2])
    assert listed().tolist() == [1, 2]


def test_operands_are_not_changed():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(100_000).astype(np.float16) for _ in range(2))
    kept = a.copy(), b.copy()
    for op in ("arith.addf", "arith.maximumf", "arith.maxnumf", "math.powf", "arith.cmpf"):
        out = "i1" if op == "arith.cmpf" else "f16"
        bind(op, "f16 f16", out, **({"predicate": "olt"} if out == "i1" else {}))(a, b)
    for op in ("arith.negf", "spyreop.exp", "vectorchain.neg"):
        bind(op, "f16", "f16")(a)
    np.testing.assert_array_equal(a, kept[0])
    np.testing.assert_array_equal(b, kept[1])


ATTRIBUTES = """
    predicate value beta threshold base_address stride axes count epsilon reduction_map lanes
    selection_map indices repetition sign_extend variables pads right_shift gap eval_order
    mask_set op_specific_map version roundingmode reduction_kind reduction_scope slices
    iteration_space_CA access_function_CA access_function_A
"""
GARBAGE = (
    "x",
    3,
    -1,
    1.5,
    (1, 0),
    ("x",),
    None,
    10**30,
    float("nan"),
    "affine_map<(d0) -> (d0",
    b"",
)


@pytest.mark.parametrize("name", semantics.names())
def test_bad_uses_give_errors_of_the_catalogue(name):
    """Binding with wrong types and attributes works or says why; nothing else escapes."""
    op = semantics.lookup(name)
    outcomes: set[str] = set()
    for dtype in ("f16", "i32", "i1", "index", "fp16_fused", "df16"):
        for value in GARBAGE:
            attrs = dict.fromkeys(ATTRIBUTES.split(), value)
            for out in (dtype, "f32"):
                outcomes.add(outcome(op, attrs, dtype, out))
    assert outcomes - {"fine"}
    assert outcomes <= {"fine", "SPY110", "SPY582", "SPY583"}


def outcome(op: semantics.Op, attrs: dict[str, object], dtype: str, out: str) -> str:
    try:
        op.bind(attrs, [dtype] * op.arity, [out] * op.results)
    except SpyreError as error:
        return error.code
    return "fine"


# --- element types -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("f16", "f16"),
        ("float16", "f16"),
        (np.float16, "f16"),
        (np.dtype("<f2"), "f16"),
        ("bfloat16", "bf16"),
        (ml_dtypes.bfloat16, "bf16"),
        ("torch.bfloat16", "bf16"),
        ("float", "f32"),
        (float, "f64"),
        (np.bool_, "i1"),
        (bool, "i1"),
        ("int8", "i8"),
        (np.int64, "i64"),
        ("index", "index"),
        ("df16", "df16"),
        ("!spyreop.df16", "df16"),
        (dtypes.get("i32"), "i32"),
    ],
)
def test_spellings(spelling, name):
    assert dtypes.parse(spelling).name == name


@pytest.mark.parametrize("spelling", ["float12", "", None, 16, object(), "i7"])
def test_spellings_that_name_nothing(spelling):
    with pytest.raises(SpyreError) as caught:
        dtypes.parse(spelling)
    assert caught.value.code == "SPY585"
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("dtype", "word"),
    [
        (np.uint16, "np.int16"),
        (np.complex64, "real and imaginary"),
        (np.dtype(">f4"), "astype(np.float32)"),
        (np.dtype("O"), "astype"),
        (np.dtype("U3"), "astype"),
        (ml_dtypes.float8_e4m3fn, "astype"),
        (np.dtype([("a", "f2")]), "astype"),
    ],
)
def test_arrays_without_a_type(dtype, word):
    with pytest.raises(SpyreError) as caught:
        dtypes.from_numpy(np.dtype(dtype))
    assert caught.value.code == "SPY586"
    assert word in caught.value.hint
    assert isinstance(caught.value, TypeError)


def test_facts_about_types():
    for name, kind in dtypes.REGISTRY.items():
        assert dtypes.get(name) is kind
        assert dtypes.get(kind.mlir) is kind
        assert pickle.loads(pickle.dumps(kind)) == kind
        assert kind.bytes == kind.numpy.itemsize
        if name not in ("index", "df16"):
            assert dtypes.from_numpy(kind.numpy) is kind
    assert dtypes.get("i1").bits == 1
    assert dtypes.get("i1").limits == (0, 1)
    assert dtypes.get("i8").limits == (-128, 127)
    assert dtypes.get("f16").limits == (-65504, 65504)
    assert dtypes.get("bf16").limits[1] == 255 * 2.0**120
    assert dtypes.get("df16").limits[1] == 8573157376
    assert dtypes.get("df16").bytes == 2
    assert dtypes.get("df16").numpy == np.uint16
    with pytest.raises(SpyreError, match="integers are signed"):  # codes are no integers
        dtypes.from_numpy(np.dtype(np.uint16))
