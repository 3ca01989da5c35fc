"""What an author meant by a name that the language does not have, or by a call that it refuses."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from typing import Any, NoReturn

from spyrelang.errors.signature import NO_ATTRIBUTE
from spyrelang.language.tracing import fail

ELSEWHERE: Mapping[str, str] = {
    "program_id": "write spy.tile_id(axis)",
    "num_programs": "write spy.num_tiles(axis)",
    "arange": "write spy.iota(n)",
    "cdiv": "write -(-a // b); spy.blocks cuts an extent into blocks, what is left over included",
    "static_range": "write Python's range, which unrolls",
    "fori_loop": "write `for i in spy.range(n):`; variables carry values by assignment",
    "while_loop": "write `while condition:`, or spy.while_ where there is no source",
    "cond": "write `if condition:`, or spy.when where there is no source",
    "constexpr": "annotate the parameter spy.Const",
    "device_print": "write spy.print_(…)",
    "device_assert": "write spy.assert_(condition, message)",
    "static_assert": "write Python's assert",
    "atomic_add": "combine with spy.reduce_to_one or spy.all_reduce",
    "matmul": "write spy.dot(a, b), or spy.batch_dot of stacks of matrices",
    "stack": "write spy.concat([spy.expand_dims(v, 0) for v in values])",
    "cat": "write spy.concat(values, axis)",
    "concatenate": "write spy.concat(values, axis)",
    "permute": "write spy.transpose(x, axes)",
    "swapaxes": "write spy.transpose(x, axes)",
    "trans": "write spy.transpose(x)",
    "zeros_like": "write spy.zeros(x.shape, x.dtype)",
    "full_like": "write spy.full(x.shape, value, x.dtype)",
    "ones": "write spy.full(shape, 1, dtype)",
    "clamp": "write spy.minimum(spy.maximum(x, low), high)",
    "clip": "write spy.minimum(spy.maximum(x, low), high)",
    "relu": "write spy.maximum(x, 0)",
    "square": "write x * x",
    "pow": "write x ** n",
    "inf": 'write float("inf")',
    "float16": "write spy.f16",
    "float32": "write spy.f32",
    "bfloat16": "write spy.bf16",
    "int8": "write spy.i8",
    "int16": "write spy.i16",
    "int32": "write spy.i32",
    "int64": "write spy.i64",
}
"""How the language says what other languages of kernels, and numpy, call otherwise."""


def refuse(name: str, known: list[str]) -> NoReturn:
    """There is no `name` in the language."""
    if name.startswith("__"):
        raise AttributeError(name)  # protocols of Python and its tools, asked of any module
    hint = ELSEWHERE.get(name)
    close = difflib.get_close_matches(name, known, 1)
    if hint is None and close:
        hint = f"did you mean spy.{close[0]}?"
    fail(NO_ATTRIBUTE, what="spyrelang.language", name=name, hint=hint or "see help(spy)")


def call_of(function: Any, name: str) -> str:
    """How a function of the language is called: `sum(x, axis=None)`."""
    found = inspect.signature(function).parameters.values()
    shown = [p.replace(annotation=p.empty) for p in found]
    return f"spy.{name}{inspect.Signature(shown)}"
