"""What is written inside a kernel: `import spyrelang.language as spy`.

A kernel is a Python function whose tensor parameters are views of memory. Subscripting a view names
a tile and moves nothing; `load` and `store` (or assignment to a subscript) move data; operators and
functions compute on loaded values, element by element; reductions, matrix products and exchanges
between compute tiles are functions of values too. A loop over `spy.range` stays a loop: variables
to which its body assigns carry their tensors and integers from one iteration to the next.

>>> import spyrelang.language as spy
>>> M, N = spy.dims("M N")
>>> def scaled_sum(x: spy.In[M, N], bias: spy.In[N], out: spy.Out[M, N], factor: spy.Const = 0.5):
...     b = spy.load(bias[:])
...     for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
...         v = spy.load(x[row, :])
...         out[row, :] = spy.where(v > 0, v * factor, 0.0) + b

Traced for arrays of known shapes and types, it is KTIR:

>>> from spyrelang.frontend import bind, signature, tensor_spec, trace
>>> x, bias = tensor_spec((100, 64), "f16"), tensor_spec(64, "f16")
>>> bound = bind(signature(scaled_sum), (x, bias, x), {})
>>> bound.dims
{'M': 100, 'N': 64}
>>> traced = trace(bound.signature, bound.arguments, grid=(32,))
>>> [line.strip() for line in traced.module.text().splitlines() if "scf.for" in line]
['scf.for %row = %tile to %c100 step %c32 {']

In the examples of single functions, `evaluate` is `spyrelang.testing.evaluate`: it applies a
function to loaded arrays and gives the result.

Importing this package does not import MLIR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spyrelang.language.annotations import Const, In, InOut, Out, Ptr, dims
from spyrelang.language.annotations import make_dim as Dim
from spyrelang.language.branches import when
from spyrelang.language.contraction import batch_dot, dot
from spyrelang.language.control import blocks, num_tiles, range, tile_id
from spyrelang.language.debugging import assert_, print_
from spyrelang.language.exchange import all_reduce, from_one, reduce_to_one, shift
from spyrelang.language.explicit import access_tile, distributed_view, memory_view
from spyrelang.language.functions import (
    abs,
    cast,
    erf,
    exp,
    exp2,
    fma,
    gelu,
    log,
    maximum,
    minimum,
    neg,
    realdiv,
    reciprocal,
    rsqrt,
    select,
    sigmoid,
    silu,
    softplus,
    sqrt,
    tanh,
    where,
)
from spyrelang.language.gather import ind, indirect_tile
from spyrelang.language.generic import generic, intrinsic
from spyrelang.language.memory import GLOBAL, load, local, store
from spyrelang.language.parts import concat, empty, iota, reshape, slice
from spyrelang.language.reductions import (
    exx2,
    exx2_fused,
    layernorm_norm,
    layernorm_scale,
    max,
    mean,
    min,
    prod,
    sum,
)
from spyrelang.language.repetition import while_
from spyrelang.language.shapes import broadcast_to, expand_dims, full, squeeze, transpose, zeros
from spyrelang.language.types import bf16, df16, f16, f32, i1, i8, i16, i32, i64, index

__all__ = [
    "GLOBAL",
    "Const",
    "Dim",
    "In",
    "InOut",
    "Out",
    "Ptr",
    "abs",
    "access_tile",
    "all_reduce",
    "assert_",
    "batch_dot",
    "bf16",
    "blocks",
    "broadcast_to",
    "cast",
    "concat",
    "df16",
    "dims",
    "distributed_view",
    "dot",
    "empty",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "exx2",
    "exx2_fused",
    "f16",
    "f32",
    "fma",
    "from_one",
    "full",
    "gelu",
    "generic",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "ind",
    "index",
    "indirect_tile",
    "intrinsic",
    "iota",
    "layernorm_norm",
    "layernorm_scale",
    "load",
    "local",
    "log",
    "max",
    "maximum",
    "mean",
    "memory_view",
    "min",
    "minimum",
    "neg",
    "num_tiles",
    "print_",
    "prod",
    "range",
    "realdiv",
    "reciprocal",
    "reduce_to_one",
    "reshape",
    "rsqrt",
    "select",
    "shift",
    "sigmoid",
    "silu",
    "slice",
    "softplus",
    "sqrt",
    "squeeze",
    "store",
    "sum",
    "tanh",
    "tile_id",
    "transpose",
    "when",
    "where",
    "while_",
    "zeros",
]

if not TYPE_CHECKING:  # checkers of types know what there is

    def __getattr__(name: str) -> object:
        from spyrelang.language.unknown import refuse

        refuse(name, __all__)
