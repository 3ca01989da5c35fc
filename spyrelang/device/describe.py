"""A device description as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spyrelang.device.model import Access, Datapath, Memory, Unit

if TYPE_CHECKING:
    from spyrelang.device.device import Device


def describe(device: Device) -> str:
    """Cores, memories, units, datapaths and patterns, one per line."""
    lines = [
        f"device {device.name}: up to {device.cores} cores, "
        f"{device.corelets} compute instance{'s' * (device.corelets != 1)} per core",
        "memories",
        *_table([_memory(m, device) for m in device.memories]),
        "units",
        *_table([_unit(u) for u in device.units]),
        "datapaths",
        *_table([_datapath(d) for d in device.datapaths]),
    ]
    sets = [
        f"  {', '.join(s.groups) or 'every checkpoint'}: {len(s.texts)}"
        for s in device.pattern_sets
    ]
    return "\n".join(lines + (["patterns", *sets] if sets else []))


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield ("  " + "  ".join(cells)).rstrip()


def size(count: int) -> str:
    """Bytes in the largest unit that leaves an integer."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count and count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count} B" if count else "size not given"


_OWNER = {"device": "one for all cores", "core": "one per core", "unit": "one per instance"}


def _memory(memory: Memory, device: Device) -> tuple[str, ...]:
    spaces = [s for s, kind in device.spaces.items() if kind == memory.kind]
    return memory.kind, size(memory.size), _OWNER[memory.scope], ", ".join(spaces)


def _unit(unit: Unit) -> tuple[str, ...]:
    parts: list[str] = []
    if unit.compute:
        parts.append("computes")
    for verb, access in (("loads", unit.load), ("stores", unit.store)):
        if access is not None:
            parts.append(f"{verb} {_access(access)}".strip())
    if unit.lanes:
        parts.append("lanes " + ", ".join(f"{t} {n}" for t, n in unit.lanes.items()))
    parts += [word for word, has in (("splat", unit.splat), ("zero pad", unit.zero_pad)) if has]
    parts += unit.features
    return unit.kind, f"{unit.per_core} per core", "; ".join(parts)


def _access(access: Access) -> str:
    kinds = list(dict.fromkeys([*access.word_size, *access.granularity]))
    return ", ".join(f"{kind} in words of {size(access.word_size.get(kind, 1))}" for kind in kinds)


def _datapath(path: Datapath) -> tuple[str, ...]:
    parts: list[str] = []
    if path.depth:
        parts.append(f"queue of {path.depth}{', in order' * path.ordered}")
    if path.granularity:
        parts.append("transfers of " + ", ".join(map(str, path.granularity)) + " B")
    if path.bandwidth:
        parts.append(f"{path.bandwidth} B per cycle")
    if path.latency:
        parts.append(f"{path.latency} cycles latency")
    return path.source, "->", path.target, "; ".join(parts)
