"""Other spellings of a KTIR text that mean the same: `respelled` applies a few, drawn at random."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from spyrelang import ir

Random = random.Random

STRING = r'"(?:[^"\\\n]|\\.)*"'
COMMENT = r"//[^\n]*(?:\n|$)"
HIDDEN = rf"{STRING}|{COMMENT}"
AFFINE = r"affine_(?:map|set)<(?:->|>=|[^<>])*>"
BLANKS = (" ", "  ", "\t", "\n", "\n\n", ' // a comment: } ) " %x #y\n', "\n// another {\n")
DEFINED = rf"(?m)^\s*(#[\w$.]+)\s*=\s*({AFFINE})[ \t]*$"


def outside(text: str, pattern: str, change: Callable[[re.Match[str]], str]) -> str:
    """The text with what matches exchanged, but for strings and comments."""
    both = re.compile(rf"(?P<hidden>{HIDDEN})|{pattern}")
    return both.sub(lambda m: m[0] if m["hidden"] is not None else change(m), text)


def blanks(text: str, rng: Random) -> str:
    """Other white space and comments where there is white space."""
    return outside(text, r"\s+", lambda m: rng.choice(BLANKS) if rng.random() < 0.3 else m[0])


def more_blanks(text: str, rng: Random) -> str:
    """White space round brackets and commas."""
    return outside(
        text,
        r"[(),\[\]{}]",
        lambda m: f"{rng.choice(BLANKS)}{m[0]} " if rng.random() < 0.2 else m[0],
    )


def fewer_blanks(text: str, rng: Random) -> str:
    """No white space beside commas and brackets; no comments."""
    text = outside(text, r"[ \t]+(?=[(),\[\]{}])", lambda m: "")
    text = outside(text, r"(?<=[(),\[{])[ \t]+", lambda m: "")
    return re.sub(rf"({STRING})|{COMMENT}", lambda m: m[1] or "\n", text)


def line_ends(text: str, rng: Random) -> str:
    """Lines that end as on Windows."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def generic(text: str, rng: Random) -> str:
    """Every op in generic form."""
    return ir.print_module(ir.parse(text, guard=False), generic=True)


def printed(text: str, rng: Random) -> str:
    """As it is printed."""
    return ir.print_module(ir.parse(text, guard=False))


def aliases_in(text: str, rng: Random) -> str:
    """Aliases instead of some maps and sets, defined at the top."""
    made: list[str] = []

    def alias(found: re.Match[str]) -> str:
        if rng.random() < 0.5:
            return found[0]
        made.append(f"#fresh{len(made)} = {found[0]}\n")
        return f"#fresh{len(made) - 1}"

    body = outside(text, AFFINE, alias) if "#fresh" not in text else text
    return "".join(made) + body


def aliases_out(text: str, rng: Random) -> str:
    """Some maps and sets instead of their aliases."""
    if "tile_future" in text:  # whose sets need names in generic form
        return text
    known = {m[1]: m[2] for m in re.finditer(DEFINED, text) if rng.random() < 0.7}

    def inline(found: re.Match[str]) -> str:
        return known.get(found[0], found[0])

    return outside(text, r"#[\w$.]+(?!\s*=)(?![\w$.])", inline)


def alias_names(text: str, rng: Random) -> str:
    """Other names of aliases."""
    names = {m[1] for m in re.finditer(DEFINED, text)}
    other = {name: f"#{rng.choice(['z', 'map', '_', 'set9_'])}{i}k" for i, name in enumerate(names)}
    return outside(text, r"#[\w$.]+", lambda m: other.get(m[0], m[0]))


def value_names(text: str, rng: Random) -> str:
    """Other names of values: numbers become words, words become others."""
    shape = rng.choice(["%v{}", "%_{}.x", "%$a-{}", "%arg{}"])
    names: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return names.setdefault(found[0], shape.format(len(names)))

    return outside(text, r"%[\w$.-]+", rename)


def entries(text: str, rng: Random) -> str:
    """The entries of attribute dictionaries in another order."""

    def shuffled(found: re.Match[str]) -> str:
        parts = re.findall(rf"(?:{STRING}|{AFFINE}|<[^<>]*>|\[[^\[\]]*\]|[^,])+", found[2])
        if not all(re.match(r"\s*[\w.]+\s*(=|$)", part) for part in parts):
            return found[0]
        rng.shuffle(parts)
        return found[1] + ",".join(parts) + found[3]

    inside = rf"(?:{STRING}|{AFFINE}|->|[^{{}}\"/])*"
    return re.sub(rf"(<?\{{)({inside})(\}}>?)", shuffled, text)


def spaces(text: str, rng: Random) -> str:
    """The other spellings of memory spaces."""
    glob = ("#ktdp.memory_space<global>", "#ktdp<memory_space<global>>",
            "#ktdp.spyre_memory_space<HBM>", "#ktdp<spyre_memory_space<HBM>>")  # fmt: skip
    core = ("#ktdp.memory_space<ct_local, ct_id = {}>", "#ktdp<memory_space<ct_local, ct_id = {}>>",
            "#ktdp.spyre_memory_space<LX, core = {}>")  # fmt: skip
    for form in glob:
        text = outside(text, re.escape(form), lambda m: rng.choice(glob))
    return outside(
        text,
        r"#ktdp\.memory_space<ct_local, ct_id = (?P<n>\d+)>",
        lambda m: rng.choice(core).format(m["n"]),
    )


def tile_types(text: str, rng: Random) -> str:
    """Short types of tiles in full; full ones of loads and stores short."""
    long = outside(
        text,
        r"(?P<before>[:,]\s*)<(?P<of>[\d?x]*index)>",
        lambda m: f"{m['before']}!ktdp.access_tile<{m['of']}>" if rng.random() < 0.5 else m[0],
    )
    return outside(
        long,
        r"(?P<load>ktdp\.load %[\w$.#-]+ : )!ktdp\.access_tile(?=<)",
        lambda m: m["load"] if rng.random() < 0.5 else m[0],
    )


RESPELLINGS = (
    *(generic, printed, aliases_in, aliases_out, alias_names, value_names, entries, spaces),
    *(tile_types, fewer_blanks, more_blanks, blanks, line_ends),
)
"""In an order in which each leaves the others something to do."""


def respelled(text: str, rng: Random) -> str:
    """Up to five changes."""
    chosen = rng.sample(range(len(RESPELLINGS)), rng.randint(1, 5))
    for number in sorted(chosen):
        text = RESPELLINGS[number](text, rng)
    return text
