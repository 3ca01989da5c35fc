"""What resumed texts say about sharing and about the grid is read, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel(grid=2)
def double(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
    r = spy.tile_id() * 2
    v = spy.load(x[r : r + 2, :])
    out[r : r + 2, :] = v + v


def noted(stage: str, note: str) -> str:
    """The text of a stage with a note on its kernel."""
    text = str(double.ir(stage))
    at = text.index("grid = [2]")
    return f"{text[:at]}spyrelang.no_share = {note}, {text[at:]}"


@pytest.mark.parametrize("stage", ["programs", "placed", "dataflow"])
@pytest.mark.parametrize(
    "note", ["[array<i64: 0>]", "[array<i64: 0, 1, 1>]", "[[0, 7]]", '[["x", "out"]]', "3"]
)
def test_notes_that_name_no_pairs_are_refused(stage: str, note: str) -> None:
    code = "SPY535" if stage == "dataflow" else "SPY440"
    with pytest.raises(spyre.SpyreError, match="no pairs of arguments") as caught:
        spyre.resume(stage, noted(stage, note)).passes()
    assert caught.value.code == code
    assert caught.value.location is not None


@pytest.mark.parametrize("stage", ["programs", "dataflow"])
def test_arguments_of_a_note_may_not_share(stage: str) -> None:
    compiled = spyre.resume(stage, noted(stage, "[array<i64: 0, 1>]"))
    assert compiled.executable.no_share == ((0, 1),)
    x = np.ones((4, 64), np.float16)
    with pytest.raises(spyre.SpyreError, match="SPY7"):
        compiled.run(x, x)


@pytest.mark.parametrize("grid", ["[0]", "[]", "[-2]", "[9223372036854775808]", "[1]", "[2, 1]"])
def test_grids_that_are_not_those_of_the_programs(grid: str) -> None:
    text = str(double.ir("programs")).replace("grid = [2]", f"grid = {grid}", 1)
    with pytest.raises(spyre.SpyreError, match="grid") as caught:
        spyre.resume("programs", text).passes()
    assert caught.value.code == "SPY440"
    assert caught.value.location is not None


@pytest.mark.parametrize("stage", ["programs", "routed", "placed"])
def test_numbers_that_no_index_holds(stage: str) -> None:
    text = str(double.ir(stage))
    huge = text.replace("strides: [64, 1]", f"strides: [{2**63 - 1}, 1]")
    assert huge != text
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.resume(stage, huge).passes()
    assert caught.value.code != "SPY900"
    assert caught.value.location is not None


def test_arrays_of_indices_are_no_operands() -> None:
    text = str(double.ir("programs")).replace("64xf16", "64xindex").replace(": f16", ": index")
    text = text.replace("arith.addf", "arith.addi")
    with pytest.raises(spyre.SpyreError, match="no numbers of type index"):
        spyre.resume("programs", text).passes()
