"""Statements that jump out of the one around them, found in the source where that is known."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType

from spyrelang.language.source import source_text


@lru_cache(maxsize=256)
def with_is_left(code: CodeType, line: int) -> bool:
    """Whether the `with` at a line holds a return, or a break or continue of a loop around it."""
    text = source_text(code)
    if text is None:
        return False
    try:
        tree = ast.parse(text[0])
    except SyntaxError:
        return False
    found = (n for n in ast.walk(tree) if isinstance(n, ast.With) and n.lineno == line)
    return any(leaves(statement) for node in found for statement in node.body)


def leaves(node: ast.AST, in_loop: bool = False) -> bool:
    """Whether a statement can jump out of the `if` or `with` that it stands in."""
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.Break | ast.Continue):
        return not in_loop
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return False
    inside = in_loop or isinstance(node, ast.For | ast.While)
    return any(leaves(child, inside) for child in ast.iter_child_nodes(node))
