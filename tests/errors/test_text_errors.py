"""Errors of texts that take more than one changed word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import spyrelang as spyre
from spyrelang.schedule.text import write

TEXT = (Path(__file__).resolve().parents[1] / "data" / "add.mlir").read_text()
ADDED = """%s = linalg.add ins(%a, %b : tensor<3x64xf16>, tensor<3x64xf16>)
                    outs(%e : tensor<3x64xf16>) -> tensor<3x64xf16>"""


def refuses(code: str, run: object) -> spyre.SpyreError:
    with pytest.raises(spyre.SpyreError) as caught:
        run()  # type: ignore[operator]
    assert caught.value.code == code, str(caught.value)
    return caught.value


def test_an_op_that_no_pattern_expresses() -> None:
    generic = """%s = linalg.generic {
      indexing_maps = [#order, #order], iterator_types = ["parallel", "parallel"]
    } ins(%a : tensor<3x64xf16>) outs(%e : tensor<3x64xf16>) {
    ^bb0(%in: f16, %old: f16):
      %r = math.atan %in : f16
      linalg.yield %r : f16
    } -> tensor<3x64xf16>"""
    assert ADDED in TEXT
    kernel = spyre.load_ktir(TEXT.replace(ADDED, generic))["add"]
    error = refuses("SPY450", lambda: kernel.compile().executable)
    assert "math.atan on f16" in error.message
    x, out = np.ones((96, 64), np.float16), np.zeros((96, 64), np.float16)
    kernel.run({"x": x, "y": x, "out": out}, engine="ktir")
    assert (out == np.arctan(x)).all()


@pytest.mark.parametrize("stage", ["pipeline", "routed"])
def test_vectors_longer_than_the_device_has(stage: str) -> None:
    compiled = spyre.resume("ktir", TEXT.replace("64", "256").replace("63 >=", "255 >="))
    kernel = compiled.ladder.kernel(stage)
    (program,) = kernel.programs
    assert program.vector is not None
    longer = replace(program, vector=replace(program.vector, lanes=128))
    text = write(replace(kernel, programs=(longer,)), compiled.device, stage).text()
    error = refuses("SPY443", lambda: spyre.resume(stage, text))
    assert "128 elements of f16" in error.message
    assert error.location is not None


def test_tiles_of_the_text_kernel_give_numpys_bits() -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((96, 64)).astype(np.float16) for _ in range(2))
    for device in ("spyre", "sample_device"):
        for engine in ("ktir", "fast", "checked"):
            out = np.zeros_like(x)
            arrays = {"x": x, "y": y, "out": out}
            run = spyre.load_ktir(TEXT).run(arrays, engine=engine, device=device)
            assert (out == x + y).all()
            assert not run.warnings


def test_shapes_that_differ_between_tiles_that_exchange_data() -> None:
    text = """
#whole = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#every = affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0)>
#one = affine_set<(d0) : (d0 == 0)>
#order = affine_map<(d0) -> (d0)>
func.func @meet(%x: index, %out: index) attributes {grid = [2]} {
  %id = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {
    coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  %o = ktdp.construct_memory_view %out, sizes: [4], strides: [1] {
    coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  %t = ktdp.construct_access_tile %v[0] {
    access_tile_set = #whole, access_tile_order = #order
  } : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %to = ktdp.construct_access_tile %o[0] {
    access_tile_set = #whole, access_tile_order = #order
  } : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %a = ktdp.load %t : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %odd = tensor.empty(%id) : tensor<?xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #every
    -> <(tensor<4xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<4xf16>
  }
  %m = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #every, identity(%a : tensor<4xf16>)
    : <(tensor<4xf16>), groups = #one> -> tensor<4xf16> {
  ^bb0(%l: tensor<4xf16>, %r: tensor<4xf16>):
    ktdp.yield_reduced %l : tensor<4xf16>
  }
  ktdp.store %m, %to : tensor<4xf16>, !ktdp.access_tile<4xindex>
  return
}
"""
    x = np.ones(4, np.float16)
    kernel = spyre.load_ktir(text)
    error = refuses("SPY559", lambda: kernel.run({"x": x, "out": x.copy()}, engine="ktir"))
    assert "a size of tensor.empty" in error.message
