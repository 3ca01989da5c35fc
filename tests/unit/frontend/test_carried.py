"""Values that loops carry and branches choose, in plain Python."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run


def test_assignment_in_the_body():
    def kernel(x: spy.In, out: spy.Out):
        total = spy.zeros((33,), spy.f32)
        for i in spy.range(x.shape[0]):
            total = total + x[i, :]
        out[:] = total

    x, out = random(7, 33), np.zeros(33, np.float32)
    text = run(kernel, x, out).module.text()
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5, atol=1e-5)
    assert "%total = scf.for %i = %c0 to %c7 step %c1 iter_args(%total_" in text


def test_augmented_assignment_and_use_inside():
    def kernel(x: spy.In, out: spy.Out):
        total = spy.load(x[0, :])
        for i in spy.range(1, x.shape[0]):
            total += x[i, :]
            out[i, :] = total * 2.0

    x, out = random(5, 9), np.zeros((5, 9), np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out[1:], 2 * x.cumsum(0)[1:], rtol=1e-5, atol=1e-6)


def test_integers_and_several_values():
    def kernel(x: spy.In, out: spy.Out):
        row, low = spy.tile_id() * 2, spy.full((4,), 9.0, spy.f32)
        for _ in spy.range(2):
            low = spy.minimum(low, x[row, :])
            row = row + 1
        out[spy.tile_id(), :] = low

    x, out = random(6, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, x.reshape(3, 2, 4).min(1))


def test_swapped_values():
    def kernel(x: spy.In, out: spy.Out):
        a, b = spy.load(x[0, :]), spy.load(x[1, :])
        for _ in spy.range(3):
            a, b = b, a + b
        out[0, :] = a
        out[1, :] = b

    x, out = random(2, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, out)
    a, b = x
    for _ in range(3):
        a, b = b, a + b
    np.testing.assert_array_equal(out, [a, b])


def test_tuples_lists_and_dicts():
    def kernel(x: spy.In, out: spy.Out):
        state = (spy.zeros((4,), spy.f32), [spy.full((4,), 1.0, spy.f32)])
        named = {"sum": spy.zeros((4,), spy.f32)}
        for i in spy.range(3):
            v = spy.load(x[i, :])
            state = (state[0] + v, state[1])
            state[1][0] = state[1][0] * v
            named["sum"] = named["sum"] + state[0]
        out[0, :] = state[0]
        out[1, :] = state[1][0]
        out[2, :] = named["sum"]

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out)
    wanted = [x.sum(0), x.prod(0), x.cumsum(0).sum(0)]
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)


class State:
    def __init__(self, total):
        self.total = total


def test_attributes_of_objects():
    def kernel(x: spy.In, out: spy.Out):
        state = State(spy.zeros((4,), spy.f32))
        for i in spy.range(3):
            state.total = state.total + x[i, :]
            out[i, :] = state.total
        with spy.when(spy.tile_id() == 0):
            state.total = state.total * 2.0
        out[3, :] = state.total

    x, out = random(3, 4), np.zeros((4, 4), np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out[:3], x.cumsum(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out[3], 2 * x.sum(0), rtol=1e-5, atol=1e-6)


def test_nested_loops_and_resets():
    def kernel(x: spy.In, out: spy.Out):
        most = spy.full((4,), -100.0, spy.f32)
        for i in spy.range(2):
            total = spy.zeros((4,), spy.f32)
            for j in spy.range(3):
                total = total + x[i * 3 + j, :]
            most = spy.maximum(most, total)
        out[:] = most

    x, out = random(6, 4), np.zeros(4, np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out, x.reshape(2, 3, 4).sum(1).max(0), rtol=1e-5)


def test_value_of_the_last_iteration():
    """Assigned in the body and used after it: the value before holds for no iterations."""

    def kernel(x: spy.In, out: spy.Out):
        last = spy.zeros((4,), spy.f32)
        for i in spy.range(0, spy.tile_id() * 2):
            last = spy.load(x[i, :])
        out[spy.tile_id(), :] = last

    x, out = random(4, 4), np.ones((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, [np.zeros(4), x[1], x[3]])


def test_unchanged_and_unused_variables_are_not_carried():
    def kernel(x: spy.In, out: spy.Out):
        v = spy.load(x[0, :])
        kept = [v]
        for i in spy.range(3):
            v = spy.load(x[i, :])
            out[i, :] = v + kept[0]

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    text = run(kernel, x, out).module.text()
    np.testing.assert_array_equal(out, x + x[0])
    assert "iter_args" not in text


def test_declared_values():
    def kernel(x: spy.In, out: spy.Out):
        for i, total in spy.range(3, carry=x[0, :]):
            total = total + x[i, :]
        for _i, (a, n) in spy.range(2, carry=(total, 0)):
            a = a * 2.0
            out[n, :] = a
            n = n + 1
        for _i, b, c in spy.range(2, carry=(a, total)):
            b, c = c, b
        out[n, :] = c

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out)
    total = x[0] + x.sum(0)
    np.testing.assert_allclose(out, [total * 2, total * 4, total], rtol=1e-5)


def test_blocks_with_a_tail():
    def kernel(x: spy.In, out: spy.Out):
        total = spy.zeros((4,), spy.f32)
        for rows in spy.blocks(x.shape[0], 3):
            total = total + spy.sum(x[rows, :], axis=0)
        out[spy.tile_id(), :] = total

    x, out = random(11, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, out, grid=2)
    np.testing.assert_allclose(out.sum(0), x.sum(0), rtol=1e-5)


def test_generators_of_the_author():
    def rows(x):
        for i in spy.range(x.shape[0]):
            yield spy.load(x[i, :])

    def kernel(x: spy.In, out: spy.Out):
        total = spy.zeros((4,), spy.f32)
        for v in rows(x):
            total = total + v
        out[:] = total

    x, out = random(5, 4), np.zeros(4, np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5)


def test_helpers_carry_their_own_variables():
    def summed(x, n):
        total = spy.zeros((4,), spy.f32)
        for i in spy.range(n):
            total = total + x[i, :]
        return total

    def kernel(x: spy.In, out: spy.Out):
        total = summed(x, 2)
        for _ in spy.range(3):
            total = total + summed(x, 3)
        out[:] = total

    x, out = random(3, 4), np.zeros(4, np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out, x[:2].sum(0) + 3 * x.sum(0), rtol=1e-5, atol=1e-6)


def test_closures_carry():
    def kernel(x: spy.In, out: spy.Out):
        total = spy.zeros((4,), spy.f32)

        def result():
            return total

        for i in spy.range(3):
            total = total + x[i, :]
        out[:] = result()

    x, out = random(3, 4), np.zeros(4, np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5)


def test_code_without_source():
    text = """
def kernel(x, out):
    total = spy.zeros((4,), spy.f32)
    for i in spy.range(3):
        total = total + x[i, :]
    out[:] = total
"""
    scope = {"spy": spy}
    exec(text, scope)
    scope["kernel"].__annotations__ = {"x": spy.In, "out": spy.Out}
    x, out = random(3, 4), np.zeros(4, np.float32)
    run(scope["kernel"], x, out)
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5)


def test_values_in_other_memory_orders():
    def kernel(x: spy.In, out: spy.Out):
        v = spy.load(x[0:4, 0:3]).T
        w = spy.load(x[1, :])
        for _ in spy.range(2):
            v = v + spy.load(x[0:3, 0:4])
            w = spy.squeeze(spy.load(x[2:3, :])) + w
        out[...] = v + spy.sum(w)

    x, out = random(4, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out)
    v = x[:, :3].T + 2 * x[:3]
    np.testing.assert_allclose(out, v + (x[1] + 2 * x[2]).sum(), rtol=1e-5, atol=1e-5)


def test_tiled_matmul_in_nine_lines():
    def matmul(a: spy.In, b: spy.In, c: spy.Out, bm: spy.Const, bn: spy.Const, bk: spy.Const):
        i, j = spy.tile_id(0) * bm, spy.tile_id(1) * bn
        acc = spy.zeros((bm, bn), spy.f32)
        for k in spy.range(0, a.shape[1], bk):
            acc = spy.dot(a[i : i + bm, k : k + bk], b[k : k + bk, j : j + bn], acc)
        c[i : i + bm, j : j + bn] = spy.cast(acc, c.dtype)

    a, b = random(8, 48, dtype=np.float16), random(48, 12, dtype=np.float16)
    c = np.zeros((8, 12), np.float16)
    run(matmul, a, b, c, grid=(2, 3), bm=4, bn=4, bk=16)
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=2e-3, atol=1e-2)


@pytest.mark.parametrize(("columns", "block"), [(9, 4), (8, 4), (3, 4), (1, 1)])
def test_every_tile_takes_all_blocks(columns, block):
    def kernel(x: spy.In, out: spy.Out, total: spy.Out):
        row, found = spy.tile_id(), spy.zeros((), spy.f32)
        for cols in spy.blocks(x.shape[1], block, axis=None):
            found = found + spy.sum(x[row, cols])
            out[row, cols] = x[row, cols] + found
        total[row] = found

    x = random(3, columns)
    out, total = np.zeros_like(x), np.zeros(3, np.float32)
    run(kernel, x, out, total, grid=3)
    ends = [min((n // block + 1) * block, columns) for n in range(columns)]
    np.testing.assert_allclose(total, x.sum(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out, x + np.stack([x[:, :e].sum(1) for e in ends], 1), atol=1e-5)


def test_flash_attention():
    def attention(
        q: spy.In, k: spy.In, v: spy.In, out: spy.Out, block: spy.Const, scale: spy.Const
    ):
        for rows in spy.blocks(q.shape[0], block):
            queries = spy.load(q[rows, :])
            most = spy.full((queries.shape[0], 1), -1e30, spy.f32)
            total = spy.zeros((queries.shape[0], 1), spy.f32)
            acc = spy.zeros(queries.shape, spy.f32)
            for j in spy.range(0, k.shape[0], block):
                scores = spy.dot(queries, spy.load(k[j : j + block, :]).T) * scale
                new = spy.maximum(most, spy.max(scores, axis=1, keepdims=True))
                weights, fade = spy.exp(scores - new), spy.exp(most - new)
                total = total * fade + spy.sum(weights, axis=1, keepdims=True)
                acc = spy.dot(spy.cast(weights, v.dtype), v[j : j + block, :], acc * fade)
                most = new
            out[rows, :] = spy.cast(acc / total, out.dtype)

    q, k, v = (random(n, 8, dtype=np.float16, seed=s) for s, n in enumerate((19, 24, 24)))
    out = np.zeros_like(q)
    run(attention, q, k, v, out, grid=2, block=8, scale=0.35)
    scores = q.astype("f4") @ k.astype("f4").T * 0.35
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = weights / weights.sum(1, keepdims=True) @ v.astype("f4")
    np.testing.assert_allclose(out, wanted, atol=3e-3)


# --- branches -------------------------------------------------------------------------------------


def test_when_stores():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        with spy.when((i >= 1) & ~(i == 2)):
            out[i, :] = x[i, :]

    x, out = random(4, 4), np.zeros((4, 4), np.float32)
    text = run(kernel, x, out, grid=4).module.text()
    np.testing.assert_array_equal(out, x * np.array([0, 1, 0, 1], np.float32)[:, None])
    assert "scf.if" in text
    assert "else" not in text


def test_when_chooses_values():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        v, row = spy.load(x[i, :]), i
        with spy.when(i > 1):
            v = v * 2.0
            with spy.when(i > 2):
                v, row = v + 1.0, row + 1
        out[row, :] = v

    x, out = random(4, 4), np.zeros((5, 4), np.float32)
    run(kernel, x, out, grid=4)
    np.testing.assert_array_equal(out, [x[0], x[1], x[2] * 2, 0 * x[0], x[3] * 2 + 1])


def test_when_of_a_value():
    def kernel(x: spy.In, n: spy.In, out: spy.Out):
        total = spy.zeros((4,), spy.f32)
        for i in spy.range(3):
            with spy.when(spy.load(n[i]) > 0):
                total = total + x[i, :]
        out[:] = total

    x, out = random(3, 4), np.zeros(4, np.float32)
    run(kernel, x, np.array([1, 0, 1], np.int32), out)
    np.testing.assert_allclose(out, x[0] + x[2], rtol=1e-6)


def test_conditions_of_values_and_integers():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        row = spy.where(i == 0, 2, i - 1)
        v = spy.load(x[row, :])
        v = spy.where(i == 1, v, -v)
        n = spy.cast(i, spy.f32)
        out[i, :] = v + n + spy.cast(spy.full((4,), 1, spy.i32) * i, spy.f32)

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_allclose(out, [-x[2], x[0] + 2, -x[1] + 4], rtol=1e-6)


def test_known_conditions_are_plain():
    def kernel(out: spy.Out):
        i = spy.tile_id()
        out[i] = 1.0 if i < 4 and not i < 0 and bool(i <= 3) and not bool(i == 4) else 2.0

    out = np.zeros(4, np.float32)
    run(kernel, out, grid=4)
    assert (out == 1).all()


def test_loaded_positions_and_bounds():
    def kernel(x: spy.In, n: spy.In, out: spy.Out):
        total = spy.zeros((4,), spy.f32)
        for _ in spy.range(0, n[0]):
            total = total + x[n[1], :] + x[spy.load(n[2:3]), :]
        out[:] = total

    x, out = random(4, 4), np.zeros(4, np.float32)
    run(kernel, x, np.array([2, 3, 1], np.int32), out)
    np.testing.assert_allclose(out, 2 * (x[3] + x[1]), rtol=1e-6)


# --- mistakes -------------------------------------------------------------------------------------


def number_becomes_tensor(x, out):
    total, seen = 0.0, []
    for i in spy.range(4):
        total = total + spy.load(x[i, :])
        seen.append(i)


def shape_changes(x, out):
    v = spy.zeros((1,), spy.f32)
    for i in spy.range(4):
        v = v + spy.load(x[i, :])


def type_changes(x, out):
    v = spy.zeros((8,), spy.f32)
    for _i in spy.range(4):
        v = spy.cast(v * 2.0, spy.f16)


def grows(x, out):
    kept = [spy.zeros((8,), spy.f32)]
    for i in spy.range(4):
        kept.append(spy.load(x[i, :]))
        out[0, :] = kept[0]


def mixed_list(x, out):
    kept = [spy.zeros((8,), spy.f32), 0]
    for i in spy.range(4):
        kept[1] += 1
        out[i, :] = kept[0]


def continue_in_a_branch(x, out):
    for i in spy.range(4):
        with spy.when(i == 0):
            continue
        out[i, :] = 1.0


def return_in_a_branch(x, out):
    with spy.when(spy.tile_id() == 0):
        return
    out[0, :] = 1.0


def declared_number(x, out):
    for _i, _v in spy.range(4, carry=0.5):
        pass


def not_named(x, out):
    for _pair in spy.range(4, carry=spy.load(x[0, :])):
        pass


def declared_of_another_shape(x, out):
    for i, v in spy.range(4, carry=spy.load(x[0, :])):
        v = spy.load(x[i : i + 1, :])  # noqa: F841


def condition_of_many(x, out):
    with spy.when(spy.load(x[0, :]) > 0):
        pass


def scales_in_a_branch(x, out):
    n = 0.5
    with spy.when(spy.tile_id() == 0):
        n = 1.0
    out[0, :] = n


def escapes_a_branch(x, out):
    with spy.when(spy.tile_id() == 0):
        v = spy.load(x[0, :])
    out[0, :] = v


def position_of_many(x, out):
    spy.load(x[spy.cast(spy.load(x[0, :]), spy.i32), :])


def float_and_integer(x, out):
    spy.load(x[0, :]) * spy.tile_id()


MISTAKES = {
    number_becomes_tensor: ("SPY219", "'total' enters an iteration of this spy.range loop as 0.0"),
    shape_changes: ("SPY219", "of shape (1,) and type f32"),
    type_changes: ("SPY219", "type f16"),
    grows: ("SPY219", "'kept'"),
    mixed_list: ("SPY219", "'kept'"),
    continue_in_a_branch: ("SPY209", "spy.when is left by"),
    return_in_a_branch: ("SPY209", "return"),
    declared_number: ("SPY236", "carry of spy.range"),
    not_named: ("SPY210", "must name"),
    declared_of_another_shape: ("SPY219", "of shape (1, 8)"),
    condition_of_many: ("SPY256", "a tensor of shape (8,) and type i1"),
    scales_in_a_branch: ("SPY257", "'n' changes from 0.5 to 1.0"),
    escapes_a_branch: ("SPY207", "inside a branch that has ended"),
    position_of_many: ("SPY258", "shape (8,)"),
    float_and_integer: ("SPY237", "and f32"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake):
    code, fragment = MISTAKES[mistake]

    def kernel(x: spy.In, out: spy.Out):
        mistake(x, out)

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 8), random(4, 8), grid=2)
    assert found.value.code == code
    assert fragment in str(found.value)
    assert found.value.location.file == __file__
