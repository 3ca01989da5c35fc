"""vectorchain's lane-wise ops. The operator is part of the key: "vectorchain.binary.add".

A mask is one more operand of i1, the last. A lane that it leaves out keeps what the first operand
holds there (multiply_and_accumulate: the accumulator, element_wise_selection: the second value),
or 0 where that has another type or lane count, and in comparisons. The public description is silent
on this and on the following, which are our choices: maxima and minima propagate NaN and put -0
below +0; abs_max and abs_min give a magnitude; comparisons are ordered, as spyreop's are, so a NaN
operand never holds; mul_div2 is a * b / 2, rounded once; the estimates give the exact function.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from spyrelang.semantics import bits, df16, floats, fused, intrinsics, ints, maps
from spyrelang.semantics.casts import convert
from spyrelang.semantics.dtypes import to_bits
from spyrelang.semantics.mathops import rsqrt
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.wide import Function, unary, wide

Build = Callable[[Site], Kernel]

COMPARISONS = ("eq", "neq", "lt", "le", "gt", "ge")
"""Predicates of vectorchain.element_wise_compare without the prefix "compare_", in order."""


# --- masks ---------------------------------------------------------------------------------------


def maskable(build: Build, arity: int, kept: int | None, site: Site) -> Kernel:
    """`build` for sites with `arity` operands and perhaps a mask; `kept` is the operand whose value
    stays in the lanes that the mask leaves out."""
    inner = build(replace(site, ins=site.ins[:arity]))
    if len(site.ins) == arity:
        return inner
    if site.ins[arity].name != "i1":
        raise site.refuse("the mask is of i1")
    keeps = kept is not None and site.ins[kept] == site.out
    pick, zero = bits.select(site.out), np.zeros((), site.out.numpy)

    def kernel(*operands: Array) -> Array:
        result = np.asarray(inner(*operands[:-1]))
        old = operands[kept] if keeps and kept is not None else zero
        if old.shape[-1:] != result.shape[-1:]:
            old = zero
        return pick(operands[-1], result, old)

    return kernel


def register_maskable(name: str, arity: int, build: Build, kept: int | None = 0) -> None:
    register(f"vectorchain.{name}", arity, partial(maskable, build, arity, kept), extra=1)


# --- binary --------------------------------------------------------------------------------------


def _check_map(site: Site) -> None:
    """All that is known of op_specific_map is the identity."""
    if "op_specific_map" in site.attrs and not maps.read_map(site, "op_specific_map").is_identity:
        raise site.bad("op_specific_map", "can only be the identity")


def _numbers(on_floats: Build, on_ints: Build, site: Site) -> Kernel:
    """An operator with one meaning for floats and another for integers."""
    _check_map(site)
    if all(d.is_float for d in (*site.ins, *site.outs)):
        return on_floats(site)
    if all(d.is_int for d in (*site.ins, *site.outs)):
        return on_ints(site)
    raise site.refuse("floats and integers do not mix: cast first")


def _extremum(largest: bool, magnitudes: bool, site: Site) -> Kernel:
    if len({*site.ins, site.out}) > 1:
        return wide(_extremum_of(largest, magnitudes, np.abs), site)
    pick = bits.extremum(site.out, largest, False)
    if not magnitudes:
        return pick
    size = bits.absolute(site.out)
    return lambda a, b: pick(size(a), size(b))


def _extremum_of(largest: bool, magnitudes: bool, size: Function) -> Function:
    ufunc: Any = np.maximum if largest else np.minimum
    return (lambda a, b: ufunc(size(a), size(b))) if magnitudes else ufunc


def _integer_extremum(largest: bool, magnitudes: bool, site: Site) -> Kernel:
    return ints.two(ints.signed, _extremum_of(largest, magnitudes, np.abs), site)


def _half_product(site: Site) -> Kernel:
    return wide(lambda a, b: a * b * 0.5, site)


def _half_integer_product(site: Site) -> Kernel:
    """Half the product, rounded down, wrapped; exact for up to 32 bits."""
    site.need_same()
    out = site.out
    return lambda a, b: ints.pack(
        (ints.signed(a).astype(np.int64) * ints.signed(b).astype(np.int64)) >> 1, out
    )


def _bitwise(function: Function, site: Site) -> Kernel:
    """On the raw bits; the types may differ, their widths may not."""
    _check_map(site)
    if len({d.bits for d in (*site.ins, site.out)}) > 1 or site.out.is_pair:
        raise site.refuse("bitwise operators need one width")
    if site.out.name == "i1":
        return lambda a, b: (function(to_bits(a), to_bits(b)) & np.uint8(1)).view(np.bool_)
    return lambda a, b: function(to_bits(a), to_bits(b)).view(site.out.numpy)


def _bits_xnor(a: Array, b: Array) -> Any:
    return ~(a ^ b)


def _bits_and_not(a: Array, b: Array) -> Any:
    return a & ~b


def _arithmetic(ufunc: Any) -> Build:
    return partial(_numbers, partial(floats.binary, ufunc), partial(ints.two, ints.signed, ufunc))


def _extremes(largest: bool, magnitudes: bool) -> Build:
    return partial(
        _numbers,
        partial(_extremum, largest, magnitudes),
        partial(_integer_extremum, largest, magnitudes),
    )


BINARY: dict[str, Build] = {
    "and0": partial(_bitwise, np.bitwise_and),
    "or0": partial(_bitwise, np.bitwise_or),
    "xnor": partial(_bitwise, _bits_xnor),
    "and_not": partial(_bitwise, _bits_and_not),
    "min": _extremes(False, False),
    "max": _extremes(True, False),
    "abs_min": _extremes(False, True),
    "abs_max": _extremes(True, True),
    "add": _arithmetic(np.add),
    "mul": _arithmetic(np.multiply),
    "sub": _arithmetic(np.subtract),
    "mul_div2": partial(_numbers, _half_product, _half_integer_product),
}
"""How each operator is bound, without its mask; in the order of their numbers."""


# --- comparison, selection, cast -----------------------------------------------------------------


def _compare(relation: str, site: Site) -> Kernel:
    """An ordered relation; a result that is not i1 holds 1 and 0."""
    source, out = site.ins[0], site.out
    if source.is_float and site.ins[1] == source:
        holds = bits.compare(source, relation, False)
    else:
        holds = ints.compare(site, relation if relation in ("eq", "ne") else f"s{relation}")
    if out.is_df16:
        one, zero = np.uint16(df16.ONE), np.uint16(0)
        return lambda a, b: np.where(holds(a, b), one, zero)
    return lambda a, b: np.asarray(holds(a, b)).astype(out.numpy, copy=False)


def _cast(site: Site) -> Kernel:
    if site.ins[0].is_pair or site.out.is_pair:
        raise site.refuse("pairs cannot be cast")
    return convert(site.ins[0], site.out)


# --- functions of one vector ---------------------------------------------------------------------


def _function(function: Function, versions: tuple[str, ...], site: Site) -> Kernel:
    """An exact function; `version` only says which part of the hardware's table is meant."""
    site.need_floats()
    if "version" in site.attrs:
        site.choice("version", versions)
    return unary(function, site)


def _negate_float(site: Site) -> Kernel:
    if site.ins[0] == site.out:
        return bits.negate(site.out)
    return wide(np.negative, site)


def _negate_integer(site: Site) -> Kernel:
    resize = convert(site.ins[0], site.out)
    return lambda x: ints.pack(np.negative(ints.signed(resize(x))), site.out)


# --- products ------------------------------------------------------------------------------------


def multiply_add(site: Site) -> Kernel:
    """a * b + c lane by lane: rounded once on floats, wrapped on integers."""
    if all(d.is_float for d in (*site.ins, site.out)):
        return fused.multiply_add(site)
    site.need_ints()
    into = [convert(d, site.out) for d in site.ins]

    def kernel(*operands: Array) -> Array:
        a, b, c = (ints.signed(f(x)) for f, x in zip(into, operands, strict=True))
        return ints.pack(a * b + c, site.out)

    return kernel


for _name, _build in BINARY.items():
    register_maskable(f"binary.{_name}", 2, _build)
for _name in COMPARISONS:
    _relation = "ne" if _name == "neq" else _name
    register_maskable(
        f"element_wise_compare.compare_{_name}", 2, partial(_compare, _relation), None
    )
register_maskable("element_wise_selection", 3, intrinsics.choose, 2)
register_maskable("cast", 1, _cast)
register_maskable("neg", 1, partial(_numbers, _negate_float, _negate_integer))
for _name, _exact, _versions in (
    ("fast_exp", np.exp, ()),
    ("exp_estimate", np.exp, ("a", "b")),
    ("floor", np.floor, ()),
    ("ln_estimate", np.log, ()),
    ("rec_estimate", np.reciprocal, ()),
    ("rsqrt_estimate", rsqrt, ()),
    ("sigmoid_estimate", intrinsics.sigmoid, ("slope", "offset")),
    ("tanh_estimate", np.tanh, ("slope", "offset")),
):
    register_maskable(_name, 1, partial(_function, _exact, _versions))
