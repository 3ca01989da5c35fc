"""SPY580 to SPY586: element types, and what an operation computes."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
from cases.registry import raises, raising
from cases.texts import T, computing, ran
from spyrelang import semantics

WIDE = f"%w = arith.extf %a : {T} to tensor<4x64xf32>"
raising(
    {
        "SPY582": computing(
            WIDE, f"%z = builtin.unrealized_conversion_cast %w : tensor<4x64xf32> to {T}"
        ),
        "SPY583": computing(WIDE, f"%z = arith.truncf %w downward : tensor<4x64xf32> to {T}"),
    },
    ran,
)


@raises("SPY580")
def misspelt_op() -> object:
    # Texts with ops that no dialect has are refused when they are read.
    return semantics.lookup("arith.adf")


@raises("SPY584")
def operand_left_out() -> object:
    # The verifiers of the dialects refuse such texts when they are read.
    return semantics.lookup("arith.addf").bind({}, ["f16"], ["f16"])


@raises("SPY585")
def misspelt_dtype() -> object:
    return spyre.spec((4, 64), "float12")


@raises("SPY586")
def complex_numbers() -> object:
    return spyre.runtime.from_numpy(np.ones((4, 64), np.complex64))
