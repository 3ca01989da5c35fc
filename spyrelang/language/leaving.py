"""Statements that jump out of the one around them, found in the source where that is known."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import CodeType

from spyrelang.errors import Location
from spyrelang.language.place import span
from spyrelang.language.source import syntax_of


@lru_cache(maxsize=256)
def with_is_left(code: CodeType, line: int) -> bool:
    """Whether the `with` at a line holds a return, or a break or continue of a loop around it."""
    known = syntax_of(code)
    if known is None:
        return False
    found = (n for n in ast.walk(known[0]) if isinstance(n, ast.With) and n.lineno == line)
    return any(leaves(statement) for node in found for statement in node.body)


def place_of_jump(file: str, line: int) -> Location | None:
    """The first statement that leaves the `for`, `with`, `if` or `while` at a line of a file, where
    there is one that can be read. Loops of the kernel may be continued, others not."""
    text = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.For | ast.With | ast.If | ast.While) or node.lineno != line:
            continue
        kept = (ast.Continue,) if isinstance(node, ast.For) else ()
        body = (*node.body, *node.orelse) if isinstance(node, ast.If) else node.body
        jump = next(filter(None, (_jump(statement, kept) for statement in body)), None)
        return span(file, jump, text) if jump is not None else None
    return None


def leaves(node: ast.AST) -> bool:
    """Whether a statement can jump out of the `if` or `with` that it stands in."""
    return _jump(node, ()) is not None


def _jump(node: ast.AST, kept: tuple[type[ast.stmt], ...]) -> ast.stmt | ast.expr | None:
    """The first statement that jumps out; those of the kinds `kept` do not."""
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
        return node
    if isinstance(node, ast.Break | ast.Continue):
        return None if isinstance(node, kept) else node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return None
    inside = (ast.Break, ast.Continue) if isinstance(node, ast.For | ast.While) else kept
    return next(filter(None, (_jump(c, inside) for c in ast.iter_child_nodes(node))), None)
