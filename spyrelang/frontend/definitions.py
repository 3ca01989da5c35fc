"""Where the parts of a kernel's `def` stand, as far as its source is known."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType

from spyrelang.errors import Location
from spyrelang.language.place import span
from spyrelang.language.source import in_file, source_line, syntax_of


def definition(function: FunctionType) -> Location:
    """Where a function begins: the `def` line, not its decorators, where the text is known."""
    code = inspect.unwrap(function).__code__
    line = code.co_firstlineno
    text = source_line(code, line)
    while text is not None and text.lstrip().startswith("@") and line < code.co_firstlineno + 20:
        line += 1
        text = source_line(code, line)
    if text is None:
        kept = None if in_file(code) else ""
        return Location(code.co_filename, code.co_firstlineno, source=kept)
    col = len(text) - len(text.lstrip()) + 1
    kept = None if in_file(code) else text
    return Location(code.co_filename, line, col, len(text.rstrip()) + 1, kept)


def place_of_parameter(function: FunctionType, name: str) -> Location:
    """A parameter with its annotation; the `def` line where it cannot be found."""
    found = _parsed(function)
    if found is None:
        return definition(function)
    node, file, text = found
    named = [a for a in ast.walk(node.args) if isinstance(a, ast.arg) and a.arg == name]
    return span(file, named[0], text) if named else definition(function)


def place_of_result(function: FunctionType) -> Location:
    """The first `return` with a value; the `def` line where it cannot be found."""
    found = _parsed(function)
    if found is None:
        return definition(function)
    node, file, text = found
    for statement in _statements(node.body):
        if isinstance(statement, ast.Return) and statement.value is not None:
            return span(file, statement, text)
    return definition(function)


def is_definition(node: ast.AST, code: CodeType) -> bool:
    """Whether a piece of syntax is the `def` that `code` was compiled from."""
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return False
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return first == code.co_firstlineno


def _parsed(function: FunctionType) -> tuple[ast.FunctionDef, str, str] | None:
    """The `def` of a function, its file, and the whole text of that."""
    code = inspect.unwrap(function).__code__
    known = syntax_of(code)
    if known is None:
        return None
    for node in ast.walk(known[0]):
        if isinstance(node, ast.FunctionDef) and is_definition(node, code):
            return node, code.co_filename, known[1]
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function in order, without those of functions inside it."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)
