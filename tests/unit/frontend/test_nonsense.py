"""Whatever is passed, the answer is a catalogue error at the author's line, never a bare one."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError
from spyrelang.frontend import tensor_spec

from .conftest import trace_kernel

BIG = 10**30


class Thing:
    """An object of no type anyone knows, named alike in every process that collects the tests."""

    def __repr__(self) -> str:
        return "thing"


ODD = [None, "a", 1.5, True, b"x", Thing(), [], {}, 1j, BIG, -BIG, float("nan"), np.zeros(3), len]

SUBSCRIPTS = [
    *(o for o in ODD if o is not None),
    (0,) * 3,
    (..., ...),
    (slice("a", "b"), 0),
    (slice(0, 2, 0), 0),
    (slice(0, 2, "x"), 0),
    (slice(BIG, BIG + 1), 0),
    (slice(True, 2), 0),
    (0, slice(1.0, 2.0)),
    (np.array([1, 2]), 0),
]

# What is called, and which of the odd values are fine there.
CALLS = {
    "load": (lambda o, x, v: spy.load(o), ()),
    "store tile": (lambda o, x, v: spy.store(o, v), ()),
    "store": (lambda o, x, v: spy.store(x[:, :], o), (1.5, "nan")),
    "add": (lambda o, x, v: v + o, (1.5, "nan")),
    "radd": (lambda o, x, v: o + v, (1.5, "nan")),
    "compare": (lambda o, x, v: v > o, (1.5, "nan")),
    "index": (lambda o, x, v: spy.tile_id() * o, ()),
    "range": (lambda o, x, v: spy.range(o), ()),
    "step": (lambda o, x, v: spy.range(0, 4, o), ()),
    "axis": (lambda o, x, v: spy.tile_id(o), ()),
    "blocks": (lambda o, x, v: spy.blocks(o, 4), ()),
    "block": (lambda o, x, v: spy.blocks(8, o), ()),
    "local": (lambda o, x, v: spy.local(o), (None,)),
    "exp": (lambda o, x, v: spy.exp(o), ()),
    "where": (lambda o, x, v: spy.where(o, v, v), ()),
    "cast": (lambda o, x, v: spy.cast(v, o), ()),
    "softplus": (lambda o, x, v: spy.softplus(v, beta=o), (1.5, BIG, -BIG)),
    "full": (lambda o, x, v: spy.full((4,), o, spy.i32), ()),
    "zeros": (lambda o, x, v: spy.zeros((4,), o), ()),
    "transpose": (lambda o, x, v: spy.transpose(v, o), (None,)),
    "expand_dims": (lambda o, x, v: spy.expand_dims(v, o), ([],)),
    "squeeze": (lambda o, x, v: spy.squeeze(v, o), (None, [])),
    "broadcast_to": (lambda o, x, v: spy.broadcast_to(v, o), ()),
    "memory_view base": (lambda o, x, v: spy.memory_view(o, (4,), dtype=spy.f16), ()),
    "memory_view shape": (lambda o, x, v: spy.memory_view(x, o), ([],)),
    "memory_view strides": (lambda o, x, v: spy.memory_view(x, (4, 4), strides=o), (None,)),
    "memory_view space": (lambda o, x, v: spy.memory_view(x, (4,), space=o), ()),
    "memory_view dtype": (lambda o, x, v: spy.memory_view(0, (4,), dtype=o), ()),
    "access_tile view": (lambda o, x, v: spy.access_tile(o, (0, 0), (1, 1)), ()),
    "access_tile origin": (lambda o, x, v: spy.access_tile(x, o, (1, 1)), ()),
    "access_tile shape": (lambda o, x, v: spy.access_tile(x, (0, 0), o), ()),
    "access_tile set": (lambda o, x, v: spy.access_tile(x, (0, 0), (1, 1), set=o), (None,)),
    "access_tile order": (lambda o, x, v: spy.access_tile(x, (0, 0), (1, 1), order=o), (None,)),
    "memory_view coords": (lambda o, x, v: spy.memory_view(x, (4, 4), coords=o), (None,)),
    "memory_view offset": (lambda o, x, v: spy.memory_view(x, (4,), offset=o), ()),
    "distributed_view": (lambda o, x, v: spy.distributed_view(o), ()),
    "distributed_view axis": (lambda o, x, v: spy.distributed_view([x, x], axis=o), ()),
    "ind": (lambda o, x, v: spy.ind(o), ()),
    "indirect_tile": (lambda o, x, v: spy.indirect_tile(x, o, (4,)), (len,)),
    "indirect_tile result": (lambda o, x, v: spy.indirect_tile(x, lambda m: o, (4,)), ()),
    "indirect_tile space": (lambda o, x, v: spy.indirect_tile(x, lambda *m: (0, 0), o), ([],)),
    "sum": (lambda o, x, v: spy.sum(o), ()),
    "sum axis": (lambda o, x, v: spy.sum(v, axis=o), (None, [])),
    "sum keepdims": (lambda o, x, v: spy.sum(v, keepdims=o), (True,)),
    "sum dtype": (lambda o, x, v: spy.sum(v, dtype=o), (None,)),
    "max initial": (lambda o, x, v: spy.max(v, initial=o), (None, 1.5, "nan")),
    "mean": (lambda o, x, v: spy.mean(o), ()),
    "exx2": (lambda o, x, v: spy.exx2(o), ()),
    "layernorm_scale": (lambda o, x, v: spy.layernorm_scale(v, v, o), (1.5, BIG)),
    "dot": (lambda o, x, v: spy.dot(v, o), ()),
    "dot acc": (lambda o, x, v: spy.dot(v, v.T, acc=o), (None, 1.5, BIG, -BIG, "nan")),
    "dot dtype": (lambda o, x, v: spy.dot(v, v.T, dtype=o), (None,)),
    "batch_dot": (lambda o, x, v: spy.batch_dot(o, v), ()),
    "matmul": (lambda o, x, v: o @ v, ()),
    "reshape": (lambda o, x, v: spy.reshape(v, o), ()),
    "concat": (lambda o, x, v: spy.concat(o), ()),
    "concat of": (lambda o, x, v: spy.concat([v, o]), ()),
    "empty": (lambda o, x, v: spy.empty(o, spy.f16), ([],)),
    "iota": (lambda o, x, v: spy.iota(o), ()),
    "iota axis": (lambda o, x, v: spy.iota(4, o), ()),
    "slice": (lambda o, x, v: spy.slice(v, o, (1, 1)), ()),
    "slice sizes": (lambda o, x, v: spy.slice(v, (0, 0), o), ()),
    "value subscript": (lambda o, x, v: v[o], (None,)),
    "when": (lambda o, x, v: spy.when(o), (True,)),
    "carry": (lambda o, x, v: [0 for _i, _c in spy.range(2, carry=o)], (BIG, -BIG)),
    "all_reduce": (lambda o, x, v: spy.all_reduce(o), ()),
    "all_reduce op": (lambda o, x, v: spy.all_reduce(v, o), ()),
    "all_reduce group": (lambda o, x, v: spy.all_reduce(v, group=o), (None,)),
    "reduce_to_one root": (lambda o, x, v: spy.reduce_to_one(v, root=o), ()),
    "generic": (lambda o, x, v: spy.generic(o, (v,), "ij->ij"), ()),
    "generic result": (lambda o, x, v: spy.generic(lambda a: o, (v,), "ij->ij"), ()),
    "generic inputs": (lambda o, x, v: spy.generic(lambda *a: a[0], o, "ij->ij"), ()),
    "generic maps": (lambda o, x, v: spy.generic(lambda a: a, (v,), o), ()),
    "generic init": (lambda o, x, v: spy.generic(lambda a, b: a, (v,), "ij->i", o), ()),
    "intrinsic": (lambda o, x, v: spy.intrinsic(o, v), ()),
    "intrinsic of": (lambda o, x, v: spy.intrinsic("spyreop.exp", o), ()),
    "compared": (lambda o, x, v: spy.tile_id() < o, (BIG, -BIG)),
    "condition": (lambda o, x, v: (spy.tile_id() == 0) & o, (True,)),
}


def refused(use):
    """`use(x, v)` in a kernel is a catalogue error in this file."""

    def kernel(x: spy.In, y: spy.InOut):
        del x
        use(y, spy.load(y[:, :]))

    array = np.zeros((8, 64), np.float16)
    with pytest.raises(SpyreError) as caught:
        trace_kernel(kernel, array, array.copy())
    assert caught.value.location.file == __file__
    assert caught.value.code < "SPY300"


@pytest.mark.parametrize("key", SUBSCRIPTS, ids=repr)
def test_subscripts(key):
    refused(lambda x, v: x[key])


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    call, fine = CALLS[name]
    allowed = {repr(o) for o in fine} | ({"nan"} if "nan" in fine else set())
    for odd in ODD:
        if repr(odd) not in allowed:
            refused(lambda x, v, odd=odd: call(odd, x, v))


@pytest.mark.parametrize("number", [BIG, 10**400, -BIG], ids=["1e30", "1e400", "-1e30"])
def test_numbers_too_large(number):
    refused(lambda x, v: v * number)
    refused(lambda x, v: x[spy.tile_id() + number, :])
    refused(lambda x, v: spy.zeros((4,), spy.i64) + number)
    refused(lambda x, v: spy.range(number))


def test_products_too_large():
    refused(lambda x, v: (spy.num_tiles() - spy.tile_id()) * 2**30 * 2**30)


def test_specs_too_large():
    with pytest.raises(SpyreError, match="SPY284"):
        tensor_spec((BIG,), "f16")


def test_no_parameters():
    def kernel():
        pass

    assert "func.func @kernel()" in trace_kernel(kernel).module.text()


ATTRIBUTES = {
    "astype": (lambda x, v: v.astype(spy.f32), "spy.cast"),
    "sum": (lambda x, v: v.sum(), "spy.sum"),
    "ndim": (lambda x, v: v.ndim, "rank"),
    "of a view": (lambda x, v: x.nothing, "spyrelang.language"),
    "of a tile": (lambda x, v: x[:, :].copy(), "values never change"),
    "of an integer": (lambda x, v: spy.tile_id().bit_length(), "spyrelang.language"),
}


@pytest.mark.parametrize("case", ATTRIBUTES)
def test_attributes_of_arrays(case):
    call, hint = ATTRIBUTES[case]

    def kernel(x: spy.InOut):
        call(x, spy.load(x[:, :]))

    with pytest.raises(SpyreError) as caught:
        trace_kernel(kernel, tensor_spec((4, 64), "f16"))
    assert caught.value.code == "SPY289"
    assert isinstance(caught.value, AttributeError)
    assert hint in str(caught.value.hint)


def test_protocol_questions_are_answered_no():
    def kernel(x: spy.InOut):
        value = spy.load(x[:, :])
        assert not hasattr(value, "strides")
        assert getattr(value, "__array_interface__", None) is None
        x[:, :] = value

    trace_kernel(kernel, tensor_spec((4, 64), "f16"))
