"""Tokens, FIFO slots and loop types, and questions about their text."""

from __future__ import annotations

import re
from collections.abc import Callable

from spyrelang.dialects import shapes
from spyrelang.dialects.inner import is_type, normal_attribute
from spyrelang.dialects.shapes import parent_name
from spyrelang.dialects.subscripts import (
    DYNAMIC,
)
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.opref import OpRef

_SLOT = re.compile(
    r"(?P<ends>.+),\s*(?P<count>\?|-?\d+)\s*x\s*(?P<element>[a-zA-Z!(].*)", re.DOTALL
)


def _normal_slot(body: str | None) -> str | None:
    found = _SLOT.fullmatch((body or "").strip())
    ends = slot_ends(found["ends"]) if found else None
    if found is None or ends is None or not is_type(found["element"]):
        return None
    shown = [_normal_end(end) for end in ends]
    if None in shown:
        return None
    count = "?" if found["count"] in ("?", str(DYNAMIC)) else str(int(found["count"]))
    element = scan.normal_blanks(found["element"])
    return f"!ktdf.fifo.slot<{shown[0]} -> {shown[1]}, {count}x{element}>"


def _normal_end(text: str) -> str | None:
    # Affine text has errors of its own, which say more.
    return text if re.match(r"affine_(?:map|set)<", text) else normal_attribute(text)


def slot_ends(text: str) -> tuple[str, str] | None:
    """The two ends of `a -> b`, which are attributes; None when the text is something else."""
    depth, position = 0, 0
    for found in re.finditer(rf"{scan.STRING}|->|[<({{\[]|[>)}}\]]", text):
        token = found.group()
        if token == "->" and depth == 0:
            position = found.start()
            break
        depth += (token in "<({[") - (token in ">)}]")
    ends = text[:position].strip(), text[position + 2 :].strip()
    if not position or not all(ends):
        return None
    return scan.normal_blanks(ends[0]), scan.normal_blanks(ends[1])


k.bare("!ktdf.token")
k.declare_opaque("!ktdf.fifo.slot", _normal_slot, '!ktdf.fifo.slot<"A" -> "B", 64xf16>')
LOOP_TYPES = ("parallel_loop", "reduction_loop")


def _normal_loop_type(body: str | None) -> str | None:
    case = (body or "").strip()
    return f"#ktdf.loop_type<{case}>" if case in LOOP_TYPES else None


k.declare_opaque("#ktdf.loop_type", _normal_loop_type, "#ktdf.loop_type<parallel_loop>")

TOKEN = k.exactly("!ktdf.token", "a token")
SLOT = k.matching("a FIFO slot", r"!ktdf\.fifo\.slot<.*")
TENSOR = k.matching("a ranked tensor", r"tensor<(?!\*).*")
BUFFER = TENSOR | k.MEMREF
ENDPOINT = k.MEMREF | SLOT


def element_type(text: str) -> str:
    """The element type of a shaped type or slot."""
    if text.startswith("!ktdf.fifo.slot<"):
        return slot_of(text)[3]
    return shapes.element_of(text)


def slot_of(text: str) -> tuple[str, str, int | None, str]:
    """Source, destination, count (None: dynamic) and element type of a slot type's text."""
    found = _SLOT.fullmatch(text.removeprefix("!ktdf.fifo.slot<").removesuffix(">"))
    ends = slot_ends(found["ends"]) if found else None
    if found is None or ends is None:
        raise ValueError(text)
    count = None if found["count"] == "?" else int(found["count"])
    return ends[0], ends[1], count, found["element"]


def slot_type(source: str, destination: str, count: int | None, element: str) -> str:
    """The text of a slot type between two unit kinds."""
    size = "?" if count is None else count
    return f'!ktdf.fifo.slot<"{source}" -> "{destination}", {size}x{element}>'


def stands_in(name: str) -> Callable[[OpRef], None]:
    def rule(op: OpRef) -> None:
        if parent_name(op) != name:
            raise op.fail(f"stands only in a {name}")

    return rule
