"""`linalg.map` as MLIR wrote it for years: its body takes the inputs, not the destination."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spyrelang.ir import scan

_OPERANDS = re.compile(rf"{scan.BLANK}(?:ins|outs){scan.BLANK}(?=\()")
_ATTRIBUTES = re.compile(rf"{scan.BLANK}(?=\{{)")
_ARGUMENTS = re.compile(rf"{scan.BLANK}(?=\()")
_ELEMENT = re.compile(r"(?:tensor|memref)\s*<\s*(?:[\d?]+\s*x\s*)*([^,>]+?)\s*[,>]", re.DOTALL)


def missing_argument(text: str, pos: int, aliases: Mapping[str, str]) -> tuple[int, str] | None:
    """What the body of the `linalg.map` whose name ends at `pos` lacks: the argument for the
    destination, and where it goes. None for a body that has one, and for text that is no map."""
    try:
        operands, pos = _lists(text, pos)
        if len(operands) < 1 or (found := _ARGUMENTS.match(text, pos)) is None:
            return None
        end = scan.closing(text, found.end()) - 1
        given = scan.split_list(scan.strip_comments(text[found.end() + 1 : end]))
    except scan.Unbalanced:
        return None
    kind = operands[-1][1]
    element = _ELEMENT.match(aliases.get(kind, kind))
    if len(given) != len(operands) - 1 or element is None:
        return None
    comma = ", " if given else ""
    return end, f"{comma}%spyrelang.unread{end}: {element.group(1)}"


def _lists(text: str, pos: int) -> tuple[list[tuple[str, str]], int]:
    """(operand, type) of ins and outs, and where what follows their attributes starts."""
    found, operands = None, list[tuple[str, str]]()
    while (found := _OPERANDS.match(text, pos)) is not None:
        pos = scan.closing(text, found.end())
        inside = scan.strip_comments(text[found.end() + 1 : pos - 1])
        values, _, types = inside.partition(":")
        operands += zip(scan.split_list(values), scan.split_list(types), strict=False)
    if operands and (found := _ATTRIBUTES.match(text, pos)) is not None:
        pos = scan.closing(text, found.end())
    return operands, pos
