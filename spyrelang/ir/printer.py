"""From MLIR's print to the public text.

MLIR prints upstream ops in custom form and ours in generic form, one op per line. Each of our
lines is turned into custom text by its declaration; a last scan makes the aliases. Linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from mlir import ir

from spyrelang.errors import SpyreError
from spyrelang.ir import opdef, scan
from spyrelang.ir.aliases import with_aliases
from spyrelang.ir.context import LOCK
from spyrelang.ir.default_names import join_results, with_default_names
from spyrelang.ir.generic import dictionaries, split_attributes
from spyrelang.ir.module import Module
from spyrelang.ir.opdef import SEGMENTS, OpDef, Region
from spyrelang.ir.pieces import Body, Draft
from spyrelang.ir.translate import to_public_text


def print_module(
    module: Module | ir.Module | ir.Operation,
    generic: bool = False,
    locs: bool = False,
    names: bool = True,
) -> str:
    """The public text of a module (or of one op).

    `generic` prints every op in generic form, `locs` appends `loc(…)`, `names` prints values under
    the names their locations carry (else MLIR's numbers). The text ends with one newline.
    """
    opdef.load_dialects()
    with LOCK:
        op = _operation(module)
        text = _asm(op, generic, locs, names)
        renamed = None if generic else with_default_names(op, text, names)
        if renamed is not None:
            text = join_results(_asm(renamed.operation, False, locs, True))
    text = to_public_text(text)
    kinds = "ktdf_arch" in text
    text, order = split_attributes(text) if generic else (Printer().convert(text), "")
    return with_aliases(text, kinds, order).rstrip("\n") + "\n"


def _operation(module: Module | ir.Module | ir.Operation) -> ir.Operation:
    return module.operation


def _asm(op: ir.Operation, generic: bool, locs: bool, names: bool) -> str:
    return str(
        op.get_asm(
            print_generic_op_form=generic,
            enable_debug_info=locs,
            use_local_scope=True,
            use_name_loc_as_prefix=names,
        )
    )


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    dialects = "|".join(sorted(opdef.DIALECTS, key=len, reverse=True))
    return re.compile(rf'( *)(%[^"=]*= )?"((?:{dialects})\.[\w.]+)"\(([^()]*)\)(.*)')


_LABEL = re.compile(r" *\^\w+(?:\((.*)\))?:")


@dataclass
class _Frame:
    """An op of ours whose regions are being read."""

    op: OpDef
    indent: str
    results: str
    operands: list[str]
    bare: bool
    bodies: list[Body] = field(default_factory=list[Body])
    lines: list[str] = field(default_factory=list[str])
    args: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    at_start: bool = True
    labelled: bool = False
    rename: dict[str, str] = field(default_factory=dict[str, str])
    plain_terminator: str | None = None

    @property
    def region(self) -> Region:
        """The declaration of the region being read."""
        declared = self.op.regions
        return declared[min(len(self.bodies), len(declared) - 1)]


@dataclass(frozen=True)
class Tail:
    """What stands behind the operands: attributes, types, location."""

    attrs: dict[str, str | None]
    inputs: list[str]
    outputs: list[str]
    loc: str


class Printer:
    """Converts the lines of one print."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.frames: list[_Frame] = []

    def convert(self, text: str) -> str:
        """The text with our ops in custom form."""
        pattern = _line()
        for line in text.split("\n"):
            frame = self.frames[-1] if self.frames else None
            if frame is not None and self._closes(frame, line):
                continue
            if frame is not None and frame.at_start:
                frame.at_start = False
                label = _LABEL.match(line)
                if label is not None:
                    frame.args = _label_args(label.group(1) or "")
                    frame.labelled = True
                    self._rename_args(frame)
                    continue
            found = pattern.match(line)
            if found is None:
                self.out.append(line)
                if frame is not None:
                    frame.plain_terminator = None
            else:
                self._ours(found, line, frame)
        return "\n".join(self.out)

    def _rename_args(self, frame: _Frame) -> None:
        """Block arguments that text shows under the operands' own names."""
        if frame.region.outer_names:
            frame.rename = {
                arg[0]: outer for arg, outer in zip(frame.args, frame.operands, strict=False)
            }

    def _renamed(self, names: list[str]) -> list[str]:
        """Names as shown: each enclosing region may rename its arguments."""
        for frame in reversed(self.frames):
            if frame.rename:
                return [frame.rename.get(n, n) for n in names]
            if frame.op.dialect not in opdef.DIALECTS:
                break
        return names

    def _ours(self, found: re.Match[str], line: str, frame: _Frame | None) -> None:
        indent, results, name, operands, rest = found.groups()
        op = opdef.lookup(name)
        if op is None:
            self.out.append(line)
            return
        names = operands.split(", ") if operands else []
        if frame is not None and self.frames:
            names = self._renamed(names)
        direct = frame is not None and len(indent) == len(frame.indent) + 2
        bare = direct and frame is not None and frame.region.prefix == op.dialect
        if rest.endswith("({"):
            self.frames.append(_Frame(op, indent, results or "", names, bare, lines=self.out))
            self.out = []
            return
        tail = _tail(rest)
        if direct and frame is not None:
            frame.plain_terminator = op.name if not names and not tail.attrs else None
        shown = self._text(op, indent, results or "", names, tail, [], bare)
        self.out.append(shown or _generic(_Frame(op, indent, results or "", names, bare), tail))

    def _closes(self, frame: _Frame, line: str) -> bool:
        indent = frame.indent
        if not line.startswith("}", len(indent)) or not line.startswith(indent):
            return False
        region = frame.region
        hidden = ""
        if region.hidden and frame.plain_terminator == region.terminator and self.out:
            hidden = f'{indent}  "{region.terminator}"() : () -> ()\n'
            self.out.pop()
        text = "".join(f"{inner}\n" for inner in self.out)
        frame.bodies.append(Body(frame.args, text, frame.labelled, hidden))
        frame.args, frame.at_start, frame.plain_terminator = [], True, None
        frame.labelled = False
        self.out = []
        rest = line[len(indent) + 1 :]
        if rest == ", {":
            return True
        self.frames.pop()
        self.out = frame.lines
        tail = _tail(rest.removeprefix(")"))
        shown = self._text(
            frame.op, indent, frame.results, frame.operands, tail, frame.bodies, frame.bare
        )
        self.out.append(shown or _generic(frame, tail))
        outer = self.frames[-1] if self.frames else None
        if outer is not None:
            outer.plain_terminator = None
        return True

    def _text(
        self,
        op: OpDef,
        indent: str,
        results: str,
        names: list[str],
        tail: Tail,
        bodies: list[Body],
        bare: bool,
    ) -> str | None:
        """The custom text of an op, or None where only the generic form can say it."""
        if op.assembly is None:
            return None
        draft = draft_of(op, names, tail)
        if draft is None:
            return None
        draft.indent, draft.bodies = indent, bodies
        draft.results = results.removesuffix(" = ").split(", ") if results else []
        name = op.name.split(".", 1)[1] if bare else op.name
        try:
            return f"{indent}{results}{name}{op.assembly.write(draft)}{tail.loc}"
        except (LookupError, ValueError, scan.Unbalanced, SpyreError):
            return None  # an op that does not verify: only the generic form can show it


def _generic(frame: _Frame, tail: Tail) -> str:
    """An op that its custom form cannot say."""
    regions: list[str] = []
    for body in frame.bodies:
        label = ""
        if body.labelled:
            shown = ", ".join(f"{n}: {t}{loc}" for n, t, loc in body.args)
            label = f"{frame.indent}^bb0{f'({shown})' if shown else ''}:\n"
        regions.append(f"{{\n{label}{body.text}{body.hidden}{frame.indent}}}")
    inherent, others = dictionaries(frame.op, tail.attrs)
    outputs = tail.outputs
    single = len(outputs) == 1 and not outputs[0].startswith("(")
    made = outputs[0] if single else f"({', '.join(outputs)})"
    bodies = f" ({', '.join(regions)})" if regions else ""
    head = f'{frame.indent}{frame.results}"{frame.op.name}"({", ".join(frame.operands)})'
    types = f"({', '.join(tail.inputs)}) -> {made}"
    return f"{head}{inherent}{bodies}{others} : {types}{tail.loc}"


def draft_of(op: OpDef, names: Sequence[str], tail: Tail) -> Draft | None:
    """Segments, types and attributes of an op in generic text; None when the counts are off."""
    attrs = tail.attrs

    def integer(name: str) -> int:
        text = (attrs.get(name) or "").split(" : ")[0]
        return int(text) if re.fullmatch(r"-?\d+", text) else -1

    segments = _segment_sizes(attrs.get(SEGMENTS)) if op.segments else None
    sizes = op.sizes(len(names), integer, segments)
    result_sizes = opdef.spread(op.results, len(tail.outputs))
    if sizes is None or result_sizes is None or len(tail.inputs) != len(names):
        return None
    draft = Draft(op, attrs=attrs)
    at = 0
    for part, size in zip(op.parts, sizes, strict=True):
        draft.operands[part.name] = list(names[at : at + size])
        draft.types[part.name] = tail.inputs[at : at + size]
        at += size
    at = 0
    for part, size in zip(op.results, result_sizes, strict=True):
        draft.types[part.name] = tail.outputs[at : at + size]
        at += size
    return draft


def _segment_sizes(text: str | None) -> list[int] | None:
    if text is None or not text.startswith("array<i32"):
        return None
    inside = text[len("array<i32") : -1].lstrip(": ")
    return [int(n) for n in inside.split(",")] if inside else []


@lru_cache(maxsize=16384)
def _tail(rest: str) -> Tail:
    """Parse ` {attributes} : (types) -> types loc(…)`."""
    attrs: dict[str, str | None] = {}
    pos = 0
    if rest.startswith(" {"):
        end = scan.closing(rest, 1)
        attrs = scan.split_dict(rest[2 : end - 1])
        pos = end
    pos = rest.index("(", pos)
    end = scan.closing(rest, pos)
    inputs = scan.split_list(rest[pos + 1 : end - 1])
    pos = end + len(" -> ")
    if rest.startswith("(", pos):
        end = scan.closing(rest, pos)
        return Tail(attrs, inputs, scan.split_list(rest[pos + 1 : end - 1]), rest[end:])
    end = rest.find(" loc(", pos)
    end = len(rest) if end < 0 else end
    return Tail(attrs, inputs, [rest[pos:end]], rest[end:])


def _label_args(text: str) -> list[tuple[str, str, str]]:
    args: list[tuple[str, str, str]] = []
    for item in scan.split_list(text):
        name, _, rest = item.partition(": ")
        type_text, loc, place = rest.partition(" loc(")
        args.append((name, type_text, loc + place))
    return args
