"""numerics="df16": kernels written in f16 and computed in DLFloat16, on every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import runtime
from spyrelang.driver.kernel import Kernel
from spyrelang.engines import Options
from spyrelang.semantics import df16

ENGINES = ("ktir", "fast", "checked")


@spyre.kernel(grid=2)
def mixed(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    n = x.shape[0] // 2
    rows = spy.tile_id() * n
    a = spy.load(x[rows : rows + n, :])
    b = spy.load(y[rows : rows + n, :])
    out[rows : rows + n, :] = a * b + 0.1 - a


@spyre.kernel(grid=2)
def chosen(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    n = x.shape[0] // 2
    rows = spy.tile_id() * n
    a = spy.load(x[rows : rows + n, :])
    b = spy.load(y[rows : rows + n, :])
    out[rows : rows + n, :] = spy.where(a > b, spy.abs(a), -b * 2.0)


@spyre.kernel
def functions(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    a = spy.load(x[:, :])
    b = spy.load(y[:, :])
    out[:, :] = spy.gelu(a) / (spy.exp(b) + 1.0)


@spyre.kernel
def softmax(x: spy.In["M", "N"], out: spy.Out["M", "N"]):
    a = spy.load(x[:, :])
    e = spy.exp(a - spy.max(a, axis=1, keepdims=True))
    out[:, :] = e / spy.sum(e, axis=1, keepdims=True)


@spyre.kernel
def doubled(x: spy.InOut["M", "N"]):
    x[0:1, :] = spy.load(x[0:1, :]) * 2.0


@spyre.kernel
def scaled(x: spy.In["M", "N"], out: spy.Out["M", "N"]):
    a = spy.load(x[:, :])
    out[:, :] = a * a / a


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def rounded(values: np.ndarray) -> np.ndarray:
    """To DLFloat16, in f32."""
    return df16.round_df16(values.astype(np.float32))


def results(kernel: Kernel, *arrays: np.ndarray, numerics: str = "df16") -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for engine in ENGINES:
        found[engine] = np.empty_like(arrays[0])
        kernel(*arrays, found[engine], engine=engine, numerics=numerics)
    return found


@pytest.mark.parametrize("shape", [(2, 64), (4, 100), (6, 33)])
@pytest.mark.parametrize("kernel", [mixed, chosen])
def test_engines_agree_bit_by_bit(kernel: Kernel, shape: tuple[int, int]) -> None:
    x, y = numbers(*shape), numbers(*shape, seed=1)
    found = results(kernel, x, y)
    for engine in ENGINES[1:]:
        np.testing.assert_array_equal(found[engine].view(np.uint16), found["ktir"].view(np.uint16))
    ieee = results(kernel, x, y, numerics="ieee")
    assert (found["ktir"] != ieee["ktir"]).any()
    a, b = rounded(x), rounded(y)
    if kernel is mixed:
        want = rounded(rounded(rounded(a * b) + rounded(np.float32([0.1]))) - a)
    else:
        want = np.where(a > b, np.abs(a), -b * 2)
    np.testing.assert_array_equal(found["ktir"], want)


def test_functions_are_within_one_step_on_all_engines() -> None:
    x, y = numbers(4, 65), numbers(4, 65, seed=1)
    found = results(functions, x, y)
    ieee = results(functions, x, y, numerics="ieee")["ktir"].astype(np.float32)
    for engine in ENGINES:
        near = np.abs(found[engine] - found["ktir"]) <= 2.0**-9 * 3 * np.abs(found["ktir"])
        assert near.all()
        # operands lose half a bit each, and so does each of the four results
        assert (np.abs(found[engine] - ieee) <= 6 * 2.0**-9 * np.abs(ieee) + 2.0**-20).all()


def test_softmax_starts_its_maximum_below_all_numbers() -> None:
    x, out = numbers(3, 97), np.zeros((3, 97), np.float16)
    softmax(x, out, engine="ktir", numerics="df16")
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(1, keepdims=True))
    want = e / e.sum(1, keepdims=True)
    np.testing.assert_allclose(out, want, rtol=2.0**-6, atol=1e-4)
    np.testing.assert_array_equal(rounded(out), out)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_range_is_that_of_df16(engine: str) -> None:
    x = np.full((1, 64), 60000, np.float16)
    out = np.zeros_like(x)
    scaled(x, out, engine=engine, numerics="df16")
    np.testing.assert_allclose(out, x, rtol=2.0**-8)
    scaled(x, out, engine=engine)
    assert np.isinf(out).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_infinities_come_back_as_nan(engine: str) -> None:
    x, out = np.full((1, 64), -np.inf, np.float16), np.zeros((1, 64), np.float16)
    scaled(x, out, engine=engine, numerics="df16")
    assert np.isnan(out).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_written_arrays_are_converted_whole_and_read_ones_not_at_all(engine: str) -> None:
    kept = 1 + 2.0**-10  # has a bit that DLFloat16 has not
    x = np.full((2, 64), kept, np.float16)
    doubled(x, engine=engine, numerics="df16")
    np.testing.assert_array_equal(x, [[2 + 2.0**-8] * 64, [1 + 2.0**-9] * 64])
    x[...], out = kept, np.zeros_like(x)
    scaled(x, out, engine=engine, numerics="df16")
    assert (x == kept).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_strided_shared_and_resident_arrays(engine: str) -> None:
    wide = numbers(4, 260)
    x, out = wide[:, ::2], np.zeros((130, 4), np.float16).T
    mixed(x, x, out, engine=engine, numerics="df16")
    a = rounded(x)
    want = rounded(rounded(rounded(a * a) + rounded(np.float32([0.1]))) - a)
    np.testing.assert_array_equal(out, want)

    given, device = runtime.from_numpy(x.copy()), runtime.empty((4, 130), "f16")
    compiled = mixed.compile(x, x, out)
    options = Options(numerics="df16") if engine != "ktir" else None
    numerics = "df16" if engine == "ktir" else "ieee"
    compiled.run(given, given, device, engine=engine, numerics=numerics, options=options)
    np.testing.assert_array_equal(device.numpy(), want)

    same = np.ascontiguousarray(x)
    mixed(same, same, same, engine=engine, numerics="df16")
    np.testing.assert_array_equal(same, want)


def test_f32_kernels_are_the_same_in_both_modes() -> None:
    x = numbers(4, 70).astype(np.float32)
    y = numbers(4, 70, seed=1).astype(np.float32)
    found = [results(mixed, x, y, numerics=mode) for mode in ("ieee", "df16")]
    for engine in ENGINES:
        np.testing.assert_array_equal(found[0][engine], found[1][engine])


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_artifacts_launch_in_both_modes(engine: str, tmp_path: Any) -> None:
    x, y = numbers(4, 100), numbers(4, 100, seed=1)
    out = np.zeros_like(x)
    mixed.export(tmp_path / "mixed", x, y, out)
    prepared = runtime.prepare(tmp_path / "mixed")
    want = results(mixed, x, y)["ktir"]
    prepared.launch(x, y, out, engine=engine, options=Options(numerics="df16"))
    np.testing.assert_array_equal(out, want)
    prepared.launch(x, y, out, engine=engine)
    np.testing.assert_array_equal(out, results(mixed, x, y, numerics="ieee")["ktir"])


def test_unknown_modes() -> None:
    x = numbers(2, 64)
    for engine in ENGINES:
        with pytest.raises(spyre.SpyreError) as caught:
            mixed(x, x, np.zeros_like(x), engine=engine, numerics="bf16")
        assert caught.value.code == "SPY823"
    with pytest.raises(spyre.SpyreError):
        Options(numerics="bf16")


DF16_TEXT = """
#box = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#same = affine_map<(d0) -> (d0)>
module {
  func.func @k(%x: index, %o: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
      coordinate_set = #box, memory_space = #ktdp.memory_space<global>
    } : memref<64x!spyreop.df16>
    %xt = ktdp.construct_access_tile %xv[%c0] {
      access_tile_set = #box, access_tile_order = #same
    } : memref<64x!spyreop.df16> -> !ktdp.access_tile<64xindex>
    %v = ktdp.load %xt : <64xindex> -> tensor<64x!spyreop.df16>
    %ov = ktdp.construct_memory_view %o, sizes: [64], strides: [1] {
      coordinate_set = #box, memory_space = #ktdp.memory_space<global>
    } : memref<64x!spyreop.df16>
    %ot = ktdp.construct_access_tile %ov[%c0] {
      access_tile_set = #box, access_tile_order = #same
    } : memref<64x!spyreop.df16> -> !ktdp.access_tile<64xindex>
    %e = tensor.empty() : tensor<64x!spyreop.df16>
    %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
        ins(%v : tensor<64x!spyreop.df16>) outs(%e : tensor<64x!spyreop.df16>) {
    ^bb0(%a: !spyreop.df16, %b: !spyreop.df16):
      %d = spyreop.gelu %a : !spyreop.df16
      linalg.yield %d : !spyreop.df16
    } -> tensor<64x!spyreop.df16>
    ktdp.store %r, %ot : tensor<64x!spyreop.df16>, <64xindex>
    return
  }
}
"""


def test_tensors_of_df16_run_on_ktir_and_are_refused_by_name_elsewhere() -> None:
    module = spyre.load_ktir(DF16_TEXT)
    x, o = df16.encode(np.linspace(-3, 3, 64)), np.zeros(64, np.uint16)
    for numerics in ("ieee", "df16"):
        module.run({"x": x, "o": o}, engine="ktir", numerics=numerics)
        assert df16.decode(o)[-1] == rounded(np.float32([2.99595]))[0]
    for engine in ("fast", "checked"):
        with pytest.raises(spyre.SpyreError) as caught:
            module.run({"x": x, "o": o}, engine=engine)
        assert caught.value.code == "SPY438"
        assert caught.value.location is not None
        assert caught.value.location.line == 7
