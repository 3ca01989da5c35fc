"""Small changes to a text: what a person mistypes, a broken tool writes, an attacker tries.

Every mutation takes the text, another text of the corpus and a source of randomness. Some replace
pieces of text wherever they stand, some work on tokens, so that many results still read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Mutation = Callable[[str, str, random.Random], str]

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%@^#!][\w.$#:-]*[\w]|[A-Za-z_][\w.$]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?'
    r"|->|>=|==|::|[^\s\w]"
)
NUMBERS = (
    "0", "1", "2", "3", "-1", "-7", "7", "63", "64", "128", "4096", "65536", "99999999",
    "1000000000000", "-1000000000000", "99999999999999999999", str(2**31), str(2**63 - 1),
    str(2**63), str(2**64), str(-(2**63)), "0x7C00", "0xFFFFFFFFFFFFFFFFFF", "1.0", "-0.0", "1e400",
    "?",
)  # fmt: skip
TYPES = (
    "f16", "f32", "bf16", "f64", "i1", "i4", "i8", "i16", "i32", "i64", "si32", "ui8", "index",
    "none", "i128", "i9999999", "f8E4M3FN", "tf32", "complex<f32>", "!spyreop.df16",
    "vector<4xf16>", "tensor<*xf16>", "memref<?xf16>", "tensor<0xf16>", "tuple<>",
)  # fmt: skip
SHAPED = re.compile(r"\b(?:tensor|memref|vector|!ktdp\.access_tile|!ktdf\.fifo\.slot)<[^<>]*>")
ELEMENT = re.compile(r"(?<=[x<: ])(?:bf16|f16|f32|f64|i1|i8|i16|i32|i64|index)\b")
SPACE = re.compile(r"\b(?:DDR|L1|HBM|LX|global|ct_local|SFU|READ|VEC|MNILU|MNISU|L1LU|L1SU)\b")
STRANGE = (
    "é", "\u2028", "\ufeff", "\u200b", "𝔸", "\x00", "\x7f", "\\", "\r", "\t", "٣", "ǅ", "\ud800",
    '"', "'", "`", "//", "/*", "%", "#", "!", "@", "^", "{-#", "#-}",
)  # fmt: skip
BRACKETS = "(){}[]<>"


def mutate(text: str, other: str, rng: random.Random) -> str:
    """The text after one to three mutations; never an empty change on purpose."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = rng.choice(MUTATIONS)(text, other, rng)
    return text


def _replace(text: str, match: re.Match[str] | None, new: str) -> str:
    return text if match is None else text[: match.start()] + new + text[match.end() :]


def _pick(pattern: re.Pattern[str], text: str, rng: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return rng.choice(found) if found else None


def _like(pattern: str) -> Mutation:
    """One piece of the pattern becomes another that stands in the text."""
    compiled = re.compile(pattern)

    def swap(text: str, other: str, rng: random.Random) -> str:
        first = _pick(compiled, text, rng)
        second = _pick(compiled, rng.choice([text, text, other]), rng)
        return text if second is None else _replace(text, first, second.group())

    return swap


def _one_of(pattern: re.Pattern[str], choices: tuple[str, ...]) -> Mutation:
    """One piece of the pattern becomes one of some texts."""

    def swap(text: str, other: str, rng: random.Random) -> str:
        return _replace(text, _pick(pattern, text, rng), rng.choice(choices))

    return swap


NUMBER = re.compile(r"(?<![\w.%#])-?\d+(?:\.\d+)?")
word = _like(r"(?<![%@#!^\w.])[A-Za-z_][\w.]*")
value = _like(r"%[\w#]+")
alias = _like(r"[#!][\w.]+")
any_token = _like(TOKEN.pattern)
number = _one_of(NUMBER, NUMBERS)
element = _one_of(ELEMENT, TYPES)
space = _one_of(SPACE, ("DDR", "L1", "HBM", "global", "ct_local", "ct_local, ct_id = 7", "SFU", ""))
shaped = _like(SHAPED.pattern)


def everywhere(text: str, other: str, rng: random.Random) -> str:
    """The same change of a number wherever it shows: consistent edits get further than single
    ones."""
    found = sorted(set(re.findall(r"(?<![\w.])\d+", text)))
    if not found:
        return text
    old, new = rng.choice(found), rng.choice(NUMBERS)
    return re.sub(rf"(?<![\w.]){old}(?!\d)", lambda _: new, text)


def type_everywhere(text: str, other: str, rng: random.Random) -> str:
    """One element type becomes another in the whole text."""
    found = sorted(set(ELEMENT.findall(text)))
    if not found:
        return text
    old, new = rng.choice(found), rng.choice(TYPES)
    return re.sub(rf"(?<=[x<: ]){old}\b", lambda _: new, text)


def size(text: str, other: str, rng: random.Random) -> str:
    """One extent of a shaped type, alone or everywhere."""
    found = list(re.finditer(r"(?<=[<x])(?:\d+|\?)(?=x)", text))
    if not found:
        return text
    match, new = rng.choice(found), rng.choice(NUMBERS).lstrip("-").split(".")[0]
    if rng.random() < 0.5:
        return _replace(text, match, new)
    return re.sub(rf"(?<=[<x]){re.escape(match.group())}(?=x)", lambda _: new, text)


def near_number(text: str, other: str, rng: random.Random) -> str:
    """One number becomes one more or less: off-by-one is the commonest slip."""
    match = _pick(re.compile(r"(?<![\w.%#])\d+(?![\w.])"), text, rng)
    if match is None:
        return text
    return _replace(text, match, str(int(match.group()) + rng.choice([-1, 1])))


def drop_line(text: str, other: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(max(1, len(lines)))
    del lines[at : at + rng.choice([1, 1, 1, 3])]
    return "".join(lines)


def twice(text: str, other: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(max(1, len(lines)))
    return "".join([*lines[: at + 1], *lines[at:]])


def swap_lines(text: str, other: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def foreign_line(text: str, other: str, rng: random.Random) -> str:
    """A line of another text stands in this one."""
    lines, found = text.splitlines(keepends=True), other.splitlines(keepends=True)
    if found:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(found))
    return "".join(lines)


def merged(text: str, other: str, rng: random.Random) -> str:
    """The start of one text and the end of another, or both one after the other."""
    if rng.random() < 0.3:
        return text + "\n" + other
    lines, found = text.splitlines(keepends=True), other.splitlines(keepends=True)
    at = rng.random()
    return "".join([*lines[: int(at * len(lines))], *found[int(at * len(found)) :]])


def truncated(text: str, other: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] if rng.random() < 0.7 else text[at:]


def cut(text: str, other: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.randint(1, 40) :]


def character(text: str, other: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice("(){}[]<>,:%#@=-*x0 \n\"'") + text[at + rng.randint(0, 1) :]


def strange(text: str, other: str, rng: random.Random) -> str:
    """A character that no tool writes, between tokens or inside of one."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(STRANGE) + text[at:]


def drop_token(text: str, other: str, rng: random.Random) -> str:
    return _replace(text, _pick(TOKEN, text, rng), "")


def twice_token(text: str, other: str, rng: random.Random) -> str:
    match = _pick(TOKEN, text, rng)
    return text if match is None else _replace(text, match, f"{match.group()} {match.group()}")


def swap_tokens(text: str, other: str, rng: random.Random) -> str:
    """Two tokens close to each other change places."""
    found = list(TOKEN.finditer(text))
    if len(found) < 2:
        return text
    at = rng.randrange(len(found) - 1)
    a, b = found[at], found[min(len(found) - 1, at + rng.choice([1, 2, 2, 4]))]
    between = text[a.end() : b.start()]
    return text[: a.start()] + b.group() + between + a.group() + text[b.end() :]


def _item(text: str, rng: random.Random) -> tuple[int, int] | None:
    """One item of a comma-separated list, with the comma before it."""
    match = _pick(re.compile(r",[^,(){}\[\]<>\n]+"), text, rng)
    return None if match is None else match.span()


def drop_operand(text: str, other: str, rng: random.Random) -> str:
    found = _item(text, rng)
    return text if found is None else text[: found[0]] + text[found[1] :]


def twice_operand(text: str, other: str, rng: random.Random) -> str:
    found = _item(text, rng)
    return text if found is None else text[: found[1]] + text[slice(*found)] + text[found[1] :]


ENTRY = re.compile(r"(?:(?<=[{,])\s*)([\w.]+) = ([^,{}\n]+)")


def drop_entry(text: str, other: str, rng: random.Random) -> str:
    return _replace(text, _pick(re.compile(r", [\w.]+ = [^,{}]+"), text, rng), "")


def change_entry(text: str, other: str, rng: random.Random) -> str:
    """An attribute gets the value of another, or one of another kind."""
    match = _pick(ENTRY, text, rng)
    if match is None:
        return text
    second = _pick(ENTRY, rng.choice([text, other]), rng)
    values = [*VALUES, second.group(2) if second else "unit"]
    return text[: match.start(2)] + rng.choice(values) + text[match.end(2) :]


def rename_entry(text: str, other: str, rng: random.Random) -> str:
    match = _pick(ENTRY, text, rng)
    second = _pick(ENTRY, rng.choice([text, other]), rng)
    if match is None or second is None:
        return text
    return text[: match.start(1)] + second.group(1) + text[match.end(1) :]


VALUES = (
    "[]", "{}", '"text"', '""', "unit", "true", "-1 : i32", "1 : index", "f16", "array<i64>",
    "array<i32: 1, 2>", "array<index: 1>", "dense<1> : tensor<2xi32>", "@nowhere", "loc(unknown)",
    "affine_map<(d0) -> (d0)>", "affine_set<(d0) : (d0 >= 0)>", "affine_map<() -> ()>", "[1, f16]",
    "affine_set<(d0) : (1 == 0)>", "affine_map<(d0)[s0] -> (d0 floordiv s0)>",
    "affine_set<(d0, d1) : (d0 * 3 - d1 * 2 >= 0)>", "#ktdp.memory_space<global>",
)  # fmt: skip
MAPS = re.compile(r"(?<![\w.])(?:affine_map|affine_set)<(?:[^<>]|->|>=|<=)*>")
EXPRESSION = re.compile(r"(?<![\w%#])(?:[ds]\d+)\b")


def affine(text: str, other: str, rng: random.Random) -> str:
    """Something inside an affine map or set."""
    match = _pick(MAPS, text, rng)
    if match is None:
        return text
    inside = _pick(EXPRESSION, match.group(), rng)
    new = rng.choice(["d0", "d1", "s0", "d9", "0", "d0 * d1", "d0 mod 0", "d0 floordiv 2", "-d0",
                      "d0 * 99999999999", "(d0 ceildiv -3)", "d0 mod 7 + d1"])  # fmt: skip
    return _replace(text, match, _replace(match.group(), inside, new))


swap_maps = _like(MAPS.pattern)


def brackets(text: str, other: str, rng: random.Random) -> str:
    """A bracket too many, another kind of it, or very many nested ones."""
    kind = rng.randrange(3)
    if kind == 0:
        return _replace(text, _pick(re.compile(r"[(){}\[\]<>]"), text, rng), rng.choice(BRACKETS))
    depth = rng.choice([1, 2, 50, 199, 201, 20000])
    opening, closing = rng.choice(["()", "[]", "{}", "<>"])
    at = rng.randrange(len(text) + 1)
    if kind == 1:
        match = _pick(TOKEN, text, rng)
        inner = "" if match is None else match.group()
        return _replace(text, match, opening * depth + inner + closing * depth)
    return text[:at] + opening * depth + text[at:]


def generic_entry(text: str, other: str, rng: random.Random) -> str:
    """An edit that only generic form allows: properties, segments, numbers of regions."""
    edits = (
        (r"operandSegmentSizes = array<i32: [^>]*>", "operandSegmentSizes = array<i32: 1, 1>"),
        (r"operandSegmentSizes = array<i32: [^>]*>", "operandSegmentSizes = array<i32: -1, 9>"),
        (r"<\{", "{"), (r"\}>", "}"), (r"\(\{\s*\n", "({\n^bb0:\n"), (r"\}\) :", "}, {\n}) :"),
        (r"\^bb0\([^)]*\):", "^bb0:"), (r"\^bb0", "^bb1"), (r'"([\w.]+)"\(', r'"\1.x"('),
        (r"\) -> \(\)", ") -> index"), (r": \([^)]*\) ->", ": () ->"), (r"static_\w+ = ", "x = "),
    )  # fmt: skip
    pattern, new = rng.choice(edits)
    match = _pick(re.compile(pattern), text, rng)
    return text if match is None else _replace(text, match, match.expand(new))


MUTATIONS: tuple[Mutation, ...] = (
    word, word, value, value, alias, any_token, number, number, number, near_number, near_number,
    element, element, type_everywhere, shaped, size, size, space, everywhere, everywhere,
    drop_line, twice, swap_lines, foreign_line, merged, truncated, cut, character, strange,
    drop_token, twice_token, swap_tokens, drop_operand, twice_operand, drop_entry, change_entry,
    rename_entry, affine, affine, swap_maps, brackets, generic_entry,
)  # fmt: skip
