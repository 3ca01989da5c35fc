"""Loops with a body of the author's, and intrinsics by name."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.affine import Map
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run


def test_contraction_with_another_body():
    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = spy.generic(
            lambda x, y, acc: acc + abs(x - y), (a[...], b[...]), "mk,nk->mn",
            spy.zeros((3, 4), spy.f32),
        )  # fmt: skip

    a, b, out = random(3, 5), random(4, 5), np.zeros((3, 4), np.float32)
    text = run(kernel, a, b, out).module.text()
    np.testing.assert_allclose(out, abs(a[:, None] - b[None]).sum(2), rtol=1e-5)
    assert text.count("linalg.generic") == 1


def test_no_reduction_and_two_results():
    def kernel(a: spy.In, b: spy.In, out: spy.Out, other: spy.Out):
        total, product = spy.generic(
            lambda x, y: (x + y, spy.cast(spy.exp(x * y), spy.f32)), (a[...], b[...]), "ij,j->ij,ji"
        )
        out[...] = total
        other[...] = product

    a, b = random(3, 5), random(5)
    out, other = np.zeros((3, 5), np.float32), np.zeros((5, 3), np.float32)
    run(kernel, a, b, out, other)
    np.testing.assert_array_equal(out, a + b)
    np.testing.assert_allclose(other, np.exp(a * b).T, rtol=1e-5)


def test_value_and_index_of_the_largest():
    def kernel(x: spy.In, most: spy.Out, at: spy.Out):
        def larger(v, i, best, where):
            return spy.maximum(v, best), spy.where(v > best, i, where)

        start = (spy.full((3,), float("-inf"), spy.f32), spy.full((3,), -1, spy.i32))
        v, i = spy.generic(larger, (x[...], spy.iota(x.shape, 1)), "ij,ij->i,i", start)
        most[...] = v
        at[...] = i

    x = random(3, 7)
    most, at = np.zeros(3, np.float32), np.zeros(3, np.int32)
    run(kernel, x, most, at)
    np.testing.assert_array_equal(most, x.max(1))
    np.testing.assert_array_equal(at, x.argmax(1))


def test_maps_and_scalars_of_outside():
    def kernel(x: spy.In, s: spy.In, out: spy.Out):
        factor = spy.load(s[1])
        maps = [Map.parse("(d0, d1) -> (d1, d0)"), "(d0, d1) -> (d0, d1)"]
        out[...] = spy.generic(lambda v: v * factor + 1.0, (x[...],), maps)

    x, s, out = random(3, 5), random(2), np.zeros((5, 3), np.float32)
    run(kernel, x, s, out)
    np.testing.assert_allclose(out, x.T * s[1] + 1, rtol=1e-6)


def test_result_that_is_an_input_or_a_number():
    def kernel(x: spy.In, out: spy.Out, ones: spy.Out):
        out[...] = spy.generic(lambda v: v, x[...], "ij->ji")
        ones[...] = spy.generic(lambda v, acc: 1.0, x[...], "ij->i", spy.zeros((3,), spy.f32))

    x, out, ones = random(3, 5), np.zeros((5, 3), np.float32), np.zeros(3, np.float32)
    run(kernel, x, out, ones)
    np.testing.assert_array_equal(out, x.T)
    assert (ones == 1).all()


def test_intrinsics():
    def kernel(x: spy.In, out: spy.Out):
        v = spy.load(x)
        positive = spy.intrinsic(
            "spyreop.compare", v, 0.0, predicate="#spyreop.compare_predicate<greaterthan>"
        )
        out[...] = spy.intrinsic("spyreop.select", positive, spy.intrinsic("spyreop.exp", v), v)

    x = random(3, 5)
    out = np.zeros_like(x)
    text = run(kernel, x, out).module.text()
    np.testing.assert_allclose(out, np.where(x > 0, np.exp(x), x), rtol=1e-5)
    assert "spyreop.compare <greaterthan>" in text


def test_intrinsic_attributes():
    def kernel(x: spy.In, out: spy.Out):
        out[...] = spy.intrinsic("spyreop.softplus", x[...], beta=2.0, threshold=10.0)

    x = random(3, 5, dtype=np.float16)
    out = np.zeros_like(x)
    run(kernel, x, out)
    np.testing.assert_allclose(out, np.log1p(np.exp(2 * x.astype("f4"))) / 2, rtol=2e-3)


MISTAKES = {
    "no init": (lambda v: spy.generic(lambda x, a: a + x, (v,), "ij->i"), "SPY299"),
    "no maps": (lambda v: spy.generic(lambda x: x, (v,), 3), "SPY299"),
    "too few maps": (lambda v: spy.generic(lambda x: x, (v, v), ["(i) -> (i)"]), "SPY299"),
    "rank of a map": (lambda v: spy.generic(lambda x: x, (v,), "i->i"), "SPY299"),
    "sizes": (lambda v: spy.generic(lambda x, y: x, (v, v), "ij,ji->ij"), "SPY299"),
    "loop of unknown size": (lambda v: spy.generic(lambda x: x, (v,), "ij->ijk"), "SPY299"),
    "no function": (lambda v: spy.generic(3, (v,), "ij->ij"), "SPY299"),
    "results": (lambda v: spy.generic(lambda x: (x, x), (v,), "ij->ij"), "SPY299"),
    "no element": (lambda v: spy.generic(lambda x: v, (v,), "ij->ij"), "SPY299"),
    "a load inside": (
        lambda v: spy.generic(lambda x: spy.sum(v + x), (v,), "ij->ij"), "SPY299"),
    "type of a result": (
        lambda v: spy.generic(lambda x, a: a + spy.cast(x, spy.f16), (v,), "ij->i",
                              spy.zeros((4,), spy.f32)), "SPY231"),
    "shape of init": (
        lambda v: spy.generic(lambda x, a: a + x, (v,), "ij->i", spy.zeros((5,), spy.f32)),
        "SPY299"),
    "intrinsic": (lambda v: spy.intrinsic("exp", v), "SPY298"),
    "unknown intrinsic": (lambda v: spy.intrinsic("spyreop.cosine", v), "SPY298"),
    "intrinsic of two results": (lambda v: spy.intrinsic("spyreop.exx2", v), "SPY298"),
    "intrinsic of nothing": (lambda v: spy.intrinsic("spyreop.exp"), "SPY298"),
    "intrinsic of a list": (lambda v: spy.intrinsic("spyreop.exp", v, beta=[1]), "SPY236"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(x: spy.In):
        mistake(spy.load(x))

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 6), grid=4)
    assert found.value.code == code
    assert found.value.location.file == __file__
