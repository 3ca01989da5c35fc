"""SPY26x to SPY28x: signatures, and the arguments of a call."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import raises

M, N = spy.dims("M N")


@spyre.kernel
def add(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    out[:, :] = x[:, :] + y[:, :]


@spyre.kernel
def typed(x: spy.In[M, 64, spy.f16], out: spy.Out[M, 64, spy.f16]):
    out[:, :] = x[:, :] * 2


@spyre.kernel
def scale(x: spy.In, out: spy.Out, factor: spy.Const = 2):
    out[:, :] = x[:, :] * factor


@spyre.kernel
def copy(p: spy.Ptr[spy.f16], out: spy.Out):
    out[:, :] = spy.memory_view(p, out.shape)[:, :]


@spyre.kernel
def sized(x: spy.In, n: spy.Dim("K", max=256, granularity=64), out: spy.Out):
    out[:] = x[:]


def ones(*shape: int, dtype: Any = np.float16) -> np.ndarray:
    return np.ones(shape, dtype)


@raises("SPY260")
def annotation_of_python() -> None:
    @spyre.kernel
    def scaled(x: spy.In, out: spy.Out, factor: float):
        out[:, :] = x[:, :] * factor


@raises("SPY260", "name")
def name_that_is_not_defined() -> None:
    @spyre.kernel
    def scaled(x: spy.In["rows", K], out: spy.Out):
        out[:, :] = x[:, :]


@raises("SPY261")
def no_annotation() -> None:
    @spyre.kernel
    def double(x, out: spy.Out):
        out[:, :] = x[:, :] * 2


@raises("SPY262")
def any_number_of_tensors() -> None:
    @spyre.kernel
    def total(*tensors: spy.In, out: spy.Out):
        out[:, :] = sum(spy.load(x[:, :]) for x in tensors)


@raises("SPY263")
def size_in_an_annotation() -> None:
    @spyre.kernel
    def half(x: spy.In[M, N], out: spy.Out[M, N / 2]):
        out[:, :] = x[:, 0:32]


@raises("SPY263", "dims")
def name_of_a_size() -> None:
    spy.dims("M 2N")


@raises("SPY264")
def default_of_a_tensor() -> None:
    @spyre.kernel
    def add_bias(x: spy.In, out: spy.Out, bias: spy.In = ones(64)):
        out[:, :] = x[:, :] + bias[:]


@raises("SPY265")
def name_with_a_space() -> None:
    @spyre.kernel(name="my kernel")
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2


@raises("SPY266")
def grid_without_its_name() -> None:
    spyre.kernel(32)


@raises("SPY270")
def argument_missing() -> None:
    add(ones(3, 64), ones(3, 64))


@raises("SPY271")
def argument_misspelled() -> None:
    add(ones(3, 64), ones(3, 64), ouput=ones(3, 64))


@raises("SPY272")
def one_argument_too_many() -> None:
    add(ones(3, 64), ones(3, 64), ones(3, 64), 1.0)


@raises("SPY273")
def argument_twice() -> None:
    add(ones(3, 64), ones(3, 64), x=ones(3, 64))


@raises("SPY274")
def list_for_a_tensor() -> None:
    add([1.0, 2.0], ones(3, 64), ones(3, 64))


@raises("SPY275")
def f32_for_f16() -> None:
    typed(ones(3, 64, dtype=np.float32), ones(3, 64))


@raises("SPY276")
def vector_for_a_matrix() -> None:
    add(ones(3, 64), ones(64), ones(3, 64))


@raises("SPY277")
def half_a_row() -> None:
    typed(ones(3, 32), ones(3, 32))


@raises("SPY278")
def rows_that_differ() -> None:
    add(ones(3, 64), ones(4, 64), ones(3, 64))


@raises("SPY279")
def size_between_the_granules() -> None:
    sized(ones(100), 100, ones(100))


@raises("SPY279", "max")
def size_beyond_the_maximum() -> None:
    sized(ones(512), 512, ones(512))


@raises("SPY280")
def list_for_a_constant() -> None:
    scale(ones(3, 64), ones(3, 64), factor=[2, 3])


@raises("SPY281")
def output_of_repeated_rows() -> None:
    scale(ones(3, 64), np.broadcast_to(ones(64), (3, 64)))


@raises("SPY282")
def array_for_a_constant() -> None:
    scale(ones(3, 64), ones(3, 64), factor=ones(64))


@raises("SPY283")
def complex_numbers() -> None:
    scale(ones(3, 64, dtype=np.complex64), ones(3, 64))


@raises("SPY283", "order")
def bytes_of_another_machine() -> None:
    scale(ones(3, 64, dtype=">f2"), ones(3, 64))


@raises("SPY283", "f64")
def numbers_of_numpy() -> None:
    scale(ones(3, 64, dtype=np.float64), ones(3, 64))


@raises("SPY284")
def spec_of_a_negative_size() -> None:
    spyre.spec((4, -1), "f16")


@raises("SPY285")
def text_for_an_address() -> None:
    copy("x", ones(3, 64))


@raises("SPY286")
def kernel_in_a_kernel() -> None:
    @spyre.kernel
    def twice(x: spy.In, y: spy.In, out: spy.Out):
        add(x, y, out)
        add(out, y, out)

    twice(ones(3, 64), ones(3, 64), ones(3, 64))


@raises("SPY287")
def grid_of_zero() -> None:
    add(ones(3, 64), ones(3, 64), ones(3, 64), grid=0)


@raises("SPY287", "float")
def grid_of_half() -> None:
    @spyre.kernel(grid=lambda x: x.shape[0] / 4)
    def double(x: spy.In, out: spy.Out):
        out[spy.tile_id(), :] = x[spy.tile_id(), :] * 2

    double(ones(8, 64), ones(8, 64))


@raises("SPY288")
def grid_of_another_parameter() -> None:
    @spyre.kernel(grid=lambda a: a.shape[0])
    def double(x: spy.In, out: spy.Out):
        out[spy.tile_id(), :] = x[spy.tile_id(), :] * 2

    double(ones(8, 64), ones(8, 64))


@raises("SPY288", "fails")
def grid_of_an_axis_too_many() -> None:
    @spyre.kernel(grid=lambda x: x.shape[2])
    def double(x: spy.In, out: spy.Out):
        out[spy.tile_id(), :] = x[spy.tile_id(), :] * 2

    double(ones(8, 64), ones(8, 64))
