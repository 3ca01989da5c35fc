"""What every arith, math, spyreop and vectorchain op computes on numpy arrays: the one table.

    kernel = semantics.lookup("arith.addf").bind({}, ["f16", "f16"], ["f16"])
    z = kernel(x, y)

Folding, the KTIR interpreter, the decoder and both engines use this table, so an op means the
same everywhere. A bound kernel maps arrays of the numpy types of its operands (any shapes that
broadcast) to an array of the numpy type of its result, or a tuple of arrays where the op has
several results; it never warns. Results may be operands, or read-only views of them. Float results
are rounded once, to nearest even; of 16-bit types they are the correctly rounded exact values.

Operands and results of df16 (DLFloat16) are its codes, `np.uint16`, rounded once with ties away
from zero; `semantics.df16` converts. `bind(…, numerics="df16")` reads every f16 of an op as df16:
that is what the hardware does with kernels written in f16.

Keys
----
The key is the op's name in the IR, except that vectorchain's operators are part of the key:

=============================================  =================================================
key                                            operands; attributes
=============================================  =================================================
builtin.unrealized_conversion_cast             a; from or to df16
arith.*                                        as MLIR; cmpi, cmpf: `predicate` (number or name);
                                               constant: `value` (a number or nested tuples)
math.*                                         as MLIR
spyreop.softplus                               `beta`, `threshold`
spyreop.compare                                `predicate` (number or equal notequal greaterthan
                                               greaterequal lesserthan lesserequal)
spyreop.constant                               `value`
spyreop.idx32toaddr                            index, base, stride; or index with `base_address`,
                                               `stride`
spyreop.exx2, exx2_fused, exx2_zeromean_fused  `axes`: tuple to average over; or `count` = n: the
                                               shares x / n and x * x / n of one element
spyreop.layernormscale                         mean, squares; or variance. `epsilon` (1e-5)
spyreop.layernormscale_fused                   pair; `epsilon`
spyreop.slice_reduction                        `reduction_kind`, `reduction_scope` (number or name),
                                               `slices` (8)
other spyreop.*                                as the IR
vectorchain.binary.OPERATOR                    a, b (, mask); and0 or0 xnor and_not min max abs_min
                                               abs_max add mul sub mul_div2
vectorchain.element_wise_compare.COMPARISON    a, b (, mask); compare_eq compare_neq compare_lt
                                               compare_le compare_gt compare_ge
vectorchain.element_wise_selection             cond, a, b (, mask)
vectorchain.cast, neg, fast_exp, floor,        a (, mask)
rec_estimate, ln_estimate, rsqrt_estimate
vectorchain.exp_estimate, sigmoid_estimate,    a (, mask); `version`, which changes nothing
tanh_estimate
vectorchain.multiply                           a, b (, mask); `reduction_map`, `lanes` of the result
vectorchain.multiply_and_accumulate            a, b, c (, mask); the same
vectorchain.select                             a (, mask); `selection_map`, `lanes` of the result
vectorchain.merge                              a, b; the six maps and sets, `lanes` of the result
vectorchain.pack                               a, b (, mask); `indices`, `repetition`, `sign_extend`
vectorchain.shuffle                            input, variables…, pads… (, mask); `indices`,
                                               `repetition`, and the counts `variables`, `pads`
vectorchain.rotate                             a, position; `right_shift` (1)
vectorchain.scan_with_gap.OPERATOR             a; `gap`, `eval_order` (number or name)
vectorchain.constant_bitstream                 none; `value`: the bits of each lane
vectorchain.create_affine_mask                 none or the set's symbol; `mask_set`, `lanes`
=============================================  =================================================

A mask is one more operand of i1, the last. Booleans are ints; other attributes (`dbgName`,
`fastmath`, `op_specific_map` when it is the identity) are ignored. Of vectors the last axis is the
lanes and leading axes are a batch; scalar operands of lane ops have the batch axes only. What the
public descriptions leave open is decided in the docstrings of `ints`, `casts`, `intrinsics`,
`vectorchain` and `lanes`.
"""

from spyrelang.semantics import (
    casts,
    floats,
    intmath,
    intrinsics,
    ints,
    lanes,
    mathops,
    slices,
    vectorchain,
)
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.op import NUMERICS, Op, known, lookup, names, numeric

__all__ = ["NUMERICS", "DType", "Op", "known", "lookup", "names", "numeric"]

# Importing these modules fills the table.
_TABLE_MODULES = (casts, floats, intmath, intrinsics, ints, lanes, mathops, slices, vectorchain)
