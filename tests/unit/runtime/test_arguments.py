"""Which value is which argument, what an argument may be, and memory that arguments share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided
from spyrecode import samples

from spyrelang import runtime
from spyrelang.engines import DeviceMemory
from spyrelang.errors import SpyreError
from spyrelang.isa.program import Argument, Executable
from spyrelang.runtime import execute
from spyrelang.runtime.arguments import operands_of
from spyrelang.runtime.placement import bind
from spyrelang.runtime.signature import make, signature_of

ADD = samples.add()
INPLACE = samples.add(roles=("inout", "in", "inout"))


def arrays(dtype: Any = np.float16) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((8, 128)).astype(dtype) for _ in range(2))
    return a, b, np.zeros((8, 128), dtype)


def run(executable: Executable, a: Any, b: Any, out: Any, **options: Any) -> Any:
    return execute(executable, {"a": a, "b": b, "out": out}, **options)


def refusal(call: Any, *args: Any, **named: Any) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        call(*args, **named)
    return caught.value


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "named", "code", "words"),
    [
        ((1, 2), {"oot": 3}, "SPY700", "a, b, out"),
        ((1, 2), {}, "SPY701", "argument #2 'out' (out 8x128 f16)"),
        ((1,), {"out": 3}, "SPY701", "argument #1 'b'"),
        ((1, 2, 3), {"a": 1}, "SPY702", "'a'"),
        ((1, 2, 3, 4), {}, "SPY703", "takes 3 arguments (a, b, out), 4 were given"),
    ],
)
def test_matching(args: Any, named: Any, code: str, words: str):
    error = refusal(make(ADD).match, args, named)
    assert (error.code, words in error.message) == (code, True), error.message
    assert isinstance(error, TypeError)


def test_close_names_are_suggested():
    error = refusal(make(ADD).match, (1, 2), {"oot": 3})
    assert error.hint == "did you mean 'out'?"


def test_position_and_name():
    assert make(ADD).match((1,), {"out": 3, "b": 2}) == [1, 2, 3]
    assert make(ADD).by_names((1,), {"out": 3, "b": 2}) == {"a": 1, "b": 2, "out": 3}


def test_signatures_are_remembered_by_identity():
    assert signature_of(ADD) is signature_of(ADD)
    assert signature_of(samples.add()) is not signature_of(ADD)


# --- values ---------------------------------------------------------------------------------------

GOOD = np.zeros((8, 128), np.float16)
FROZEN = np.zeros((8, 128), np.float16)
FROZEN.flags.writeable = False


@pytest.mark.parametrize(
    ("position", "value", "code", "words"),
    [
        (0, "x.npy", "SPY704", "a str: it is not on the device"),
        (0, [[1.0]], "SPY704", "a list"),
        (0, None, "SPY704", "argument #0 'a'"),
        (1, GOOD.astype(np.float32), "SPY705", "must be f16, got float32"),
        (1, GOOD.view(np.int16), "SPY705", "must be f16, got int16"),
        (1, GOOD.astype(">f2"), "SPY709", "big-endian"),
        (2, GOOD.reshape(-1), "SPY706", "2 dimensions [8, 128], got [1024]"),
        (2, GOOD[None], "SPY706", "got [1, 8, 128]"),
        (0, GOOD.T, "SPY707", "must have shape [8, 128], got [128, 8]"),
        (0, np.zeros((9, 128), np.float16), "SPY707", "got [9, 128]"),
        (0, GOOD[:7], "SPY708", "dimension 0 needs 8 elements, has 7"),
        (0, GOOD[:, :127], "SPY708", "dimension 1 needs 128 elements, has 127"),
        (2, FROZEN, "SPY710", "read-only"),
        (2, as_strided(GOOD, (8, 128), (0, 2)), "SPY712", "elements share memory"),
        (2, np.broadcast_to(GOOD[:1], (8, 128)), "SPY710", "read-only"),
    ],
)
def test_refused_values(position: int, value: Any, code: str, words: str):
    values: list[Any] = [GOOD, GOOD.copy(), GOOD.copy()]
    values[position] = value
    error = refusal(run, ADD, *values)
    assert (error.code, words in error.message) == (code, True), error.message


def test_hints_name_the_conversion():
    error = refusal(run, ADD, GOOD.astype(np.float32), GOOD, GOOD)
    assert error.hint is not None
    assert "a.astype(np.float16)" in error.hint


def test_read_only_inputs_are_fine():
    a, b, out = arrays()
    a.flags.writeable = False
    run(ADD, a, np.broadcast_to(b[:1], b.shape), out)
    assert (out == a + b[:1]).all()


@pytest.mark.parametrize("engine", ["fast", "checked"])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_other_dtypes(dtype: str, engine: str):
    import ml_dtypes

    numpy_type = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[dtype]
    a, b, out = arrays(numpy_type)
    run(samples.add(dtype=dtype), a, b, out, engine=engine)
    assert out.tobytes() == (a + b).tobytes()


# --- memory layouts -------------------------------------------------------------------------------


def layouts_of(array: Any) -> list[Any]:
    """The same elements in other memory layouts."""
    wide = np.zeros((16, 256), array.dtype)
    spread = wide[::2, ::2]
    spread[...] = array
    reverse = np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    bytes_off = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    bytes_off[...] = array
    return [array.copy(), np.asfortranarray(array), spread, reverse, bytes_off]


@pytest.mark.parametrize("kind", range(5))
def test_any_memory_layout(kind: int):
    a, b, out = arrays()
    target = layouts_of(out)[kind]
    run(ADD, layouts_of(a)[kind], layouts_of(b)[-1 - kind], target)
    assert (target == a + b).all()
    assert target.base is None or np.count_nonzero(target.base) <= target.size * 2


def test_contiguous_arrays_are_bound_in_place():
    signature = make(ADD)
    values = arrays()
    operands, _, _ = operands_of(signature, values)
    bound = bind(signature, operands)
    for operand, value in zip(operands, values, strict=True):
        region = bound.memory.at(bound.addresses[operand.param.index])
        assert np.shares_memory(region.data, value)
        assert region.address % 128 == 0
    assert [r.writable for r in bound.memory.regions] == [False, False, True]
    gaps = zip(bound.memory.regions, bound.memory.regions[1:], strict=False)
    assert all(after.address - before.end >= 128 for before, after in gaps)


def test_strides_of_the_kernel():
    argument = Argument("a", "inout", "f16", (4, 3), (1, 8))
    signature = make(replace(ADD, arguments=(argument,), inputs=ADD.inputs[:1]))
    array = np.arange(12, dtype=np.float16).reshape(4, 3)
    operands, _, _ = operands_of(signature, [array])
    bound = bind(signature, operands)
    region = bound.memory.at(bound.addresses[0])
    flat = region.data.view(np.float16)
    assert flat.size == 3 + 2 * 8 + 1
    assert all(flat[i + 8 * j] == array[i, j] for i in range(4) for j in range(3))
    flat += 1
    bound.copy_back()
    assert array[3, 2] == 12
    fitting = as_strided(np.zeros(20, np.float16), (4, 3), (2, 16))
    operands, _, _ = operands_of(signature, [fitting])
    bound = bind(signature, operands)
    assert np.shares_memory(bound.memory.at(bound.addresses[0]).data, fitting)


@pytest.mark.parametrize("engine", ["fast", "checked"])
def test_empty_arrays(engine: str):
    kernel = samples.add(0, 128, 1)
    a = np.zeros((0, 128), np.float16)
    run(kernel, a, a, a.copy(), engine=engine)


# --- sharing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["fast", "checked"])
def test_in_place(engine: str):
    a, b, _ = arrays()
    before = a.copy()
    run(INPLACE, a, b, a, engine=engine)
    assert (a == before + b).all()
    wide = np.zeros((8, 256), np.float16)
    view = wide[:, ::2]
    view[...] = before
    run(INPLACE, view, b, view, engine=engine)
    assert (view == before + b).all()
    assert not wide[:, 1::2].any()


def test_equal_ranges_have_one_address():
    a, b, _ = arrays()
    signature = make(INPLACE)
    operands, _, _ = operands_of(signature, [a, b, a.reshape(-1).reshape(8, 128)])
    bound = bind(signature, operands)
    assert bound.addresses[0] == bound.addresses[2] != bound.addresses[1]
    assert bound.memory.at(bound.addresses[0]).writable


def test_one_array_for_everything():
    a, _, _ = arrays()
    before = a.copy()
    run(INPLACE, a, a, a)
    assert (a == before + before).all()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda m: m[0:8], lambda m: m[1:9]),
        (lambda m: m[1:9], lambda m: m[0:8]),
        (lambda m: m[0:8], lambda m: m[7:15]),
        (lambda m: m[0:16:2], lambda m: m[2:18:2]),
        (lambda m: m[0:8], lambda m: m[7::-1]),
    ],
)
def test_partial_overlap(first: Any, second: Any):
    memory = np.zeros((20, 128), np.float16)
    other = np.zeros((8, 128), np.float16)
    for values in (
        (first(memory), other, second(memory)),
        (first(memory), second(memory), other),
    ):
        error = refusal(run, ADD, *values)
        assert error.code == "SPY713"
        assert "'a'" in error.message


def test_interleaved_views_do_not_overlap():
    memory = np.arange(16 * 256, dtype=np.float16).reshape(16, 256)
    a, b, out = memory[0::2, :128], memory[1::2, :128], memory[0::2, 128:]
    expected = a + b
    run(ADD, a, b, out)
    assert (out == expected).all()


def test_neighbours_do_not_overlap():
    memory = np.ones((24, 128), np.float16)
    run(ADD, memory[:8], memory[8:16], memory[16:])
    assert (memory[16:] == 2).all()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 16), min_size=3, max_size=3))
def test_overlap_is_decided_exactly(rows: list[int]):
    memory = np.ones((24, 128), np.float16)
    values = [memory[r : r + 8] for r in rows]
    pairs = [(rows[i], rows[j]) for i in range(3) for j in range(i)]
    partial = any(0 < abs(x - y) < 8 for x, y in pairs)
    if partial:
        assert refusal(run, INPLACE, *values).code == "SPY713"
    else:
        run(INPLACE, *values)
        assert (values[2] == 2).all()


def test_device_tensor_and_its_memory_are_one_buffer():
    tensor = runtime.from_numpy(np.ones((8, 128), np.float16))
    b = np.full((8, 128), 2, np.float16)
    signature = make(INPLACE)
    operands, _, _ = operands_of(signature, [tensor.device_array, b, tensor])
    bound = bind(signature, operands)
    assert bound.addresses[0] == bound.addresses[2] == tensor.address
    run(INPLACE, tensor, b, tensor)
    assert (tensor.numpy() == 3).all()


# --- constant addresses ---------------------------------------------------------------------------

CONSTANT = replace(samples.add(addresses=[0, 4096, 8192]), arguments=())
NAMED = samples.add(addresses=[1 << 20, 1 << 21, 1 << 22])


@pytest.mark.parametrize("engine", ["fast", "checked"])
def test_arrays_by_address(engine: str):
    a, b, out = arrays()
    execute(CONSTANT, {}, memory={0: a, 2048: b, 4096: out}, engine=engine)
    assert (out == a + b).all()
    out[:] = 0
    where = {"a": 1 << 20, "b": 1 << 21, "out": 1 << 22}
    run(NAMED, a, b, out, addresses=where, engine=engine)
    assert (out == a + b).all()


def test_one_array_at_two_addresses():
    a, _, out = arrays()
    execute(CONSTANT, {}, memory={0: a, 2048: a, 4096: out})
    assert (out == a + a).all()


@pytest.mark.parametrize(
    ("memory", "code"),
    [
        ({"a": GOOD}, "SPY726"),
        ({-1: GOOD}, "SPY726"),
        ({True: GOOD}, "SPY726"),
        ({0: "x"}, "SPY726"),
        ({7 << 33: GOOD}, "SPY726"),
        ({0: GOOD.astype(">f2")}, "SPY709"),
        ({0: GOOD, 10: GOOD.copy()}, "SPY507"),
        ({0: GOOD}, "SPY501"),
    ],
)
def test_refused_addresses(memory: Any, code: str):
    assert refusal(execute, CONSTANT, {}, memory=memory).code == code


@pytest.mark.parametrize(
    ("addresses", "code", "words"),
    [
        ({"a": 100}, "SPY720", "multiple of 128"),
        ({"a": 7 << 34}, "SPY721", "segments 0 to 6"),
        ({"a": (1 << 34) - 128}, "SPY721", "argument 'a'"),
        ({"aa": 0}, "SPY700", "'aa'"),
        ({"a": 0, "b": 128}, "SPY507", "overlaps"),
    ],
)
def test_refused_fixed_addresses(addresses: Any, code: str, words: str):
    a, b, out = arrays()
    error = refusal(run, NAMED, a, b, out, addresses=addresses)
    assert (error.code, words in error.message) == (code, True), error.message


# --- other ways to run ----------------------------------------------------------------------------


def test_a_memory_of_the_caller():
    memory = DeviceMemory(start=1 << 20)
    resident = memory.allocate(64)
    a, b, out = arrays()
    run(ADD, a, b, out, memory=memory)
    assert (out == a + b).all()
    assert [r.address for r in memory.regions] == [resident]
    assert refusal(run, ADD, a, b, out, memory=memory, engine="warp").code == "SPY822"
    assert [r.address for r in memory.regions] == [resident]


def test_engine_faults_leave_other_arguments_alone():
    short = replace(ADD, arguments=tuple(replace(a, shape=()) for a in ADD.arguments))
    a, b, out = arrays()
    assert refusal(run, short, a[:4], b, out).code == "SPY501"


def test_a_pointer_takes_arrays_and_addresses():
    pointer = replace(ADD.arguments[1], role="index", dtype="index", shape=(), strides=())
    executable = replace(ADD, arguments=(ADD.arguments[0], pointer, ADD.arguments[2]))
    a, b, out = arrays()
    run(executable, a, b, out)
    assert (out == a + b).all()
    assert refusal(run, executable, a, 1 << 30, out).code == "SPY501"


def test_unwritten_device_memory_is_noticed():
    a, b, out = arrays()
    blank = runtime.empty((8, 128), "f16")
    error = refusal(run, ADD, blank, b, out, engine="checked")
    assert error.code.startswith("SPY5")
    blank.copy_from(a)
    run(ADD, blank, b, out, engine="checked")
    assert (out == a + b).all()


def test_a_written_tensor_stays_written():
    a, b, _ = arrays()
    middle, last = runtime.empty((8, 128)), runtime.empty((8, 128))
    run(ADD, a, b, middle, engine="checked")
    run(ADD, middle, b, last, engine="checked")
    assert (last.numpy() == (a + b) + b).all()
