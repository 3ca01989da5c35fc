"""From a decorated Python function to KTIR: signatures, binding, tracing, coverage.

Importing this package does not import MLIR; `trace` does.
"""

from spyrelang.frontend.binding import BoundArguments, bind, resolve_grid
from spyrelang.frontend.coverage import Coverage, coverage, warnings
from spyrelang.frontend.kernel import Param, TracedKernel, trace
from spyrelang.frontend.signature import Parameter, Signature, signature
from spyrelang.frontend.specs import TensorSpec, spec_of, tensor_spec

__all__ = [
    "BoundArguments",
    "Coverage",
    "Param",
    "Parameter",
    "Signature",
    "TensorSpec",
    "TracedKernel",
    "bind",
    "coverage",
    "resolve_grid",
    "signature",
    "spec_of",
    "tensor_spec",
    "trace",
    "warnings",
]
