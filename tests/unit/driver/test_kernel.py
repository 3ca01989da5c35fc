"""Kernels as objects: calling, caching, looking at stages, resuming, errors of the call."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.driver.cache import COMPILED, Cache, fingerprint
from spyrelang.driver.stages import STAGES

FACTOR = 2.0


@spyre.kernel(grid=2)
def scaled(x: spy.In["M", "N"], out: spy.Out["M", "N"]):
    n = x.shape[0] // 2
    r = spy.tile_id() * n
    out[r : r + n, :] = spy.load(x[r : r + n, :]) * FACTOR


@spyre.kernel
def fixed(x: spy.In[3, 100, spy.f32], out: spy.Out[3, 100, spy.f32]):
    out[:, :] = -spy.load(x[:, :])


def numbers(*shape: int, dtype: type = np.float16) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("engine", ["ktir", "fast", "checked"])
def test_call_fills_the_output(engine: str) -> None:
    x = numbers(6, 70)
    out = np.empty_like(x)
    run = scaled(x, out, engine=engine)
    assert np.array_equal(out, x * np.float16(2))
    assert run.engine == engine
    assert (run.cycles > 0) == (engine != "ktir")


def test_arguments_by_name_and_strided_arrays() -> None:
    wide = numbers(6, 140)
    out = np.zeros((70, 6), np.float16).T
    scaled(out=out, x=wide[:, ::2])
    assert np.array_equal(out, wide[:, ::2] * np.float16(2))


def test_cache_hits_on_equal_calls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    x = numbers(6, 70)
    out = np.empty_like(x)
    first = scaled.compile(x, out)
    assert scaled.compile(x, out) is first
    assert scaled.compile(x, out, grid=1) is not first
    assert scaled.compile(x.astype(np.float32), out.astype(np.float32)) is not first
    assert scaled.compile(x, out, device="sample_device") is not first
    monkeypatch.setitem(scaled.function.__globals__, "FACTOR", 3.0)
    assert scaled.compile(x, out) is not first
    scaled(x, out)
    assert np.array_equal(out, x * np.float16(3))


def test_cache_can_be_off() -> None:
    from spyrelang import settings

    x = numbers(6, 70)
    with settings.override(cache=False):
        assert scaled.compile(x, x) is not scaled.compile(x, x)


def test_fingerprint_sees_helpers_and_closures() -> None:
    def make(step: int):
        def inner(x: int) -> int:
            return x + step

        return inner

    assert fingerprint(make(1)) == fingerprint(make(1))
    assert fingerprint(make(1)) != fingerprint(make(2))


def test_cache_drops_the_least_recently_used() -> None:
    cache = Cache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert cache.get("b") is None
    assert (cache.get("a"), cache.get("c"), len(cache)) == (1, 3, 2)
    assert COMPILED is not cache


def test_text_without_arguments() -> None:
    assert "func.func @fixed" in fixed.ir()
    fresh = spyre.kernel(scaled.function, grid=2)
    with pytest.raises(spyre.SpyreError) as caught:
        fresh.ir("ktir")
    assert caught.value.code == "SPY824"
    x = numbers(2, 64)
    fresh(x, np.empty_like(x))
    assert "2x64" in fresh.ir("ktir")


def test_every_stage_resumes_to_the_same_bits() -> None:
    x = numbers(6, 70)
    compiled = scaled.compile(x, x.copy())
    assert compiled.stages == STAGES
    for stage in STAGES[:-1]:
        again = spyre.resume(stage, compiled.ir(stage))
        out = np.zeros_like(x)
        again.run(x=x, out=out)
        assert np.array_equal(out, x * np.float16(2)), stage
        assert again.stages[0] == stage
        assert str(again.ir(stage)) == str(compiled.ir(stage))


def test_stages_before_the_start_are_refused() -> None:
    x = numbers(6, 70)
    again = spyre.resume("placed", scaled.compile(x, x).ir("placed"))
    with pytest.raises(spyre.SpyreError, match="made from text of stage 'placed'"):
        again.ir("ktir")
    with pytest.raises(spyre.SpyreError) as caught:
        again.ir("dataflo")
    assert caught.value.hint == "did you mean 'dataflow'?"


def test_edits_of_decisions_take_effect() -> None:
    x = numbers(12, 4097)
    compiled = scaled.compile(x, x, grid=1, device="sample_device")
    text = str(compiled.ir("placed"))
    assert text.count("arith.constant 0 : index") >= 1
    moved = text.replace("arith.mulf", "arith.addf")
    again = spyre.resume("placed", moved, device="sample_device")
    out = np.zeros_like(x)
    again.run(x=x, out=out)
    assert np.array_equal(out[:6], (x + np.float16(2))[:6])


def test_senseless_edits_name_the_line() -> None:
    x = numbers(6, 70)
    text = str(scaled.compile(x, x).ir("routed"))
    number = next(i for i, line in enumerate(text.splitlines(), 1) if "ktdf.data_transfer" in line)
    lines = text.splitlines()
    lines[number - 1] = lines[number - 1].replace("* 64]", "* 32]", 1)
    assert lines[number - 1] != text.splitlines()[number - 1]
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.resume("routed", "\n".join(lines))
    assert caught.value.code == "SPY441"
    assert caught.value.location is not None
    assert caught.value.location.line == number


def test_text_of_another_stage_is_refused() -> None:
    x = numbers(6, 70)
    compiled = scaled.compile(x, x)
    for stage in ("programs", "pipeline", "placed"):
        with pytest.raises(spyre.SpyreError) as caught:
            spyre.resume(stage, compiled.ir("ktir"))
        assert caught.value.code == "SPY440"


def test_report_and_passes() -> None:
    x = numbers(6, 70)
    compiled = scaled.compile(x, x)
    report = str(compiled.report())
    assert "staging buffers" in report
    assert "2,097,152" in report
    names = [record.name for record in compiled.passes()]
    for name in ("split", "route", "explore", "lower", "decode"):
        assert name in names


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"engine": "quick"}, "SPY822"),
        ({"numerics": "bf16"}, "SPY823"),
        ({"numerics": "exact", "engine": "ktir"}, "SPY823"),
        ({"device": "no_such_device"}, "SPY30"),
    ],
)
def test_bad_calls(words: dict[str, str], code: str) -> None:
    x = numbers(6, 70)
    with pytest.raises(spyre.SpyreError) as caught:
        scaled(x, np.empty_like(x), **words)
    assert caught.value.code.startswith(code)


def test_uncovered_rows_warn_once_at_compile_time() -> None:
    x = numbers(7, 64)
    with pytest.warns(spyre.SpyreWarning, match=r"out\[6:7, :\]|out\[6, :\]"):
        scaled.compile(x, np.empty_like(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled.compile(x, np.empty_like(x))


@spyre.kernel(grid=4)
def same_row(x: spy.In[4, 64], out: spy.Out[4, 64]):
    out[0:1, :] = spy.load(x[0:1, :])


def test_findings_of_a_run_are_told_at_the_call() -> None:
    x = numbers(4, 64)
    compiled = same_row.compile(x, x.copy())
    module = spyre.load_ktir(str(compiled.ir("ktir")))
    for call in (
        lambda: same_row(x, x.copy(), engine="ktir"),
        lambda: compiled.run(x, x.copy(), engine="ktir"),
        lambda: module.run({"x": x, "out": x.copy()}, engine="ktir"),
    ):
        with pytest.warns(spyre.SpyreWarning) as told:
            run = call()
        races = [w for w in told if w.message.code == "SPY566"]
        assert [w.filename for w in races] == [__file__]
        assert {w.code for w in run.warnings} >= {"SPY566", "SPY575"}
        assert "SPY575" not in {w.message.code for w in told}


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_has_no_kernel(text: str) -> None:
    module = spyre.load_ktir(text)
    assert module.kernels == ()
    with pytest.raises(spyre.SpyreError) as caught:
        module.run({}, engine="ktir")
    assert "no kernel" in caught.value.message


def test_modules_of_text() -> None:
    x = numbers(6, 70)
    text = str(scaled.compile(x, x).ir("ktir"))
    module = spyre.load_ktir(text)
    assert module.kernels == ("scaled",)
    out = np.empty_like(x)
    for engine in ("ktir", "fast", "checked"):
        out[:] = 0
        module.run({"x": x, "out": out}, engine=engine)
        assert np.array_equal(out, x * np.float16(2))
    with pytest.raises(KeyError):
        module["other"]
    dataflow = spyre.load_dataflow(scaled.compile(x, x).ir("dataflow"))
    out[:] = 0
    dataflow.run({"x": x, "out": out})
    assert np.array_equal(out, x * np.float16(2))


def test_events_need_the_checked_engine(tmp_path) -> None:
    x = numbers(6, 70)
    out = np.empty_like(x)
    with pytest.raises(spyre.SpyreError) as caught:
        scaled(x, out).timeline()
    assert caught.value.code == "SPY840"
    run = scaled(x, out, engine="checked")
    assert "C0-sfu" in str(run.timeline())
    assert run.trace(tmp_path / "t.json").stat().st_size > 100
    assert "busiest first" in str(run.report())
