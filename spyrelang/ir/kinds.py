"""What an attribute, a type or an opaque text of our dialects may look like, decided on its text.

Deciding on text keeps the rules the same for authors' text and for ops built in Python; results
are remembered, since types and attributes repeat.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache


@dataclass(frozen=True)
class Kind:
    """A set of texts: `title` for messages, `accepts` decides.

    `fixed` is the one text of the set where there is only one; the reader uses it for types that
    the custom form leaves out.
    """

    title: str
    accepts: Callable[[str], bool] = field(compare=False)
    fixed: str | None = None

    def __or__(self, other: Kind) -> Kind:
        return Kind(f"{self.title} or {other.title}", lambda t: self.accepts(t) or other.accepts(t))


def matching(title: str, pattern: str, fixed: str | None = None) -> Kind:
    """The texts that `pattern` matches as a whole."""
    compiled = re.compile(pattern, re.DOTALL)

    def accepts(text: str) -> bool:
        return compiled.fullmatch(text) is not None

    return Kind(title, lru_cache(4096)(accepts), fixed)


def exactly(text: str, title: str | None = None) -> Kind:
    """One text."""
    return Kind(title or f"'{text}'", lambda t: t == text, text)


def enum(before: str, cases: Sequence[str], after: str = ">") -> Kind:
    """An enum attribute: `enum("#dataflow<direction ", ["Clockwise", …])`."""
    texts = frozenset(f"{before}{case}{after}" for case in cases)
    title = f"{before}…{after} with one of {', '.join(cases)}"
    return Kind(title, lambda t: t in texts)


def array_of(item: Kind) -> Kind:
    """An array attribute whose elements are all of one kind."""
    from spyrelang.ir.scan import split_list

    def accepts(text: str) -> bool:
        return text.startswith("[") and all(item.accepts(t) for t in split_list(text[1:-1]))

    return Kind(f"an array of {item.title}", lru_cache(4096)(accepts))


ANY = Kind("any", lambda t: True)

# --- types
INDEX = exactly("index", "index")
I32 = exactly("i32", "i32")
MEMREF = matching("a ranked memref", r"memref<(?!\*).*")
BUILTIN_VECTOR = matching("a vector", r"vector<.*")
TENSOR = matching("a tensor", r"tensor<.*")
SCALAR = matching("an integer, float or index", r"index|[su]?i\d+|bf16|t?f\d\w*|!spyreop\.df16")

# --- attributes
STRING = matching("a string", r'".*"')
BOOL = matching("a bool", r"true|false")
UNIT = exactly("unit", "a unit")
I32_ATTR = matching("an i32", r"-?\d+ : i32")
I64_ATTR = matching("an i64", r"-?\d+ : i64")
SI64_ATTR = matching("an si64 integer (written -3 : si64)", r"-?\d+ : si64")
INDEX_ATTR = matching("an index integer", r"-?\d+ : index")
INTEGER = matching("an integer", r"-?\d+( : (index|[su]?i\d+))?|true|false")
ARRAY = matching("an array", r"\[.*\]")
DICT = matching("a dictionary", r"\{.*\}")
AFFINE_MAP = matching("an affine map", r"affine_map<.*>")
AFFINE_SET = matching("an integer set", r"affine_set<.*>")
I32_ARRAY = matching("an i32 array", r"array<i32.*>")
I64_ARRAY = matching("an i64 array", r"array<i64.*>")
SYMBOL = matching("a symbol", r"@.*")
STRING_ARRAY = array_of(STRING)
I32_LIST = array_of(I32_ATTR)


@dataclass(frozen=True)
class Opaque:
    """A type (`!dialect.name`) or attribute (`#dialect.name`, or `#dialect` alone) of our dialects.

    `normalise` gets the text between the angle brackets (None without brackets) and returns the
    whole text in its one spelling, or None when it is not legal.
    """

    name: str
    normalise: Callable[[str | None], str | None]
    title: str = ""


OPAQUES: dict[str, Opaque] = {}
"""Declared types and attributes by their name with its first letter, e.g. "!dataflow.custom"."""


def declare_opaque(
    name: str, normalise: Callable[[str | None], str | None], title: str = ""
) -> Opaque:
    """Declare a type or attribute; `title` says what is legal, for the error message."""
    found = OPAQUES[name] = Opaque(name, normalise, title)
    return found


def spellings(text: str) -> str | None:
    """The fix for a type or attribute that is not legal: what is."""
    head = re.match(r"[!#][\w.]+", text)
    declared = OPAQUES.get(head.group()) if head is not None else None
    if declared is not None:
        return f"write {declared.title}" if declared.title else None
    near = difflib.get_close_matches(head.group(), OPAQUES, 1) if head is not None else []
    return f"did you mean '{near[0]}'?" if near else None


_INSIDE = re.compile(r"\s*([\w.]+)\s*(?:<(.*)>)?\s*", re.DOTALL)


def normal_opaque(name: str, body: str | None) -> str | None:
    """The one spelling of `name<body>`; None when it is not legal.

    `#ktdp<memory_space<global>>` is another way to write `#ktdp.memory_space<global>`.
    """
    declared = OPAQUES.get(name)
    if declared is None and body is not None and "." not in name:
        found = _INSIDE.fullmatch(body)
        declared = OPAQUES.get(f"{name}.{found[1]}") if found else None
        body = found[2] if found else None
    return declared.normalise(body) if declared is not None else None


def bare(name: str) -> Opaque:
    """Declare a type without parameters."""
    return declare_opaque(name, lambda body: name if body is None else None, name)


def declare_enum(dialect: str, enums: Mapping[str, Sequence[str]]) -> Opaque:
    """Declare the attributes `#dialect<enum case>`."""
    legal = {f"{e} {case}" for e, cases in enums.items() for case in cases}

    def normalise(body: str | None) -> str | None:
        text = " ".join((body or "").split())
        return f"#{dialect}<{text}>" if text in legal else None

    choices = "; ".join(f"{e}: {', '.join(cases)}" for e, cases in enums.items())
    return declare_opaque(f"#{dialect}", normalise, choices)
