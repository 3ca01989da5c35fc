"""What changed from one stage to the next."""

from __future__ import annotations

import difflib
from typing import TextIO

from spyrelang.display.text import IRText, console


def unified(before: IRText, after: IRText, context: int = 3) -> str:
    """A unified diff of two stages; empty when they are equal."""
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        before.stage or "before",
        after.stage or "after",
        n=context,
        lineterm="",
    )
    return "\n".join(lines)


def show_diff(before: IRText, after: IRText, file: TextIO | None = None) -> None:
    """Print the difference, in colour on a terminal."""
    from rich.text import Text

    out = console(file)
    text = unified(before, after)
    if not text:
        out.print(f"no difference between {before.stage} and {after.stage}")
        return
    for line in text.splitlines():
        out.print(Text(line, style=_style(line)))


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
