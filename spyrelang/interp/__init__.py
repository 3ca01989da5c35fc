"""The KTIR interpreter: the reference of every kernel.

A kernel is compiled once into Python closures on whole tiles, with numpy, and all compute tiles run
together as one more axis wherever they take the same path. Numbers are those of
`spyrelang.semantics`.

What the descriptions leave open is decided here. Tiles run in any order; a race is an error where
the order decides a value, and a warning otherwise. A store that gives one element two values is an
error. An order map of an access tile orders the traversal: axis i of the tile is axis
order[i] of its box. Sums and products of reductions accumulate in f32 (f64 for f64) and round once.
A reduction or product that accumulates into a tensor.empty starts from the neutral element, with a
warning; other reads of undefined elements are errors. In distributed views the last of several
partitions that hold a coordinate serves it.

Memory and values of `!spyreop.df16` are DLFloat16 codes (`np.uint16`), and so are arrays bound to
such arguments: nothing is converted on the way in. Compiled with `numerics="df16"`, a kernel
computes its f16 as DLFloat16, as the hardware does: f16 arrays, scalars and constants are converted
to codes before the run, every f16 result is rounded to a DLFloat16 number, and f16 arrays that the
kernel writes are converted back, as a whole. There are no infinities in that mode: those of arrays
and results too large are the non-number, which comes back as NaN; a literal infinity, such as a
maximum starts from, stands for the largest number of its sign.
"""

from spyrelang.interp.program import Coverage, InterpOutcome, Program, compile
from spyrelang.interp.static import Demands, check, demands

__all__ = ["Coverage", "Demands", "InterpOutcome", "Program", "check", "compile", "demands"]
