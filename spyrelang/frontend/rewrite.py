"""`if` and `while` on traced values, where the source can be read.

Tracing starts with the author's own code. Only when one of them has met a traced value is the
function that holds it compiled once more from its source, with every `if` and `while` that is not
left by a jump written as

    for branch in branches(test):            for loop in Statement():
        if branch: …                             if loop.asking: loop.answer = test
        else: …                                  else: …

where `branches` decides by value: it gives one bool for a plain test, and both for a traced one.
A `Statement` gives itself for every test and every body; see `language.repetition`. What else is
rewritten is in `frontend.rewriter`.
"""

from __future__ import annotations
import __future__

import ast
import functools
import gc
import operator
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import RLock
from types import CodeType, FunctionType, TracebackType
from typing import Any

from spyrelang.errors import Note, SpyreError
from spyrelang.errors.trace import BOOL_ON_TRACED, RANGE_ON_TRACED
from spyrelang.frontend.definitions import is_definition
from spyrelang.frontend.rewriter import PLACEHOLDERS, Rewriter
from spyrelang.language.leaving import place_of_jump
from spyrelang.language.place import is_author
from spyrelang.language.source import source_text

LEFT = (
    "let the condition of the loop say when it ends: `while a and b:`; or put the rest of the body "
    "under an `if`"
)
_LOCK = RLock()
_REWRITTEN = (BOOL_ON_TRACED.code, RANGE_ON_TRACED.code)
_FUTURE: int = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


def rewritten(error: SpyreError) -> tuple[FunctionType, CodeType] | None:
    """The function in which an error arose, with other code that does not have it; None where the
    error is another one, the source is not known, or there is nothing to rewrite."""
    code = _author_code(error.__traceback__) if error.code in _REWRITTEN else None
    text = source_text(code) if code is not None else None
    function = _function(code) if code is not None else None
    if code is None or text is None or function is None:
        return None
    found = _compiled(code, *text)
    return None if found is None else (function, found)


def explain(error: SpyreError) -> None:
    """Note what keeps an `if` or `while` from becoming a part of the kernel, where that is so."""
    place = error.location
    if error.code != BOOL_ON_TRACED.code or place is None:
        return
    jump = place_of_jump(place.file, place.line)
    if jump is not None:
        error.notes = (*error.notes, Note("because it is left here, it cannot be traced", jump))
        error.hint = LEFT


def _author_code(traceback: TracebackType | None) -> CodeType | None:
    """The author's code that was running; where it was defined in code that was running too,
    that: functions inside a function are made anew by each trace."""
    running: list[CodeType] = []
    while traceback is not None:
        if is_author(traceback.tb_frame):
            running.append(traceback.tb_frame.f_code)
        traceback = traceback.tb_next
    if not running:
        return None
    outer = (c for c in running if any(found is running[-1] for found in _codes(c)))
    return next((c for c in outer if _function(c) is not None), None)


def _function(code: CodeType) -> FunctionType | None:
    for holder in gc.get_referrers(code):
        if isinstance(holder, FunctionType) and holder.__code__ is code:
            return holder
    return None


@contextmanager
def swapped(codes: dict[FunctionType, CodeType]) -> Generator[None]:
    """Let functions have other code meanwhile."""
    if not codes:
        yield
        return
    with _LOCK:
        kept = {function: function.__code__ for function in codes}
        try:
            for function, code in codes.items():
                function.__code__ = code
            yield
        finally:
            for function, code in kept.items():
                function.__code__ = code


# --- compiling ------------------------------------------------------------------------------------


def _compiled(code: CodeType, text: str, mode: str) -> CodeType | None:
    """The code object of the same function, from the rewritten source."""
    try:
        tree: Any = ast.parse(text, code.co_filename, mode)
    except SyntaxError:
        return None
    node = next((n for n in ast.walk(tree) if is_definition(n, code)), None)
    if not isinstance(node, ast.FunctionDef):
        return None
    rewriter = Rewriter()
    rewriter.function(node)
    if not rewriter.changed:
        return None
    ast.fix_missing_locations(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = compile(
            tree, code.co_filename, mode, flags=code.co_flags & _FUTURE, dont_inherit=True
        )
    found = next((c for c in _codes(whole) if _alike(c, code)), None)
    return None if found is None else _filled(found)


def _alike(found: CodeType, code: CodeType) -> bool:
    return (
        found.co_name == code.co_name
        and found.co_firstlineno == code.co_firstlineno
        and found.co_freevars == code.co_freevars
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _filled(code: CodeType) -> CodeType:
    """The code with our functions where their placeholders were, also in functions inside it."""
    consts = tuple(
        _filled(const)
        if isinstance(const, CodeType)
        else PLACEHOLDERS.get(const, const)
        if isinstance(const, str)
        else const
        for const in code.co_consts
    )
    return code.replace(co_consts=consts)
