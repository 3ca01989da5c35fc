"""The public generic form: inherent attributes of our ops in `<{…}>`, the others in `{…}`.

MLIR keeps all attributes of an op it does not know in one dictionary, behind the regions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from spyrelang.ir import opdef, scan
from spyrelang.ir.opdef import SEGMENTS, OpDef


@dataclass(frozen=True)
class _Open:
    """An op whose regions are being read: where its line stands, and what that line ends with."""

    at: int
    indent: str
    op: OpDef | None
    tail: str


def split_attributes(text: str) -> tuple[str, str]:
    """MLIR's generic text with the attributes of our ops where public tools write them.

    The second text holds the same in the order in which MLIR numbers aliases: the regions of an
    op, then its types, then its attributes.
    """
    lines: list[str] = []
    order: list[str] = []
    stack: list[_Open] = []
    numbers = count(1)
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" "))]
        found = _line().match(line)
        op = opdef.lookup(found["name"]) if found else None
        if stack and stack[-1].indent == indent and line.startswith("})", len(indent)):
            top = stack.pop()
            inherent, others, types = _split(top.op, line[len(indent) + 2 :], numbers)
            if inherent:
                lines[top.at] = f"{lines[top.at].removesuffix(' ({')}{inherent} ({{"
            lines.append(f"{indent}}}){others}{types}")
            order.append(f"{types}{top.tail}){inherent}{others}")
        elif line.endswith(" ({"):
            stack.append(_Open(len(lines), indent, op, "" if op else line))
            lines.append(line)
        elif found is None or op is None:
            lines.append(line)
            order.append(line)
        else:
            inherent, others, types = _split(op, line[found.end() :], numbers)
            lines.append(f"{found['head']}{inherent}{others}{types}")
            order.append(f"{types}){inherent}{others}")
    return "\n".join(lines), "\n".join(order)


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    dialects = "|".join(sorted(opdef.DIALECTS, key=len, reverse=True))
    return re.compile(rf'(?P<head> *(?:%[^"=]*= )?"(?P<name>(?:{dialects})\.[\w.]+)"\([^()]*\))')


def _split(op: OpDef | None, rest: str, numbers: Iterator[int]) -> tuple[str, str, str]:
    """` <{inherent}>`, ` {others}`, and the types behind them."""
    if op is None or not (rest.startswith(" {") or op.dropped):
        return "", "", rest
    end = scan.closing(rest, 1) if rest.startswith(" {") else 0
    entries = scan.split_dict(rest[2 : end - 1]) if end else {}
    entries.update({name: f"{next(numbers)} : index" for name in op.dropped})
    return *dictionaries(op, entries), rest[end:]


def dictionaries(op: OpDef, entries: Mapping[str, str | None]) -> tuple[str, str]:
    """` <{inherent}>` and ` {others}` of an op; empty where there are none."""
    inherent = {n: v for n, v in entries.items() if n in op.inherent or n == SEGMENTS}
    others = {n: v for n, v in entries.items() if n not in inherent}
    return (
        f" <{{{scan.join_dict(inherent)}}}>" if inherent else "",
        f" {{{scan.join_dict(others)}}}" if others else "",
    )
