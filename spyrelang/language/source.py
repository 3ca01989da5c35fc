"""The source line of a piece of code, also where no file holds it: `python -c` and prompts."""

from __future__ import annotations

import ast
import linecache
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

_HISTORY = 400
"""How many lines of a prompt's history are looked through."""


def source_line(code: CodeType, line: int) -> str | None:
    """Line `line` of the text that `code` was compiled from; None where nothing knows it."""
    text = linecache.getline(code.co_filename, line) if in_file(code) else ""
    if text:
        return text.rstrip("\n")
    lines = _recovered(code, code.co_filename)
    return lines[line - 1] if lines and 0 < line <= len(lines) else None


def in_file(code: CodeType) -> bool:
    """Whether anybody can read the source again by its file name.

    "<string>" names everything that was ever compiled without a file name.
    """
    return code.co_filename != "<string>" and bool(linecache.getline(code.co_filename, 1))


@lru_cache(maxsize=512)
def _recovered(code: CodeType, filename: str) -> tuple[str, ...] | None:
    """The lines of the command line or of the prompt's history that compile to `code`."""
    found = _statement_of(code, filename)
    return tuple(found[0].split("\n")) if found is not None else None


def source_text(code: CodeType) -> tuple[str, str] | None:
    """The text that `code` was compiled from, with how it was (exec or single); None where nothing
    knows it."""
    if in_file(code):
        return "".join(linecache.getlines(code.co_filename)), "exec"
    return _statement_of(code, code.co_filename)


def syntax_of(code: CodeType) -> tuple[ast.Module, str] | None:
    """The syntax of that text, and the text; None where nothing knows it."""
    text = source_text(code)
    if text is None:
        return None
    try:
        return ast.parse(text[0]), text[0]
    except SyntaxError:  # the file has changed since
        return None


@lru_cache(maxsize=512)
def _statement_of(code: CodeType, filename: str) -> tuple[str, str] | None:
    if filename == "<string>":
        candidates: Iterator[tuple[str, str]] = ((text, "exec") for text in sys.orig_argv[1:])
    elif filename.startswith("<"):
        candidates = ((text, "single") for text in _history_blocks())
    else:
        return None
    for text, mode in candidates:
        if _compiles_to(text, mode, code):
            return text, mode
    return None


def _compiles_to(text: str, mode: str, code: CodeType) -> bool:
    if code.co_name != "<module>" and code.co_name not in text and code.co_name[0] != "<":
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = compile(text, code.co_filename, mode, dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError):
        return False
    return any(_same(found, code) for found in _codes(whole))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _same(a: CodeType, b: CodeType) -> bool:
    """Equality of code ignores columns on some versions."""
    return a == b and list(a.co_positions()) == list(b.co_positions())


def _history_blocks() -> Iterator[str]:
    """Statements typed at a prompt, latest first."""
    lines = _history()
    for start in range(len(lines) - 1, -1, -1):
        if not lines[start][:1].isspace():
            yield _statement(lines, start)


def _statement(lines: list[str], start: int) -> str:
    """The statement that begins at `start`: its decorators, its head and the indented rest."""
    end = start
    while lines[end].startswith("@") and end + 1 < len(lines):
        end += 1
    end += 1
    while end < len(lines) and (lines[end][:1].isspace() or lines[end][:1] in ")]}"):
        end += 1
    return "\n".join(lines[start:end]) + "\n"


def _history() -> list[str]:
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count: int = readline.get_current_history_length()
    first = max(1, count - _HISTORY)
    return [readline.get_history_item(i) or "" for i in range(first, count + 1)]
