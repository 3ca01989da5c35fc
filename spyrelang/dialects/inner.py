"""Types and attributes inside the text of opaque ones, which MLIR does not look at."""

from __future__ import annotations

import re
from functools import lru_cache

from spyrelang.ir import scan

_INTEGER = r"[su]?i(?P<width>[1-9]\d{0,7})"
_FLOAT = (
    r"bf16|tf32|f(?:16|32|64|80|128)|f8E5M2(?:FNUZ)?|f8E4M3(?:FN|FNUZ|B11FNUZ)?|f8E3M4|f8E8M0FNU"
    r"|f6E[23]M[23]FN|f4E2M1FN"
)
_SCALAR = re.compile(rf"index|none|{_FLOAT}|{_INTEGER}")
_NUMBER = re.compile(rf"index|{_FLOAT}|{_INTEGER}")
_BRACKETS = re.compile(r"(?P<name>tensor|memref|vector|complex|tuple)\s*<(?P<body>.*)>", re.DOTALL)
_DIMS = re.compile(r"\s*(?:\*\s*x|(?:(?:\?|\d+|\[\s*\d+\s*\])\s*x\s*)*)")
_WIDEST = 2**24 - 1
"""The most bits of an integer type."""


def is_number(text: str) -> bool:
    """Whether the text is index, an integer type or a float type."""
    return _sized(_NUMBER.fullmatch(text))


@lru_cache(maxsize=4096)
def is_type(text: str) -> bool:
    """Whether the text is a type; what types of other dialects hold is theirs."""
    text = text.strip()
    if text.startswith(("!", "(")):
        return True
    found = _BRACKETS.fullmatch(text)
    if found is None:
        return _sized(_SCALAR.fullmatch(text))
    body = found["body"]
    if found["name"] == "tuple":
        return all(is_type(item) for item in scan.split_list(body))
    if found["name"] == "complex":
        return is_type(body)
    dims = _DIMS.match(body)
    items = scan.split_list(body[dims.end() if dims else 0 :])
    return bool(items) and is_type(items[0])  # behind it stand a layout, a space or an encoding


def _sized(found: re.Match[str] | None) -> bool:
    return found is not None and int(found["width"] or 1) <= _WIDEST


_LITERAL = re.compile(
    rf"{scan.STRING}|[@#!\[{{(]|-?\d|(?:true|false|unit|dense|sparse|array|affine_map|affine_set)\b"
    r"|(?:index|none|[su]?i\d+|b?f\d+\w*|tf32|vector|memref|tensor|complex|tuple|loc)\b"
)


@lru_cache(maxsize=4096)
def normal_attribute(text: str) -> str | None:
    """An attribute as MLIR prints it; None where MLIR does not accept it."""
    from mlir import ir

    from spyrelang.ir.context import LOCK, MLIRError, context

    # What MLIR aborts on, and what its bracket matcher cannot hold inside opaque text.
    if _LITERAL.match(text) is None or "array<index" in text or ">=" in text:
        return None
    try:
        with LOCK:
            return str(ir.Attribute.parse(text, context()))
    except MLIRError:
        return None
