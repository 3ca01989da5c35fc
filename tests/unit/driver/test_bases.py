"""Addresses fixed at compilation, in bytes: the same results, and no arguments in the KTIR."""

import json

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

M, N = spy.dims("M N")


@spyre.kernel(grid=2)
def add(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    for rows in spy.blocks(x.shape[0], 2):
        out[rows] = x[rows] + y[rows]


X = (np.arange(256).reshape(4, 64) % 7).astype(np.float16)
Y = X[::-1].copy()


@pytest.mark.parametrize("engine", ["ktir", "fast", "checked"])
@pytest.mark.parametrize("bases", ["segments", {"x": 4096, "out": 1 << 20}, {"y": 0}, {}])
def test_runs_take_the_arrays_as_before(engine, bases) -> None:
    out = np.zeros_like(X)
    add(X, Y, out, engine=engine, bases=bases)
    np.testing.assert_array_equal(out, X + Y)
    compiled = add.compile(X, Y, out, bases=bases)
    for given in ({"args": (X, Y)}, {"args": ()}):
        out[...] = 0
        names = {"x": X, "y": Y} if not given["args"] else {}
        compiled.run(*given["args"], **names, out=out, engine=engine)
        np.testing.assert_array_equal(out, X + Y)


def test_bytes_become_elements_and_arguments_go() -> None:
    text = add.ir("ktir", X, Y, X, bases={"x": 4096, "out": 1 << 20})
    assert "func.func @add(%y: index" in text
    assert "construct_memory_view %c2048," in text
    assert "construct_memory_view %c524288," in text
    assert "()" in add.ir("ktir", X, Y, X, bases="segments").split("@add")[1][:3]
    assert "%c8589934592" in add.ir("ktir", X, Y, X, bases="segments")
    assert "func.func @add(%x: index" in add.ir("ktir", X, Y, X)  # another specialisation


def test_the_text_runs_with_its_memory() -> None:
    text = add.ir("ktir", X, Y, X, bases={"x": 4096, "y": 8192, "out": 1 << 20})
    out = np.zeros_like(X)
    memory = {2048: X, 4096: Y, 1 << 19: out}
    spyre.load_ktir(str(text)).run({}, memory=memory, engine="ktir")
    np.testing.assert_array_equal(out, X + Y)


@pytest.mark.parametrize("bases", ["segments", {"x": 4096, "y": 3 << 34, "out": 1 << 20}, {"y": 0}])
def test_artifacts_take_the_arrays_where_they_lie(bases, tmp_path) -> None:
    add.compile(X, Y, X, bases=bases).export(tmp_path / "add")
    record = json.loads((next((tmp_path / "add").rglob("launch_spec.json"))).read_text())
    told = {a["name"]: a.get("address") for a in record["spyrelang"]["arguments"]}
    wanted = {"x": 0, "y": 1 << 34, "out": 2 << 34} if bases == "segments" else bases
    assert {n: int(a) for n, a in told.items() if a is not None} == wanted
    assert sorted(told) == ["out", "x", "y"]
    out = np.zeros_like(X)
    spyre.runtime.prepare(tmp_path / "add").launch(x=X, y=Y, out=out)
    np.testing.assert_array_equal(out, X + Y)


def test_layouts_of_an_artifact(tmp_path) -> None:
    lay = spyre.layout((4, 64), "f16", (1, 0))
    add.compile(X, Y, X).export(tmp_path / "add", layouts={"x": lay})
    record = json.loads((next((tmp_path / "add").rglob("launch_spec.json"))).read_text())
    assert record["args"][0]["layout"]["stride_map"] == list(lay.stride_map)


def test_arrays_that_would_overlap() -> None:
    with pytest.raises(SpyreError, match="SPY507"):
        add(X, Y, np.zeros_like(X), engine="ktir", bases={"x": 0, "y": 128})


@pytest.mark.parametrize(
    ("bases", "problem"),
    [
        ({"x": 1}, "no multiple of 2 bytes"),
        ({"x": -2}, "no multiple of 2 bytes"),
        ({"x": 7 << 34}, "no multiple"),
        ({"x": 2.0}, "no multiple"),
        ({"z": 0}, "these are x, y, out"),
        ({"x": 64, "y": 64}, "both lie at element 32"),
        ("pages", "'pages'"),
        (3, "got 3"),
    ],
)
def test_mistakes(bases, problem) -> None:
    with pytest.raises(SpyreError, match="SPY837") as caught:
        add.compile(X, Y, X, bases=bases)
    assert problem in str(caught.value)


def test_no_more_tensors_than_segments() -> None:
    @spyre.kernel
    def many(
        a: spy.In, b: spy.In, c: spy.In, d: spy.In, e: spy.In, f: spy.In, g: spy.In, out: spy.Out
    ):
        out[...] = a[...] + b[...] + c[...] + d[...] + e[...] + f[...] + g[...]

    with pytest.raises(SpyreError, match="7 segments for 8 tensors"):
        many.compile(*[X] * 8, bases="segments")
