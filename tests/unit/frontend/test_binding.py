"""Signatures, arguments and grids: what fits, and what is refused under which code."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang import frontend
from spyrelang.errors import CATALOGUE, SpyreError
from spyrelang.frontend import TensorSpec, bind, resolve_grid, signature, tensor_spec
from spyrelang.semantics.dtypes import get

M, N = spy.dims("M N")
K = spy.Dim("K", max=256, granularity=64)
F16 = get("f16")


def add(x: spy.In[M, N, spy.f16], y: spy.In[M, N, spy.f16], out: spy.Out[M, N, spy.f16]):
    out[:, :] = spy.load(x[:, :]) + spy.load(y[:, :])


def scaled(x: spy.In, out: spy.Out, factor: spy.Const = 2.0):
    out[:, :] = spy.load(x[:, :]) * factor


def sized(x: spy.In[..., K], n: K, out: spy.Out[..., K]):
    pass


def addressed(p: spy.Ptr[spy.f16]):
    pass


def z(*shape, dtype=np.float16):
    return np.zeros(shape, dtype)


def test_positions_names_defaults():
    bound = bind(scaled, (z(4, 64),), {"out": z(4, 64)})
    assert bound.consts == {"factor": 2.0}
    assert bound.specs["x"] == TensorSpec((4, 64), F16)
    assert list(bound.arguments) == ["x", "out", "factor"]
    assert bind(scaled, (z(4, 64), z(4, 64), np.float32(0.5)), {}).consts == {"factor": 0.5}


def test_named_sizes():
    bound = bind(add, (z(4, 64), z(4, 64), z(4, 64)), {})
    assert bound.dims == {"M": 4, "N": 64}


def test_strides_are_in_elements():
    base = z(64, 8)
    assert bind(scaled, (base.T, z(8, 64)), {}).specs["x"].strides == (1, 8)
    assert bind(scaled, (base[::2, 1:5], z(32, 4)), {}).specs["x"].strides == (16, 1)
    assert bind(scaled, (base[:1], z(1, 8)), {}).specs["x"].strides is None
    assert bind(scaled, (np.zeros((0, 8), np.float16), z(0, 8)), {}).specs["x"].shape == (0, 8)


class Torch:
    """What a torch tensor looks like from outside."""

    shape = (4, 8)
    dtype = "torch.bfloat16"
    strides = None
    itemsize = 2

    def stride(self):
        return (1, 4)


def test_torch_tensors():
    spec = frontend.spec_of(Torch())
    assert spec == TensorSpec((4, 8), get("bf16"), (1, 4))


def test_specs():
    assert tensor_spec((4, 64), "float16") == TensorSpec((4, 64), F16)
    assert tensor_spec(64, "f16", (1,)).strides is None
    for shape, strides in (((4, -1), None), (("4",), None), ((4, 4), (1,)), ((1.5,), None)):
        with pytest.raises(SpyreError, match="SPY284"):
            tensor_spec(shape, "f16", strides)


REFUSED = {
    "missing": ("SPY270", add, (z(4, 64),), {}, "needs 'y' (In[M, N, f16])"),
    "unknown": ("SPY271", add, (), {"x": z(1, 1), "ouput": z(1, 1)}, "has no parameter 'ouput'"),
    "too many": ("SPY272", add, (1, 2, 3, 4), {}, "takes 3 arguments (x, y, out) and was given 4"),
    "twice": ("SPY273", add, (z(4, 64),), {"x": z(4, 64)}, "by position and by name"),
    "a list": ("SPY274", add, ([1], z(1, 1), z(1, 1)), {}, "was given a list"),
    "None": ("SPY274", add, (None, z(1, 1), z(1, 1)), {}, "was given None"),
    "dtype": ("SPY275", add, (z(4, 4, dtype="f4"), z(4, 4), z(4, 4)), {}, "x.astype(np.float16)"),
    "rank": ("SPY276", add, (z(64), z(4, 64), z(4, 64)), {}, "2 axes (In[M, N, f16])"),
    "no rank": ("SPY276", sized, (z(), 64, z(64)), {}, "at least 1"),
    "conflict": (
        "SPY278", add, (z(4, 64), z(4, 64), z(8, 64)), {},
        "size M of 'add' is 4 in 'x' (4, 64) and 8 in 'out' (8, 64)",
    ),
    "granularity": ("SPY279", sized, (z(100), 100, z(100)), {}, "multiple of 64"),
    "maximum": ("SPY279", sized, (z(512), 512, z(512)), {}, "at most 256"),
    "size": ("SPY279", sized, (z(64), "N", z(64)), {}, "an int"),
    "size and shape": ("SPY278", sized, (z(64), 128, z(64)), {}, "64 in 'x'"),
    "unhashable": ("SPY280", scaled, (z(4, 64), z(4, 64), [1]), {}, "pass a tuple"),
    "odd strides": (
        "SPY281", scaled,
        (np.zeros(64, "i1")[:24].view("V3").view(np.dtype({"names": ["a"], "formats": ["f2"],
         "offsets": [0], "itemsize": 3}))["a"], z(8)), {}, "not whole elements",
    ),
    "no address": ("SPY285", addressed, ("x",), {}, "was given 'x'"),
    "negative address": ("SPY285", addressed, (-1,), {}, "was given -1"),
    "type of an address": ("SPY275", addressed, (z(4, dtype="f4"),), {}, "f32"),
    "broadcast output": (
        "SPY281", scaled, (z(4, 64), np.broadcast_to(z(64), (4, 64))), {}, "share one place",
    ),
    "array constant": ("SPY282", scaled, (z(4, 64), z(4, 64), z(64)), {}, "declare the parameter"),
    "complex": ("SPY283", scaled, (z(4, 4, dtype="c8"), z(4, 4)), {}, "complex"),
    "big endian": ("SPY283", scaled, (z(4, 4, dtype=">f2"), z(4, 4)), {}, "foreign order"),
    "f64": ("SPY283", scaled, (z(4, 4, dtype="f8"), z(4, 4)), {}, "f64"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_arguments(case):
    code, kernel, args, kwargs, fragment = REFUSED[case]
    with pytest.raises(SpyreError) as caught:
        bind(kernel, args, kwargs)
    assert caught.value.code == code
    assert fragment in caught.value.render()
    assert caught.value.location.file.startswith(__file__[:20])


def test_fixed_size():
    def kernel(x: spy.In[M, 64]):
        pass

    with pytest.raises(SpyreError, match="SPY277") as caught:
        bind(kernel, (z(4, 32),), {})
    assert "axis 1 of 'x' of 'kernel' is declared 64 and has 32" in caught.value.message


def test_addresses():
    for value in (None, 0, 4096, np.int64(3)):
        assert bind(addressed, (value,), {}).specs == {}
    assert bind(addressed, (z(4),), {}).specs["p"].shape == (4,)


def test_kernel_inside_a_kernel(trace):
    def outer(x: spy.In, out: spy.Out):
        bind(scaled, (x, out), {})

    with pytest.raises(SpyreError, match="SPY286"):
        trace(outer, z(4, 4), z(4, 4))


def test_did_you_mean():
    with pytest.raises(SpyreError, match="did you mean 'out'") as caught:
        bind(add, (), {"oout": z(1, 1)})
    assert caught.value.location.file == __file__


# --- signatures -----------------------------------------------------------------------------------


def test_signature():
    found = signature(sized)
    assert [p.kind for p in found.parameters] == ["tensor", "dim", "tensor"]
    assert found["out"].declared() == "Out[..., K]"
    assert signature(add).location.line == add.__code__.co_firstlineno


def test_string_annotations():
    def kernel(x: "spy.In[M, N]", out: "spy.Out['M', 'N', spy.f16]", c: "spy.Const"):
        pass

    rows, _ = spy.dims("rows columns")

    def closed(x: "spy.In[rows]"):
        pass

    assert signature(kernel)["out"].dims == ("M", "N")
    assert signature(closed)["x"].dims == ("rows",)
    assert rows is not None


def test_types_by_name():
    assert spy.In["M", "float16"].dtype == F16
    assert spy.In[M, np.float32].dtype == get("f32")
    assert spy.In["M", "i"].dims == ("M", "i")
    assert spy.In[spy.f16].dims is None
    assert spy.Ptr[spy.f16].dtype == F16


def declare(code, fragment):
    def enter(function):
        DECLARED.append(pytest.param(function, code, fragment, id=f"{code} {fragment}"))

    return enter


DECLARED = []


@declare("SPY260", "annotated int")
def _():
    def kernel(x: int):
        pass

    signature(kernel)


@declare("SPY260", "'rows'")
def _():
    def kernel(x: "spy.In[rows]"):
        pass

    signature(kernel)


@declare("SPY261", "write x: spy.In")
def _():
    def kernel(x):
        pass

    signature(kernel)


@declare("SPY262", "*tensors")
def _():
    def kernel(*tensors: spy.In):
        pass

    signature(kernel)


@declare("SPY263", "1.5")
def _():
    spy.In[1.5, spy.f16]


@declare("SPY263", "two '...'")
def _():
    spy.In[..., ...]


@declare("SPY263", "arithmetic on the size M")
def _():
    spy.In[M * 2]


@declare("SPY263", "square brackets")
def _():
    spy.In(M, N)


@declare("SPY263", "'2N'")
def _():
    spy.dims("M 2N")


@declare("SPY263", "granularity=0")
def _():
    spy.Dim("N", granularity=0)


@declare("SPY264", "'x' of 'kernel'")
def _():
    def kernel(x: spy.In = np.zeros(4)):  # noqa: B008
        pass

    signature(kernel)


@declare("SPY265", "'my kernel'")
def _():
    signature(add, "my kernel")


@declare("SPY266", "an int")
def _():
    signature(3)


@declare("SPY280", "a list")
def _():
    def kernel(sizes: spy.Const = [1]):  # noqa: B006
        pass

    signature(kernel)


@pytest.mark.parametrize(("function", "code", "fragment"), DECLARED)
def test_refused_declarations(function, code, fragment):
    with pytest.raises(SpyreError) as caught:
        function()
    assert caught.value.code == code
    assert fragment in caught.value.render()


# --- grids ----------------------------------------------------------------------------------------


@pytest.fixture
def bound():
    return bind(scaled, (z(12, 64), z(12, 64)), {"factor": 3})


def test_grids(bound):
    assert resolve_grid(None, bound) == (1,)
    assert resolve_grid(32, bound) == (32,)
    assert resolve_grid((4, np.int64(8)), bound) == (4, 8)
    assert resolve_grid(lambda x: x.shape[0] // 4, bound) == (3,)
    assert resolve_grid(lambda factor, **rest: (factor, len(rest)), bound) == (3, 2)
    sizes = bind(add, (z(4, 64),) * 3, {})
    assert resolve_grid(lambda M: M, sizes) == (4,)


@pytest.mark.parametrize("grid", [0, -1, 2.0, True, "4", (), (1, 2, 3, 4), (4, 0), [None], {3: 4}])
def test_refused_grids(grid, bound):
    with pytest.raises(SpyreError, match="SPY287"):
        resolve_grid(grid, bound)


def test_refused_grid_functions(bound):
    with pytest.raises(SpyreError, match="SPY287"):
        resolve_grid(lambda x: x.shape[0] / 4, bound)
    with pytest.raises(SpyreError, match="did you mean 'out'"):
        resolve_grid(lambda ouut: 1, bound)
    with pytest.raises(SpyreError, match=r"SPY288.*IndexError"):
        resolve_grid(lambda x: x.shape[5], bound)


def test_every_code_is_raised_here():
    area = {code for code in CATALOGUE if "SPY260" <= code < "SPY290"}
    raised = {case[0] for case in REFUSED.values()} | {p.values[1] for p in DECLARED}
    assert area - raised == {
        "SPY267",
        "SPY268",
        "SPY269",
        "SPY277",
        "SPY284",
        "SPY286",
        "SPY287",
        "SPY288",
        "SPY289",
    }  # in tests of their own
