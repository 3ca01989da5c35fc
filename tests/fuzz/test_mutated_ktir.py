"""Mutated KTIR works in engine "ktir" or is refused by name: nothing else, and no crash."""

from __future__ import annotations

import os
import random
import warnings
from typing import Any

import numpy as np
from mutations import mutate

import spyrelang as spyre

COUNT = max(1, int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2)
TEXT = """
#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>
#two = affine_set<(d0)[s0] : (d0 - s0 * 2 >= 0, -d0 + s0 * 2 + 1 >= 0)>
#list = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func private @twice(%x: tensor<1x16xf16>) -> tensor<1x16xf16> {
    %y = arith.addf %x, %x : tensor<1x16xf16>
    return %y : tensor<1x16xf16>
  }
  func.func @k(%x: index, %i: index, %o: index, %n: i32) attributes {grid = [4]} {
    %id = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = index.constant 1
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0xFC00> : tensor<1x16xf16>
    %xv = ktdp.construct_memory_view %x, sizes: [8, 16], strides: [16, 1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<global>} : memref<8x16xf16>
    %iv = ktdp.construct_memory_view %i, sizes: [8], strides: [1] {coordinate_set = #list,
      memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %ov = ktdp.construct_memory_view %o, sizes: [8, 16], strides: [16, 1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<global>} : memref<8x16xf16>
    %pv = ktdp.construct_memory_view %c0, sizes: [8, 16], strides: [16, 1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<ct_local>} : memref<8x16xf16>
    %r = scf.for %k = %id to %c8 step %c4 iter_args(%a = %z) -> (tensor<1x16xf16>) {
      %g = ktdp.construct_indirect_access_tile intermediate_variables(%p, %q)
        %xv[ind(%iv[%k + %p]), (%q)] {variables_space_set = #row, variables_space_order = #id}
        : memref<8x16xf16>, memref<8xi32> -> !ktdp.access_tile<1x16xindex>
      %v = ktdp.load %g : <1x16xindex> -> tensor<1x16xf16>
      %w = func.call @twice(%v) : (tensor<1x16xf16>) -> tensor<1x16xf16>
      %t = ktdp.construct_access_tile %pv[%k, 0] {access_tile_set = #row, access_tile_order = #id}
        : memref<8x16xf16> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %w, %t : tensor<1x16xf16>, <1x16xindex>
      %b = linalg.max ins(%a, %w : tensor<1x16xf16>, tensor<1x16xf16>)
        outs(%w : tensor<1x16xf16>) -> tensor<1x16xf16>
      %ot = ktdp.construct_access_tile %ov[%k, 0] {access_tile_set = #row, access_tile_order = #id}
        : memref<8x16xf16> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %b, %ot : tensor<1x16xf16>, <1x16xindex>
      scf.yield %b : tensor<1x16xf16>
    }
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #two
      -> <(tensor<1x16xf16>), groups = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>> {
    ^bb0(%g: index):
      ktdp.yield_partial %r : tensor<1x16xf16>
    }
    %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #two, identity(%z : tensor<1x16xf16>)
      : <(tensor<1x16xf16>), groups = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>>
      -> tensor<1x16xf16> {
    ^bb0(%a: tensor<1x16xf16>, %b: tensor<1x16xf16>):
      %t = arith.maximumf %a, %b : tensor<1x16xf16>
      ktdp.yield_reduced %t : tensor<1x16xf16>
    }
    %m = arith.index_cast %n : i32 to index
    %c = arith.cmpi ult, %id, %m : index
    scf.if %c {
      %u = tensor.collapse_shape %s [[0, 1]] : tensor<1x16xf16> into tensor<16xf16>
      %h = tensor.expand_shape %u [[0, 1]] output_shape [1, 16] : tensor<16xf16>
        into tensor<1x16xf16>
      %ot = ktdp.construct_access_tile %ov[%id, 0] {access_tile_set = #row,
        access_tile_order = #id} : memref<8x16xf16> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %h, %ot : tensor<1x16xf16>, <1x16xindex>
    }
    return
  }
}
"""


def arrays() -> dict[str, Any]:
    x = np.arange(128, dtype=np.float16).reshape(8, 16)
    return {"x": x, "i": np.arange(8, dtype=np.int32)[::-1], "o": np.zeros_like(x), "n": 4}


def broken(number: int) -> str:
    """What is wrong with the answer to one mutated text; empty when it worked or was refused."""
    text = mutate(TEXT, TEXT, random.Random(f"ktir engine {number}"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spyre.load_ktir(text).run(arrays(), engine="ktir")
    except spyre.SpyreError as error:
        return str(error) if error.code == "SPY900" or not error.message else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_the_text_itself_runs() -> None:
    given = arrays()
    spyre.load_ktir(TEXT).run(given, engine="ktir")
    rows = 2 * given["x"][::-1].astype(np.float32)
    most = np.maximum(rows[:4], rows[4:])
    np.testing.assert_array_equal(given["o"][:4], np.repeat(most[::2], 2, axis=0))
    np.testing.assert_array_equal(given["o"][4:], most)


def test_mutated_ktir() -> None:
    failures = [(number, broken(number)) for number in range(COUNT)]
    wrong = [f"{number}: {what}" for number, what in failures if what]
    assert not wrong, "\n".join(wrong)
