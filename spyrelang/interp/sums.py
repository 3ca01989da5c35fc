"""Sums of products written with math.fma, taken apart so that they are recognised as sums."""

from __future__ import annotations

from dataclasses import replace

from spyrelang.interp.body import Body, Env, Loops, Node
from spyrelang.semantics import lookup

_WIDE = ("f32", "f64")
"""Types in which sums are accumulated: there the product's own rounding is one of the sum's."""


def as_sums(body: Body, inputs: int, dtypes: list[str]) -> Body | None:
    """The body with every `fma(a, b, acc)` that it yields for its accumulator as `acc + a * b`;
    None where there is no such. `inputs` counts the operands before the accumulators, whose types
    are `dtypes`."""
    found = body
    for number, dtype in enumerate(dtypes):
        node = body.maker(body.yields[number])
        if node is None or node.name != "math.fma" or dtype not in _WIDE:
            continue
        if node.reads[2] == inputs + number and inputs + number not in node.reads[:2]:
            found = _split(found, node, dtype)
    return None if found is body else found


def _split(body: Body, node: Node, dtype: str) -> Body:
    product = body.count
    first, second, total = node.reads
    parts = [
        _binary("arith.mulf", [first, second], product, dtype),
        _binary("arith.addf", [total, product], node.writes[0], dtype),
    ]
    at = body.nodes.index(node)
    depends = [*body.depends, body.depends[first] | body.depends[second]]
    nodes = [*body.nodes[:at], *parts, *body.nodes[at + 1 :]]
    return replace(body, nodes=nodes, count=product + 1, depends=depends)


def _binary(name: str, reads: list[int], out: int, dtype: str) -> Node:
    kernel = lookup(name).bind({}, [dtype] * 2, [dtype])

    def apply(env: Env, _: Loops) -> None:
        env[out] = kernel(*(env[r] for r in reads))

    return Node(name, reads, [out], apply)
