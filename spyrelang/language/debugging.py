"""Assertions and prints of a running kernel."""

from __future__ import annotations

from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import elementwise, structured, tracing
from spyrelang.language.bodies import Body
from spyrelang.language.conditions import Condition, condition_of, constant
from spyrelang.language.index import Index, use
from spyrelang.language.statements import Assert, Print
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail, kind_of
from spyrelang.language.types import i1
from spyrelang.language.views import Tile, View, refuse_view


def assert_(condition: Any, message: str = "the condition does not hold") -> None:
    """Stop the run where `condition` does not hold; the error names the tile, the line and the
    message.

    `condition` is a comparison of traced integers, logic on such, a bool, or a tensor of booleans
    of any shape, all of which must hold. One that can be seen to fail already stops the trace
    (SPY268). Engine "ktir" checks it (SPY579); kernels with assertions cannot be scheduled.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     spy.assert_(spy.load(x[:]) > 0, "only positive numbers have a logarithm")
    ...     out[:] = spy.log(x[:])
    >>> x, out = np.ones(2, np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([0., 0.], dtype=float32)
    """
    trace = tracing.current("spy.assert_")
    if not isinstance(message, str):  # type: ignore[reportUnnecessaryIsInstance]
        got = kind_of(message)
        fail(errors.OPERAND, op="message of spy.assert_", got=got, hint="pass a string")
    found = _condition(trace, condition)
    if found.known is True:
        return
    if found.known is False and trace.block is trace.root:
        fail(errors.ASSERTED, message=message)
    node = Assert(place=tracing.here(), block=trace.block, condition=found.node, message=message)
    trace.add(node)


def _condition(trace: Trace, value: Any) -> Condition:
    if isinstance(value, bool):
        return constant(trace, value)
    if isinstance(value, Condition):
        return condition_of(value, "spy.assert_")
    tensor = elementwise.tensor_operand(value, "spy.assert_")
    if tensor.dtype == i1 and tensor.shape not in ((), (1,) * tensor.rank):
        axes = tuple(range(tensor.rank))
        (tensor,) = structured.reduce((tensor,), axes, False, (i1,), (True,), _all)
    return condition_of(tensor, "spy.assert_")


def _all(body: Body, inputs: tuple[int, ...], so_far: tuple[int, ...]) -> tuple[int, ...]:
    return (body.op("arith.andi", inputs[0], so_far[0]),)


def print_(*values: Any) -> None:
    """Print texts, numbers, traced integers and tensors (tiles are loaded), as Python's print does,
    one line a compute tile that comes here: `tile 3: row 5 [0.5 1.5]`.

    Engine "ktir" prints, to standard output and `Run.prints`; kernels with prints cannot be
    scheduled.

    >>> @spyre.kernel(grid=2)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     spy.print_("tile has", x[spy.tile_id(), :])
    ...     out[spy.tile_id(), :] = x[spy.tile_id(), :]
    >>> x, out = np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    tile 0: tile has [1. 0.]
    tile 1: tile has [0. 1.]
    >>> out
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    trace = tracing.current("spy.print_")
    texts, nodes = list[str](), list[Any]()
    for value in values:
        node = _node(trace, value)
        if node is None:
            texts.append(str(value).replace("{", "{{").replace("}", "}}"))
        else:
            texts.append("{}")
            nodes.append(node)
    text, place = " ".join(texts), tracing.here()
    trace.add(Print(place=place, block=trace.block, text=text, values=tuple(nodes)))


def _node(trace: Trace, value: Any) -> Any:
    """The node of a traced value; None for things of Python."""
    if isinstance(value, View):
        refuse_view(value, "spy.print_")
    if isinstance(value, Index):
        return use(trace, value)
    if isinstance(value, Condition):
        return condition_of(value, "spy.print_").node
    if isinstance(value, Tensor | Tile):
        return structured.plain(trace, elementwise.tensor_operand(value, "spy.print_"))
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0):
        elementwise.operand(value, "spy.print_")
    return None
