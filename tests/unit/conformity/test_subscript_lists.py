"""The public parser knows a value by its name without the result number: a subscript list must not
name one op of several results twice."""

from __future__ import annotations

import re

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import ir
from spyrelang.errors import SpyreError

STAGES = ("ktir", "programs", "pipeline", "routed", "nested", "explored", "placed", "dataflow")


@spyre.kernel(grid=(2, 4))
def blocks(x: spy.In, out: spy.Out):
    i, j = spy.tile_id(0), spy.tile_id(1)
    rows = slice(i * 3, i * 3 + 3)
    columns = slice((j // 2) * 40 + (j % 2) * 20, (j // 2) * 40 + (j % 2) * 20 + 20)
    out[rows, columns] = -spy.load(x[rows, columns])


@spyre.kernel(grid=(2, 4))
def diagonal(x: spy.In, out: spy.Out):
    i = spy.tile_id(0)
    j = spy.tile_id(1)
    out[i * 4 + j, :] = spy.load(x[i, :]) + spy.load(x[:, i])


CASES = [
    (blocks, [spyre.spec((6, 80), "f16")] * 2),
    (diagonal, [spyre.spec((8, 8), "f16")] * 2),
]


def _clashes(text: str) -> list[str]:
    """Lists in brackets that name one numbered value twice."""
    found: list[str] = []
    for inside in re.findall(r"\[([^\[\]]*)\]", text):
        names = re.findall(r"(%[\w.]+)#\d+", inside)
        if len(set(names)) < len(names):
            found.append(inside)
    return found


@pytest.mark.parametrize(("kernel", "specs"), CASES)
@pytest.mark.parametrize("stage", STAGES)
def test_no_list_names_an_op_twice(kernel: spyre.Kernel, specs: list[object], stage: str):
    assert _clashes(kernel.compile(*specs).ir(stage)) == []


def test_the_check_fires():
    assert _clashes("ktdp.construct_access_tile %0[%1#0 * 4, %1#1]") == ["%1#0 * 4, %1#1"]
    assert _clashes("%0[%1#0, %2#1]") == []


TILE = """
func.func @f(%m: memref<4x64xf16>) {
  NAMES = ktdp.get_compute_tile_id : index, index
  %t = ktdp.construct_access_tile %m[LIST] {
    access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 == 0)>,
    access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<4x64xf16> -> !ktdp.access_tile<1x1xindex>
  return
}
"""


@pytest.mark.parametrize("subscripts", ["%p#0, %p#1", "%p#1 + 1, %p#1", "%p#0 - %p#0, /**/%p#1"])
def test_text_with_a_clash_is_refused_at_the_list(subscripts: str):
    text = TILE.replace("NAMES", "%p:2").replace("LIST", subscripts.replace("/**/", "// %p\n"))
    with pytest.raises(SpyreError) as caught:
        ir.parse(text)
    where = caught.value.location
    assert where is not None
    assert (caught.value.code, where.line, where.col) == ("SPY101", 4, 38)
    assert "%a, %b" in str(caught.value)


def test_results_with_names_are_read_and_shown_in_generic_form():
    text = TILE.replace("NAMES", "%p, %q").replace("LIST", "%p, %q")
    once = ir.print_module(ir.parse(text))
    assert _clashes(once) == []
    assert '"ktdp.construct_access_tile"(%arg0, %0#0, %0#1)' in once
    assert ir.print_module(ir.parse(once)) == once


@pytest.mark.parametrize("engine", ["ktir", "fast", "checked"])
def test_the_numbers(engine: str):
    x = np.arange(480, dtype=np.float16).reshape(6, 80)
    out = np.zeros_like(x)
    blocks(x, out, engine=engine)
    assert np.array_equal(out, -x)
