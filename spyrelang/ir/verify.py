"""Verification: MLIR's own, then the rules of our declarations, which MLIR does not know."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.errors import Location, Note
from spyrelang.errors import text as e
from spyrelang.ir import opdef, scan
from spyrelang.ir.context import LOCK, MLIRError
from spyrelang.ir.kinds import OPAQUES, Kind, spellings
from spyrelang.ir.module import Module
from spyrelang.ir.opdef import OpDef
from spyrelang.ir.opref import OpRef, Seen, attr_text, type_text


def location_of(
    where: ir.Location | ir.Operation | ir.OpView, module: Module | None = None
) -> Location | None:
    """The author's place of an op or MLIR location; None when it has none."""
    found = where if isinstance(where, ir.Location) else where.location
    for _ in range(16):
        if found.is_a_file():
            return _from_file(found, module)
        if found.is_a_name():
            found = found.child_loc
        elif found.is_a_fused() and found.locations:
            found = found.locations[0]
        else:
            return None
    return None


def _from_file(found: ir.Location, module: Module | None) -> Location:
    name, line, col = found.filename, found.start_line, found.start_col
    source = module.source_line(line) if module is not None and module.name == name else None
    stop = found.end_col if found.end_line == line and found.end_col > col else 0
    return Location(name, line, col, stop).with_source(source)


def verify(
    module: Module, changed: Container[str] | None = None, *, just_parsed: bool = False
) -> None:
    """Check the whole module; raises the first finding as a catalogue error with its place.

    `changed`: names of the ops that may be new in a module that was valid before. Other ops are
    passed over where nothing can have changed: those without operands and regions. `just_parsed`:
    MLIR's parser made the module and so has done its own part.
    """
    opdef.load_dialects()
    with LOCK:
        try:
            if not just_parsed:
                module.operation.verify()
        except MLIRError as bad:
            raise _from_mlir(bad, module) from None
        _Checker(module, changed).run()


def _from_mlir(bad: Any, module: Module) -> Exception:
    found = bad.error_diagnostics
    if not found:
        return e.REFUSED.error(Location(module.name), message="the module does not verify")
    notes = [
        Note(n.message, location_of(n.location, module))
        for d in found
        for n in d.notes
        if not n.message.startswith("see current")
    ]
    place = location_of(found[0].location, module) or Location(module.name)
    return e.REFUSED.error(place, notes=notes[:4], message=found[0].message)


class _Checker:
    def __init__(self, module: Module, changed: Container[str] | None = None) -> None:
        self.module = module
        self.changed = changed
        # Values that are made in or before bodies of ours; None until there is such a body.
        self.known: set[ir.Value] | None = None
        self.failure: Exception | None = None
        # Types and attributes repeat: (id of a kind, one that it accepts). Kinds live for ever.
        self.fits: set[tuple[int, ir.Type | ir.Attribute]] = set()
        # So do ops: what types they may have, and of what types and attributes they obey rules.
        self.typed: set[tuple[object, ...]] = set()
        self.obeyed: set[tuple[object, ...]] = set()
        self.others: set[str] = set()  # names of ops that are none of ours

    def run(self) -> None:
        """Walk once in pre-order; an exception must not pass through MLIR's walk."""

        def visit(op: ir.Operation) -> ir.WalkResult:
            try:
                self._visit(op)
            except Exception as bad:
                self.failure = bad
                return ir.WalkResult.INTERRUPT
            return ir.WalkResult.ADVANCE

        self.module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        if self.failure is not None:
            raise self.failure

    def _visit(self, op: ir.Operation) -> None:
        name = op.name
        definition = opdef.lookup(name)
        if self.known is not None:
            self._dominance(op, list(op.operands), self.known)
        elif definition is not None and len(op.regions):
            self.known = self._made(op)
        if definition is not None:
            if self.changed is None or self._may_have_changed(op, name, self.changed):
                self._check(op, definition)
        else:
            self._foreign(op, name)

    def _dominance(self, op: ir.Operation, operands: list[ir.Value], known: set[ir.Value]) -> None:
        """In bodies of ours, which MLIR takes for graphs, values are made before they are used."""
        for index, value in enumerate(operands):
            if value not in known:
                if _in_our_block(value):
                    raise e.DOMINANCE.error(self._place(op), op=op.name, index=index)
                known.add(value)
        known |= self._made(op)

    def _made(self, op: ir.Operation) -> set[ir.Value]:
        found: set[ir.Value] = set(op.results)
        for region in op.regions:
            for block in region.blocks:
                found.update(block.arguments)
        return found

    def _may_have_changed(self, op: ir.Operation, name: str, changed: Container[str]) -> bool:
        return name in changed or len(op.operands) > 0 or len(op.regions) > 0

    def _foreign(self, op: ir.Operation, name: str) -> None:
        """No op that is of our dialects and not declared; attributes of ours on an op of others."""
        if name not in self.others:
            dialect, _, short = name.partition(".")
            if dialect in opdef.DIALECTS:
                raise e.UNKNOWN_OP.error(self._place(op), op=short, dialect=dialect)
            self.others.add(name)
        attributes = op.attributes
        if not len(attributes):
            return
        names = attributes.keys()
        together = " ".join(names)
        for prefix, rule in opdef.FOREIGN_RULES.items():
            if prefix in together and any(name.startswith(prefix) for name in names):
                broken = rule(op)
                if broken is not None:
                    raise e.RULE.error(self._place(op), op=op.name, detail=broken)

    def _place(self, op: ir.Operation) -> Location:
        return location_of(op, self.module) or Location(self.module.name)

    def _check(self, op: ir.Operation, definition: OpDef) -> None:
        values = list(op.operands)
        sizes = definition.live_sizes(op)
        if sizes is None:
            detail = f"{len(values)} operands do not fit {_shape(definition.parts)}"
            raise e.OPERAND_COUNT.error(self._place(op), op=op.name, what="operands", detail=detail)
        types = (*[value.type for value in values],)
        results = (*[result.type for result in op.results],)
        shape = (definition, *sizes, types, results)
        if shape not in self.typed:
            self._parts(op, definition.parts, sizes, types, "operand")
            self._results(op, definition, results)
            self.typed.add(shape)
        attributes = self._attributes(op, definition) if definition.attributes else {}
        if definition.regions or len(op.regions):
            self._regions(op, definition)
        if definition.terminator:
            self._parent(op)
        if definition.verify is not None or definition.verify_use is not None:
            seen = Seen(sizes, values, types, results, attributes)
            self._rules(OpRef(op, definition, seen, lambda: self._place(op)), shape)

    def _rules(self, op: OpRef, shape: tuple[object, ...]) -> None:
        """The rules of the op itself, unless they are known to hold, and those of where it is."""
        rules, around = op.definition.verify, op.definition.verify_use
        if rules is not None:
            key = (*shape, *op.seen.attributes.values())
            if key not in self.obeyed:
                rules(op)
                if not op.looked_around:
                    self.obeyed.add(key)
        if around is not None:
            around(op)

    def _parts(
        self,
        op: ir.Operation,
        parts: Sequence[opdef.Part],
        sizes: Sequence[int],
        types: Sequence[ir.Type],
        what: str,
    ) -> None:
        """The types of segments or groups of results."""
        at = 0
        for part, size in zip(parts, sizes, strict=True):
            if size == 1:
                self._type(op, types[at], part.kind, what, part.name)
            elif size:
                for type in dict.fromkeys(types[at : at + size]):
                    self._type(op, type, part.kind, what, part.name)
            at += size

    def _parent(self, op: ir.Operation) -> None:
        """A terminator stands in a region that it may end."""
        parent = op.parent
        outer = opdef.lookup(parent.operation.name) if parent is not None else None
        if outer is None or all(r.terminator != op.name for r in outer.regions):
            name = parent.operation.name if parent is not None else "nothing"
            raise e.MISPLACED.error(self._place(op), op=op.name, parent=name)

    def _type(self, op: ir.Operation, type: ir.Type, kind: Kind, what: str, name: str = "") -> None:
        if (id(kind), type) in self.fits:
            return
        text = type_text(type)
        if not _legal(text):
            raise self._bad_opaque(op, text, "type")
        if not kind.accepts(text):
            what = f"{what} '{name}'" if name else what
            raise e.WRONG_TYPE.error(
                self._place(op), op=op.name, what=what, expected=kind.title, found=f"'{text}'"
            )
        self.fits.add((id(kind), type))

    def _bad_opaque(self, op: ir.Operation, text: str, what: str) -> Exception:
        dialect = text[1:].split("<")[0].split(".")[0]
        hint = spellings(text)
        return e.BAD_OPAQUE.error(self._place(op), text=text, what=what, dialect=dialect, hint=hint)

    def _results(self, op: ir.Operation, definition: OpDef, types: Sequence[ir.Type]) -> None:
        sizes = definition.result_sizes(len(types))
        if sizes is None:
            detail = f"{len(types)} instead of {_shape(definition.results)}"
            raise e.OPERAND_COUNT.error(self._place(op), op=op.name, what="results", detail=detail)
        self._parts(op, definition.results, sizes, types, "result")

    def _attributes(self, op: ir.Operation, definition: OpDef) -> dict[str, ir.Attribute | None]:
        """The declared attributes by name; None where one is missing."""
        attributes = op.attributes
        seen: dict[str, ir.Attribute | None] = {}
        for attr in definition.attributes:
            if attr.drop:
                continue
            found = seen[attr.name] = attributes.get(attr.name)
            if found is None:
                if attr.required and attr.default is None:
                    raise self._missing(op, attr.name)
            elif (id(attr.kind), found) not in self.fits:
                self._attribute(op, attr, found)
        return seen

    def _attribute(self, op: ir.Operation, attr: opdef.Attr, found: ir.Attribute) -> None:
        text = attr_text(found)
        if text.startswith("#") and not _legal(text):
            raise self._bad_opaque(op, text, "attribute")
        if not attr.kind.accepts(text):
            raise e.WRONG_ATTRIBUTE.error(
                self._place(op),
                op=op.name,
                name=attr.name,
                expected=attr.kind.title,
                found=f"'{text}'",
                hint=f"write {attr.kind.title}",
            )
        self.fits.add((id(attr.kind), found))

    def _missing(self, op: ir.Operation, name: str) -> Exception:
        hint = f"add `{name} = …` to the dictionary of the operation"
        return e.MISSING_ATTRIBUTE.error(self._place(op), op=op.name, name=name, hint=hint)

    def _regions(self, op: ir.Operation, definition: OpDef) -> None:
        regions = list(op.regions)
        many = any(r.many for r in definition.regions)
        if len(regions) != len(definition.regions) and not many:
            raise self._region(
                op, f"has {len(regions)} regions instead of {len(definition.regions)}"
            )
        for i, region in enumerate(regions):
            declared = definition.regions[min(i, len(definition.regions) - 1)]
            blocks = list(region.blocks)
            if not blocks and declared.optional:
                continue
            if len(blocks) != 1:
                raise self._region(op, f"needs a region of one block, not {len(blocks)}")
            self._block(op, blocks[0], declared)

    def _region(self, op: ir.Operation, detail: str) -> Exception:
        return e.BAD_REGION.error(self._place(op), op=op.name, detail=detail)

    def _block(self, op: ir.Operation, block: ir.Block, declared: opdef.Region) -> None:
        arguments = list(block.arguments)
        if declared.args is not None:
            if len(arguments) != len(declared.args):
                raise self._region(
                    op, f"needs {len(declared.args)} block arguments, not {len(arguments)}"
                )
            for argument, kind in zip(arguments, declared.args, strict=True):
                self._type(op, argument.type, kind, "block argument")
        inner = [o.operation for o in block.operations]
        if declared.terminator is not None and (not inner or inner[-1].name != declared.terminator):
            raise e.TERMINATOR.error(self._place(op), op=op.name, terminator=declared.terminator)
        for early in inner[:-1]:
            found = opdef.lookup(early.name)
            if found is not None and found.terminator:
                raise e.TERMINATOR.error(self._place(early), op=op.name, terminator=early.name)


def _in_our_block(value: ir.Value) -> bool:
    """Is a value made directly in a body of ours? MLIR has checked the order everywhere else."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return False
    parent = owner.operation.parent
    return parent is not None and opdef.lookup(parent.operation.name) is not None


def _shape(parts: tuple[opdef.Part, ...]) -> str:
    marks = {"one": "", "optional": "?", "many": "…"}
    return "(" + ", ".join(p.name + marks[p.count] for p in parts) + ")"


@lru_cache(maxsize=65536)
def _legal(text: str) -> bool:
    """Is the text of a type or attribute of ours in its one legal spelling?"""
    head = re.match(r"[!#][\w.]+", text)
    if head is None or head.group()[1:].split(".")[0] not in opdef.DIALECTS:
        return True
    declared = OPAQUES.get(head.group())
    if declared is None:
        return False
    rest = text[head.end() :]
    try:
        return declared.normalise(rest[1:-1] if rest.startswith("<") else None) == text
    except scan.Unbalanced:
        return False
