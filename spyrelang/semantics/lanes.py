"""vectorchain ops that move data between lanes. The last axis of a vector is its lanes.

Scalar operands (a rotate position, variables and pads of a shuffle, the parameter of a mask) have
no lane axis: their shape is () or that of the leading axes of the vectors. Results may be read-only
views of operands. Maps and sets are attributes in one of two forms: MLIR's text, or a tuple with
one entry per lane (for maps the value of the map, for sets 0 or 1).
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from spyrelang.semantics import ints, maps
from spyrelang.semantics.casts import convert
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.rounding import from_f64, to_f64
from spyrelang.semantics.vectorchain import BINARY, multiply_add, register_maskable

Index = np.ndarray[Any, np.dtype[np.intp]]


# --- shuffle, select, pack -----------------------------------------------------------------------


def _indices(site: Site) -> Index:
    """The attribute `indices`, repeated."""
    repetition = site.count("repetition", 1)
    listed = site.indices("indices")
    if not listed:
        raise site.bad("indices", "must not be empty")
    return np.tile(np.array(listed, np.intp), repetition)


def _check_range(site: Site, name: str, index: Index, low: int, high: int) -> None:
    if index.size and (index.min() < low or index.max() >= high):
        raise site.bad(name, f"must lie between {low} and {high - 1}")


def _shuffle(scalars: int, site: Site) -> Kernel:
    """Result lane i is input lane indices[i]; -1, -2, … are the variables and then the pads."""
    source, out = site.ins[0], site.out
    if source != out:
        raise site.refuse("the input and the result have one type")
    index = _indices(site)
    if scalars == 0 and not index.any():  # a splat, when the input has one lane
        return lambda x: _splat(x[..., :1], index.size)
    into = [convert(d, out) for d in site.ins[1:]]

    @cache
    def positions(lanes: int) -> Index:
        _check_range(site, "indices", index, -scalars, lanes)
        return np.where(index < 0, lanes - 1 - index, index)

    def kernel(x: Array, *values: Array) -> Array:
        parts = [x, *(np.asarray(f(v))[..., None] for f, v in zip(into, values, strict=True))]
        batch = np.broadcast_shapes(*(p.shape[:-1] for p in parts))
        spread = [np.broadcast_to(p, (*batch, p.shape[-1])) for p in parts]
        joined = np.concatenate(spread, axis=-1) if values else x
        return joined.take(positions(x.shape[-1]), axis=-1)

    return kernel


def _splat(x: Array, lanes: int) -> Array:
    return np.broadcast_to(x, (*x.shape[:-1], lanes))


def _build_shuffle(site: Site) -> Kernel:
    """Operands: input, `variables` variables, `pads` pads (counts are attributes), perhaps a mask.
    Lanes the mask leaves out are 0."""
    scalars = site.count("variables", 0, 0) + site.count("pads", 0, 0)
    rest = len(site.ins) - 1 - scalars
    if rest not in (0, 1) or (rest and site.ins[-1].name != "i1"):
        raise site.refuse(f"{scalars} scalars and perhaps a mask of i1 follow the input")
    inner = _shuffle(scalars, replace(site, ins=site.ins[: 1 + scalars]))
    if not rest:
        return inner
    zero = np.zeros((), site.out.numpy)
    return lambda *operands: np.where(operands[-1], inner(*operands[:-1]), zero)


def _select(site: Site) -> Kernel:
    """Result lane i is input lane map(i)."""
    site.need_same()
    lanes = site.count("lanes")
    index = np.array(maps.lane_map(site, "selection_map", lanes), np.intp)

    @cache
    def check(width: int) -> None:
        _check_range(site, "selection_map", index, 0, width)

    def kernel(x: Array) -> Array:
        check(x.shape[-1])
        return x.take(index, axis=-1)

    return kernel


def _pack(site: Site) -> Kernel:
    """Result lane i is lane indices[i] of both inputs joined. Integers are extended by their sign
    where `sign_extend` is set and by 0 otherwise."""
    if site.ins[0] != site.ins[1]:
        raise site.refuse("both inputs have one type")
    index = _indices(site)
    change = convert(site.ins[0], site.out, signs=bool(site.integer("sign_extend", 0)))

    @cache
    def check(width: int) -> None:
        _check_range(site, "indices", index, 0, width)

    def kernel(a: Array, b: Array) -> Array:
        batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        both = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in (a, b)]
        check(a.shape[-1] + b.shape[-1])
        return change(np.concatenate(both, axis=-1).take(index, axis=-1))

    return kernel


def _merge(site: Site) -> Kernel:
    """Result lane access_function_CA(p) is lane access_function_A(p) of the first input for each p
    of iteration_space_CA, then the same with B; other lanes are 0."""
    site.need_same()
    lanes, out = site.count("lanes"), site.out.numpy
    plans = [maps.moves(site, side) for side in "AB"]
    for (target, _), side in zip(plans, "AB", strict=True):
        _check_range(site, f"access_function_C{side}", target, 0, lanes)

    @cache
    def check(widths: tuple[int, int]) -> None:
        for (_, source), side, width in zip(plans, "AB", widths, strict=True):
            _check_range(site, f"access_function_{side}", source, 0, width)

    def kernel(a: Array, b: Array) -> Array:
        check((a.shape[-1], b.shape[-1]))
        batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        result = np.zeros((*batch, lanes), out)
        for (target, source), x in zip(plans, (a, b), strict=True):
            result[..., target] = x.take(source, axis=-1)
        return result

    return kernel


# --- rotate, scan --------------------------------------------------------------------------------


def _rotate(site: Site) -> Kernel:
    """Circular, to the right (towards higher lanes) unless `right_shift` is 0."""
    if site.ins[0] != site.out or not site.ins[1].is_int:
        raise site.refuse("it takes a vector and an integer")
    sign = 1 if site.integer("right_shift", 1) else -1

    def kernel(x: Array, position: Array) -> Array:
        if position.ndim == 0:
            return np.roll(x, sign * int(position) % x.shape[-1], axis=-1)
        lanes = np.arange(x.shape[-1])
        index = (lanes - sign * position[..., None]) % lanes.size
        batch = np.broadcast_shapes(x.shape[:-1], position.shape)
        full = (*batch, lanes.size)
        return np.take_along_axis(np.broadcast_to(x, full), np.broadcast_to(index, full), axis=-1)

    return kernel


def _scan(operator: str, site: Site) -> Kernel:
    """Left to right: result lane i reduces lanes …, i - 2 gap, i - gap, i in this order, each step
    rounded to the result type; right to left is the mirror image."""
    gap = site.count("gap")
    order = site.choice("eval_order", ("left_to_right", "right_to_left"), "left_to_right")
    out = site.out
    change = convert(site.ins[0], out)
    combine = BINARY[operator](Site(site.op, {}, (out, out), (out,)))

    def kernel(x: Array) -> Array:
        result = np.array(change(x))
        walk = result if order == "left_to_right" else result[..., ::-1]
        for start in range(gap, x.shape[-1], gap):
            step = walk[..., start : start + gap]
            step[...] = combine(walk[..., start - gap : start][..., : step.shape[-1]], step)
        return result

    return kernel


# --- products that reduce ------------------------------------------------------------------------


def _reducer(site: Site) -> Callable[[Array], Array]:
    """Sums of lanes: lane i goes to result lane reduction_map(i). Identity without a map."""
    width = site.count("lanes") if "lanes" in site.attrs else None

    @cache
    def plan(lanes: int) -> tuple[Index, Index, Index, int] | None:
        targets = np.array(maps.lane_map(site, "reduction_map", lanes), np.intp)
        count = int(targets.max(initial=-1)) + 1 if width is None else width
        _check_range(site, "reduction_map", targets, 0, max(count, 1))
        if count == lanes and (targets == np.arange(lanes)).all():
            return None
        order = np.argsort(targets, kind="stable")
        used, starts = np.unique(targets[order], return_index=True)
        return order, starts, used, count

    def reduce(x: Array) -> Array:
        steps = plan(x.shape[-1])
        if steps is None:
            return x
        order, starts, used, count = steps
        result = np.zeros((*x.shape[:-1], count), x.dtype)
        result[..., used] = np.add.reduceat(x.take(order, axis=-1), starts, axis=-1)
        return result

    return reduce


def _wide_products(site: Site) -> tuple[list[Kernel], Callable[[Array], Array]]:
    """Operands to f64 or int64, and back with one rounding or wrap."""
    if all(d.is_float for d in (*site.ins, site.out)):
        return [to_f64] * len(site.ins), lambda x: from_f64(x, site.out)
    site.need_ints()
    into: list[Kernel] = [lambda x: ints.signed(x).astype(np.int64)] * len(site.ins)
    return into, lambda x: ints.pack(x, site.out)


def _multiply(site: Site) -> Kernel:
    """Lane products, summed by `reduction_map`, rounded once."""
    if "reduction_map" not in site.attrs:
        return BINARY["mul"](site)
    (widen, *_), narrow = _wide_products(site)
    reduce = _reducer(site)
    return lambda a, b: narrow(reduce(widen(a) * widen(b)))


def _multiply_accumulate(site: Site) -> Kernel:
    """The same added to the third operand, rounded once (without a map: fused exactly)."""
    exact = multiply_add(site)
    if "reduction_map" not in site.attrs:
        return exact
    (widen, *_), narrow = _wide_products(site)
    reduce = _reducer(site)

    def kernel(a: Array, b: Array, c: Array) -> Array:
        products = widen(a) * widen(b)
        sums = reduce(products)
        return exact(a, b, c) if sums is products else narrow(sums + widen(c))

    return kernel


# --- constants and masks -------------------------------------------------------------------------


def _bitstream(site: Site) -> Kernel:
    """The attribute `value`: the bits of each lane."""
    codes, out = site.integers("value"), site.out
    if any(not 0 <= c < 1 << out.bits for c in codes):
        raise site.bad("value", f"has an entry that does not fit {out.bits} bits")
    lanes = _from_codes(codes, out)
    return lambda: lanes.copy()


def _from_codes(codes: tuple[int, ...], out: DType) -> Array:
    if out.name == "i1":
        return np.array(codes, np.bool_)
    return np.array(codes, f"u{out.bytes}").view(out.numpy)


def _affine_mask(site: Site) -> Kernel:
    """Lanes in the set `mask_set`; the operand, where there is one, is the set's symbol."""
    if site.out.name != "i1" or any(not d.is_int for d in site.ins):
        raise site.refuse("it gives i1 and takes an integer parameter")
    member = maps.lane_set(site, "mask_set", site.count("lanes"), len(site.ins))
    if not site.ins:
        lanes = member()
        return lambda: lanes.copy()
    return lambda parameter: member(parameter[..., None])


register("vectorchain.shuffle", 1, _build_shuffle, extra=None)
register_maskable("select", 1, _select)
register("vectorchain.merge", 2, _merge)
register_maskable("pack", 2, _pack, None)
register_maskable("multiply", 2, _multiply)
register_maskable("multiply_and_accumulate", 3, _multiply_accumulate, 2)
register("vectorchain.rotate", 2, _rotate)
for _name in BINARY:
    register(f"vectorchain.scan_with_gap.{_name}", 1, partial(_scan, _name))
register("vectorchain.constant_bitstream", 0, _bitstream)
register("vectorchain.create_affine_mask", 0, _affine_mask, extra=1)
