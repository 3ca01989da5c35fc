"""Float operations done on the bits: sign changes, order, choice.

numpy's own comparisons, maxima and choices of 16-bit floats go element by element (5 to 13 ns
each); on their bits they run at integer speed. The order of floats is the order of their bits read
as sign and magnitude.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.semantics import df16
from spyrelang.semantics.blocks import blocked, by_size
from spyrelang.semantics.dtypes import DType, to_bits
from spyrelang.semantics.op import Array, Kernel, Silent

Maker = Callable[[DType], Kernel]
"""Makes the kernel of one float type."""

_MAGNITUDE = np.int16(0x7FFF)
_SIGN = np.int16(15)


def sign_bit(dtype: DType) -> Any:
    """The sign bit of a float type as an unsigned integer of its width."""
    return np.dtype(f"u{dtype.bytes}").type(1 << dtype.bits - 1)


def negate(dtype: DType) -> Kernel:
    """-x, NaN and zero included: the sign bit flipped."""
    sign = sign_bit(dtype)
    return lambda x: (to_bits(x) ^ sign).view(dtype.numpy)


def absolute(dtype: DType) -> Kernel:
    """|x|: the sign bit cleared."""
    rest = ~sign_bit(dtype)
    return lambda x: (to_bits(x) & rest).view(dtype.numpy)


def copysign(dtype: DType) -> Kernel:
    """The magnitude of the first operand with the sign of the second."""
    sign = sign_bit(dtype)
    rest = ~sign
    return lambda x, y: ((to_bits(x) & rest) | (to_bits(y) & sign)).view(dtype.numpy)


def select(dtype: DType) -> Kernel:
    """cond ? a : b, on bits: numpy's `where` stalls on every unpredictable condition."""
    if dtype.is_pair:
        return Silent(np.where)
    width = np.dtype(f"i{dtype.bytes}")

    def choose(cond: Array, a: Array, b: Array) -> Array:
        mask = np.negative(cond.view(np.int8), dtype=np.int8).astype(width)
        kept = b.view(width)
        return (kept ^ ((a.view(width) ^ kept) & mask)).view(dtype.numpy)

    return Silent(by_size(np.where, blocked(choose, dtype.numpy)))


# --- order of floats -----------------------------------------------------------------------------


def _infinity(dtype: DType) -> int:
    """The bits of +inf, which are the exponent bits; of df16, those of its largest number: in
    either case, what has more is no number."""
    if dtype.is_df16:
        return df16.NON_NUMBER - 1
    return int(to_bits(np.array([np.inf]).astype(dtype.numpy))[0])


def extremum(dtype: DType, largest: bool, numbers_win: bool) -> Kernel:
    """Maximum or minimum with -0 < +0. A NaN operand gives NaN, or the other operand where
    `numbers_win` (two NaNs give NaN)."""
    if dtype.is_df16:
        return _extremum16(dtype, largest, numbers_win)
    if dtype.bits == 16:
        plain = _extremum(dtype, largest, numbers_win)
        return by_size(plain, _extremum16(dtype, largest, numbers_win))
    return blocked(_extremum(dtype, largest, numbers_win), dtype.numpy)


def _extremum(dtype: DType, largest: bool, numbers_win: bool) -> Kernel:
    """By numpy's own, which do not tell zeros apart (and whose fmax takes signalling NaNs one way
    in vectors and another in what is left over)."""
    ufunc: Any = np.maximum if largest else np.minimum
    of_zeros = np.bitwise_and if largest else np.bitwise_or
    width = np.dtype(f"u{dtype.bytes}")

    def kernel(a: Array, b: Array) -> Array:
        result = np.asarray(ufunc(a, b))
        # equal operands have equal bits, or are zeros of which this picks the right one
        of_zeros(a.view(width), b.view(width), out=result.view(width), where=a == b)
        if numbers_win:
            np.copyto(result, b, where=a != a)
            np.copyto(result, a, where=b != b)
        return result

    return kernel


def _extremum16(dtype: DType, largest: bool, numbers_win: bool) -> Kernel:
    """On order keys: negative NaNs, numbers, positive NaNs. Turning the circle of keys by the
    number of NaNs of one sign puts all of them at one end: the losing one where numbers win."""
    nans = np.int16(_MAGNITUDE - _infinity(dtype))
    turn = -nans if largest != numbers_win else nans
    ufunc: Any = np.maximum if largest else np.minimum

    def key(x: Array) -> Array:
        bits = x.view(np.int16)
        return (bits ^ ((bits >> _SIGN) & _MAGNITUDE)) + turn

    def kernel(a: Array, b: Array) -> Array:
        bits = ufunc(key(a), key(b)) - turn
        return np.asarray(bits ^ ((bits >> _SIGN) & _MAGNITUDE)).view(dtype.numpy)

    return blocked(kernel, dtype.numpy)


RELATIONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare(dtype: DType, relation: str, unordered: bool) -> Kernel:
    """eq ne lt le gt ge of floats; what a NaN operand gives is `unordered`, for every relation."""
    ufunc = RELATIONS[relation]
    if dtype.is_df16:
        return _compare16(dtype, ufunc, unordered)
    if dtype.bits == 16:
        return by_size(_compare(relation, unordered), _compare16(dtype, ufunc, unordered))
    return _compare(relation, unordered)


def _compare(relation: str, unordered: bool) -> Kernel:
    """By numpy's own comparisons, all ordered but `not_equal`."""
    if (relation == "ne") == unordered:
        return RELATIONS[relation]
    if relation == "ne":
        return blocked(lambda a, b: (a < b) | (a > b), np.dtype(np.bool_))
    inverse = _compare(_INVERSE[relation], not unordered)
    return lambda a, b: np.logical_not(inverse(a, b))


_INVERSE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def _compare16(dtype: DType, ufunc: Callable[..., Any], unordered: bool) -> Kernel:
    infinity = np.int16(_infinity(dtype))

    def kernel(a: Array, b: Array) -> Any:
        size_a, size_b = a.view(np.int16) & _MAGNITUDE, b.view(np.int16) & _MAGNITUDE
        holds = ufunc(_signed(a, size_a), _signed(b, size_b))
        nan = np.maximum(size_a, size_b) > infinity
        return holds | nan if unordered else holds & ~nan

    return blocked(kernel, np.dtype(np.bool_))


def _signed(x: Array, size: Array) -> Array:
    """Sign and magnitude as an integer: both zeros become 0."""
    sign = x.view(np.int16) >> _SIGN
    return (size ^ sign) - sign


# --- classes of floats ---------------------------------------------------------------------------


def classify(dtype: DType, name: str) -> Kernel:
    """isfinite, isinf, isnan or isnormal (neither zero, subnormal, infinite nor NaN). The
    non-number of df16 counts as NaN, and nothing there is infinite or subnormal."""
    if dtype.is_df16:
        return _classify_df16(name)
    width = np.dtype(f"u{dtype.bytes}").type
    infinity, rest = width(_infinity(dtype)), ~sign_bit(dtype)
    tests: dict[str, Callable[[Array], Any]] = {
        "isfinite": lambda size: size < infinity,
        "isinf": lambda size: size == infinity,
        "isnan": lambda size: size > infinity,
        "isnormal": lambda size: (size < infinity) & ((size & infinity) != 0),
    }
    test = tests[name]
    return lambda x: test(to_bits(x) & rest)


def _classify_df16(name: str) -> Kernel:
    non_number = np.uint16(df16.NON_NUMBER)
    tests: dict[str, Callable[[Array], Any]] = {
        "isfinite": lambda size: size != non_number,
        "isinf": lambda size: np.zeros(size.shape, np.bool_),
        "isnan": lambda size: size == non_number,
        "isnormal": lambda size: (size != non_number) & (size != 0),
    }
    test = tests[name]
    return lambda x: test(x & non_number)
