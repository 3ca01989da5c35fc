"""spyrelang: what kernels say while they run. The only op of ours in KTIR; interpreters alone
understand it.

    spyrelang.print "row {} holds {}" %row, %v : index, tensor<64xf16>

Each `{}` of the text is the place of one operand; doubled braces stand for themselves.
"""

from __future__ import annotations

from string import Formatter

from spyrelang.ir import kinds as k
from spyrelang.ir.opdef import Attr, OpDef, many
from spyrelang.ir.opref import OpRef
from spyrelang.ir.values import string


def places(text: str) -> int | None:
    """How many operands a text has places for; None where its braces do not pair up."""
    try:
        fields = [found[1:] for found in Formatter().parse(text) if found[1] is not None]
    except ValueError:
        return None
    return len(fields) if all(found == ("", "", None) for found in fields) else None


def _rules(op: OpRef) -> None:
    count = places(string(op.op, "text"))
    if count is None:
        raise op.fail("the braces of its text must be {}, {{ or }}")
    if count != len(op.operands("values")):
        given = len(op.operands("values"))
        raise op.fail(f"its text has places for {count} values, and there are {given}")


PRINT = OpDef(
    "spyrelang.print",
    operands=[many("values", k.TENSOR | k.SCALAR)],
    attributes=[Attr("text", k.STRING)],
    assembly=" $text{? $values : $values:type?}$dict",
    verify=_rules,
)
