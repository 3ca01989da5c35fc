"""`Device`: a loaded device description and the questions asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from spyrelang import ir
from spyrelang.device import files, graph, read
from spyrelang.device.model import Datapath, Memory, PatternSet, Unit
from spyrelang.dialects.ktdf_arch.ops import entries_of
from spyrelang.errors import Location
from spyrelang.errors.device import (
    BAD_DEVICE,
    COMPUTE_UNIT,
    NO_LANES,
    NO_ROUTE,
    NO_SPACE,
    UNKNOWN_KIND,
)
from spyrelang.language.calls import at_call

MAX_CORES = 32
"""Cores of a device whose file does not say (`spyrelang.cores` on the core group)."""

DEFAULT_BANDWIDTH = 128
"""Bytes a cycle over a datapath whose file does not say: one vector."""


@dataclass(frozen=True, eq=False)
class Device:
    """A device, as its description has it. Load with `Device.load` or `Device.from_text`.

    `cores` is the largest grid, `corelets` the compute instances of one core, `memories`, `units`
    and `datapaths` are by kind, in the order of the file; `text` is the whole description.
    """

    name: str
    text: str
    import_path: str
    cores: int
    corelets: int
    memories: tuple[Memory, ...]
    units: tuple[Unit, ...]
    datapaths: tuple[Datapath, ...]
    spaces: Mapping[str, str]
    pattern_sets: tuple[PatternSet, ...]
    _graph: graph.Graph = field(repr=False)

    # --- loading ---------------------------------------------------------------------------

    @staticmethod
    def load(name_or_path: str | Path) -> Device:
        """A device that comes with spyrelang ("sample_device", "spyre"), or one from a file.

        Raises SPY301 (not found), SPY302 to SPY305 (not a usable device), SPY1xx (bad text).
        """
        with at_call():
            path, ours = files.locate(name_or_path)
        return _load(ir.read_text(path), str(path), path.name if ours else str(path), not ours)

    @staticmethod
    def from_text(text: str, filename: str = "<device>") -> Device:
        """The device that a text describes; `filename` is for errors and relative imports."""
        return _load(text, filename, filename, True)

    # --- memories and units ------------------------------------------------------------------

    @property
    def compute_units(self) -> tuple[str, ...]:
        """The unit kinds with the compute feature (exactly one in a loaded device)."""
        return tuple(u.kind for u in self.units if u.compute)

    @property
    def compute_unit(self) -> Unit:
        """The unit that computes element-wise bodies."""
        return self.unit(self.compute_units[0])

    def instances(self, kind: str) -> int:
        """How many memories or units of a kind one core has. Raises SPY306."""
        found = self._find(kind)
        if found is None:
            raise self._unknown("memory or unit", kind)
        return found.per_core

    def unit(self, kind: str) -> Unit:
        """The unit of a kind. Raises SPY306."""
        found = next((u for u in self.units if u.kind == kind), None)
        if found is None:
            raise self._unknown("unit", kind)
        return found

    def memory(self, kind: str) -> Memory:
        """The memory of a kind. Raises SPY306."""
        found = next((m for m in self.memories if m.kind == kind), None)
        if found is None:
            raise self._unknown("memory", kind)
        return found

    def _find(self, kind: str) -> Memory | Unit | None:
        return next((x for x in (*self.memories, *self.units) if x.kind == kind), None)

    def _unknown(self, what: str, kind: str) -> Exception:
        known = [
            *(m.kind for m in self.memories if "memory" in what),
            *(u.kind for u in self.units if "unit" in what),
        ]
        return UNKNOWN_KIND.error(name=self.name, what=what, kind=kind, known=", ".join(known))

    def is_memory(self, kind: str) -> bool:
        """Whether a kind is one of a memory."""
        return any(m.kind == kind for m in self.memories)

    def capacity(self, memory: str) -> int:
        """Bytes of one instance of a memory."""
        return self.memory(memory).size

    def is_shared(self, memory: str) -> bool:
        """Whether all cores see the same instance of a memory."""
        return self.memory(memory).scope == "device"

    def is_per_instance(self, memory: str) -> bool:
        """Whether every compute instance of a core has a memory of this kind of its own."""
        return self.memory(memory).scope == "unit"

    # --- what units can do -------------------------------------------------------------------

    @overload
    def lanes(self, unit: str, dtype: str) -> int: ...
    @overload
    def lanes(self, unit: str) -> int: ...
    def lanes(self, unit: str, dtype: str | None = None) -> int:
        """`lanes(dtype)`: elements of one vector of the compute unit; SPY308 when it has none.
        `lanes(unit, dtype)`: the same of any unit, 0 when it has none."""
        if dtype is not None:
            return self.unit(unit).lanes.get(dtype, 0)
        found = self.compute_unit.lanes.get(unit, 0)
        if found < 1:
            known = ", ".join(f"{t} ({n})" for t, n in self.compute_unit.lanes.items())
            raise NO_LANES.error(
                name=self.name, unit=self.compute_unit.kind, dtype=unit, known=known or "none"
            )
        return found

    def word_size(self, unit: str, memory: str) -> int:
        """Bytes of the words in which a unit counts addresses of a memory (1 if not given)."""
        return self.unit(unit).word_size(memory)

    def can_splat(self, unit: str) -> bool:
        """Whether a load unit can repeat one element over all lanes."""
        return self.unit(unit).splat

    def bandwidth(self, unit: str, memory: str) -> int:
        """Bytes a cycle that a unit moves to or from a memory."""
        given = [d.bandwidth for d in self.datapaths if {d.source, d.target} == {unit, memory}]
        return max(given, default=0) or DEFAULT_BANDWIDTH

    # --- ways --------------------------------------------------------------------------------

    def path(self, source: str, target: str) -> tuple[str, ...]:
        """As `route`; () where there is no way."""
        through = frozenset(
            [m.kind for m in self.memories] + [u.kind for u in self.units if u.moves_data]
        )
        return self._graph.path(source, target, through)

    def route(self, source: str, target: str) -> list[str]:
        """The kinds on the shortest way from one kind to another, both included.

        The way leads through memories, load and store units. Raises SPY306 for an unknown kind,
        SPY307 when there is no way.
        """
        with at_call():
            for kind in (source, target):
                if self._find(kind) is None:
                    raise self._unknown("memory or unit", kind)
            found = self.path(source, target)
            if not found:
                raise NO_ROUTE.error(name=self.name, source=source, target=target)
            return list(found)

    # --- spaces ------------------------------------------------------------------------------

    def memory_of_space(self, space: str) -> str:
        """The memory kind of a KTIR space ("global", "ct_local"). Raises SPY309."""
        found = self.spaces.get(space)
        if found is None:
            raise NO_SPACE.error(name=self.name, space=space)
        return found

    def space_of_memory(self, kind: str) -> str:
        """The KTIR space a memory kind stands for. Raises SPY309."""
        found = next((s for s, k in self.spaces.items() if k == kind), None)
        if found is None:
            raise NO_SPACE.error(name=self.name, space=kind)
        return found

    # --- for the decoder, the cache and people -----------------------------------------------

    def memory_facts(self) -> Iterable[Memory]:
        """All memories, as the decoder asks for them."""
        return self.memories

    def path_facts(self) -> Iterable[Datapath]:
        """All datapaths, as the decoder asks for them."""
        return self.datapaths

    def unit_kinds(self) -> tuple[str, ...]:
        """All kinds of units."""
        return tuple(u.kind for u in self.units)

    def patterns(self, checkpoint: str) -> list[str]:
        """The PDL texts of a checkpoint, in the order of the file."""
        return [t for s in self.pattern_sets if s.serves(checkpoint) for t in s.texts]

    def located_patterns(self, checkpoint: str) -> tuple[tuple[str, Location | None], ...]:
        """As `patterns`, with the place of each."""
        sets = [s for s in self.pattern_sets if s.serves(checkpoint)]
        return tuple(pair for s in sets for pair in zip(s.texts, s.places, strict=True))

    def with_patterns(self, *paths: str | Path) -> Device:
        """The same device with the patterns of more files, applied after its own. SPY310."""
        modules = [files.pattern_file(Path(path)) for path in paths]
        return replace(
            self,
            text="\n".join([self.text, *(m.source or "" for m in modules)]),
            pattern_sets=(*self.pattern_sets, *_sets(modules)),
        )

    def describe(self) -> str:
        """A summary for people."""
        from spyrelang.device.describe import describe

        return describe(self)

    def __repr__(self) -> str:
        return f"<Device {self.name}>"

    def __str__(self) -> str:
        return f"device {self.name}"


_LOADED: dict[tuple[str, str], tuple[Device, files.Stamps]] = {}
"""Devices by text and file name, with the state of the other files they were made of."""


def _load(text: str, filename: str, import_path: str, guard: bool) -> Device:
    """The device of a text; the same object as long as no file that it names changes."""
    with ir.LOCK:
        found = _LOADED.get((text, filename))
        if found is None or files.stamps(found[1]) != found[1]:
            found = _read(text, filename, import_path, guard)
            _LOADED[text, filename] = found
        return found[0]


def _read(text: str, filename: str, import_path: str, guard: bool) -> tuple[Device, files.Stamps]:
    module = ir.parse(text, filename, guard=guard)
    declared = files.only_device(module)
    op, home = files.imported(declared, module)
    entries = {**entries_of(op), **entries_of(declared)}
    name = (entries["sym_name"] or "")[1:-1]
    where = ir.location_of(op, home)
    found = graph.build(op)
    layout = read.Layout(found)
    _check(name, layout, where)
    extra = files.pattern_files(entries, home.name, where)
    others = [m for m in (home, *extra) if m is not module]
    device = Device(
        name,
        "\n".join([text, *(m.source or "" for m in others)]),
        import_path,
        _cores(name, layout, where),
        len(layout.compute),
        tuple(read.memories(layout)),
        tuple(read.units(layout)),
        tuple(read.datapaths(found)),
        read.spaces(entries),
        (*read.pattern_sets(op, home), *_sets(extra)),
        found,
    )
    _check_spaces(device, where)
    return device, files.stamps(m.name for m in others)


def _sets(modules: Iterable[ir.Module]) -> Iterator[PatternSet]:
    for module in modules:
        yield from read.pattern_sets(files.only_device(module), module)


def _check(name: str, layout: read.Layout, where: Location | None) -> None:
    kinds = list(dict.fromkeys(n.kind for n in layout.compute))
    if len(kinds) != 1:
        raise COMPUTE_UNIT.error(
            where, name=name, count=len(kinds), kinds=", ".join(kinds) or "none"
        )
    if len(layout.cores) > 1 or (layout.cores and any(not n.groups for n in layout.compute)):
        raise BAD_DEVICE.error(
            where, name=name, detail="several cores are described; a file describes one of them"
        )


def _cores(name: str, layout: read.Layout, where: Location | None) -> int:
    group = layout.graph.groups[layout.core] if layout.core is not None else None
    text = group.entries.get(read.CORES) if group else None
    cores = read.number(text, MAX_CORES)
    if cores < 1 or (group and read.CORES in group.entries and text is None):
        raise BAD_DEVICE.error(where, name=name, detail=f"{read.CORES} must be at least 1")
    return cores


def _check_spaces(device: Device, where: Location | None) -> None:
    for space, kind in device.spaces.items():
        if not device.is_memory(kind):
            detail = f"mem_space_mapping maps {space} to '{kind}', which is no memory of it"
            raise BAD_DEVICE.error(where, name=device.name, detail=detail)
    if not any(m.scope == "device" for m in device.memories):
        raise BAD_DEVICE.error(where, name=device.name, detail="it has no memory outside its core")
