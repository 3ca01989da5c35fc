"""`IRText`: the text of a stage, a `str` that prints in colour."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TextIO

from spyrelang import settings

if TYPE_CHECKING:
    from rich.console import Console, RenderResult
    from rich.text import Text


class IRText(str):
    """The text of one stage: its `str`, which rich consoles and notebooks show in colour."""

    __slots__ = ("stage",)
    stage: str

    def __new__(cls, text: str, stage: str = "") -> IRText:
        made = super().__new__(cls, text)
        made.stage = stage
        return made

    def __rich_console__(self, console: Console, options: Any) -> RenderResult:
        yield highlighted(str(self))

    def _repr_html_(self) -> str:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter

        from spyrelang.display.lexer import IRLexer

        return str(
            highlight(str(self), IRLexer(), HtmlFormatter(noclasses=True, nobackground=True))
        )


def highlighted(text: str) -> Text:
    """MLIR text with colours."""
    from rich.text import Text

    styled = Text(no_wrap=True, overflow="ignore")
    for token, piece in _lexer().get_tokens(text):
        styled.append(piece, style=_style(token))
    styled.rstrip()
    return styled


@lru_cache(maxsize=1)
def _lexer() -> Any:
    from spyrelang.display.lexer import IRLexer

    return IRLexer(stripnl=False, ensurenl=False)


@lru_cache(maxsize=256)
def _style(token: Any) -> str:
    """The colour of a token kind, the nearest kind above it that has one."""
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    colours: dict[Any, str] = {
        Comment: "bright_black",
        Keyword: "magenta",
        Name.Variable: "cyan",
        Name.Class: "green",
        Name.Function: "bold yellow",
        Name.Namespace: "blue",
        Name.Attribute: "yellow",
        Number: "bright_blue",
        String: "green",
        Operator: "bright_black",
    }
    while token is not None:
        if token in colours:
            return colours[token]
        token = token.parent
    return ""


def console(file: TextIO | None = None) -> Console:
    """A console that follows the colour setting: on terminals only, unless told otherwise."""
    from rich.console import Console

    choice = settings.current().colour
    return Console(
        file=file or sys.stdout,
        force_terminal={"always": True, "never": False}.get(choice),
        no_color=True if choice == "never" else None,  # None: rich honours NO_COLOR
        soft_wrap=True,
        highlight=False,
    )


def show(text: Any, file: TextIO | None = None) -> None:
    """Print IR, a report or anything else rich can print."""
    out = console(file)
    if isinstance(text, IRText) and not out.is_terminal:
        out.file.write(str(text) if text.endswith("\n") else f"{text}\n")
    else:
        out.print(highlighted(text) if isinstance(text, IRText) else text)
