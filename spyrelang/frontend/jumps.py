"""`return` and `continue` inside an `if`, written without jumps: the rest goes to the other side.

if done: return a          if done: result = a
rest                  ->   else: rest, which ends in result = …
return b                   return result
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

RESULT = "_returned"

Jump = type[ast.Return] | type[ast.Continue]


def without_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a function; unchanged where a return stands in another place."""
    if not any(isinstance(s, ast.If) for s in body):
        return body
    found = _tail(body, ast.Return)
    given: list[ast.expr | None] = []
    if found == body or not _collect(found, given):
        return body
    if all(value is None for value in given):
        return _replaced(found, with_value=False)
    if any(value is None for value in given):
        return body
    last = ast.Return(ast.Name(RESULT, ast.Load()))
    ast.copy_location(last, body[-1])
    return [*_replaced(found, with_value=True), ast.fix_missing_locations(last)]


def without_continues(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop."""
    found = _tail(body, ast.Continue)
    return body if found == body else _replaced(found, with_value=False)


def _tail(statements: list[ast.stmt], kind: Jump) -> list[ast.stmt]:
    for at, found in enumerate(statements):
        if not isinstance(found, ast.If):
            continue
        ends = [bool(side) and isinstance(side[-1], kind) for side in (found.body, found.orelse)]
        if not any(ends) and not _nested(found, kind):
            continue
        rest = statements[at + 1 :]
        sides = [
            _tail(side if ended else [*side, *rest], kind)
            for side, ended in zip((found.body, found.orelse), ends, strict=True)
        ]
        made = ast.If(found.test, sides[0] or [ast.Pass()], sides[1])
        ast.copy_location(made, found)
        return [*statements[:at], ast.fix_missing_locations(made)]
    return statements


def _nested(found: ast.If, kind: Jump) -> bool:
    """Whether the else part is one `if` that jumps (an `elif`)."""
    inner = found.orelse[0] if len(found.orelse) == 1 else None
    if not isinstance(inner, ast.If):
        return False
    sides = (inner.body, inner.orelse)
    return any(side and isinstance(side[-1], kind) for side in sides) or _nested(inner, kind)


def _collect(statements: Sequence[ast.stmt], given: list[ast.expr | None]) -> bool:
    """What each path returns (None: nothing); False where a return is not at the end of one."""
    inner = [n for s in statements[:-1] for n in ast.walk(s)]
    if any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in inner):
        return False
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _collect(last.body, given) and _collect(last.orelse, given)
    if last is not None and not isinstance(last, ast.Return):
        if any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in ast.walk(last)):
            return False
        last = None
    given.append(None if last is None else last.value)
    return True


def _replaced(statements: list[ast.stmt], with_value: bool) -> list[ast.stmt]:
    """The jumps at the ends of the paths as assignments, or left out."""
    if not statements:
        return statements
    *front, last = statements
    if isinstance(last, ast.If):
        sides = _replaced(last.body, with_value), _replaced(last.orelse, with_value)
        made: ast.stmt = ast.If(last.test, sides[0] or [ast.Pass()], sides[1])
    elif isinstance(last, ast.Return) and with_value and last.value is not None:
        made = ast.Assign([ast.Name(RESULT, ast.Store())], last.value)
    elif isinstance(last, ast.Return | ast.Continue):
        made = ast.Pass()
    else:
        return statements
    ast.copy_location(made, last)
    return [*front, ast.fix_missing_locations(made)]
