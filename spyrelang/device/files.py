"""Finding device files and the one device a text describes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from spyrelang import ir
from spyrelang.dialects.ktdf_arch.ops import entries_of
from spyrelang.errors import Location
from spyrelang.errors.device import IMPORT, NO_DEVICE, NOT_ONE_DEVICE, PATTERN_FILE
from spyrelang.ir import scan
from spyrelang.ir.values import inner_ops

PATTERN_FILES = "spyrelang.pattern_files"

_PACKAGE = Path(__file__).resolve().parent.parent
HOMES = (_PACKAGE / "_arch", _PACKAGE.parent / "arch")
"""Where devices that come with spyrelang lie: in an installed package, in a checkout."""


Stamps = dict[str, tuple[int, int] | None]
"""Time of change and size by path; None for a file that is gone."""


def stamps(paths: Iterable[str]) -> Stamps:
    """The state of files."""
    found: Stamps = {}
    for path in paths:
        try:
            state = Path(path).stat()
            found[path] = (state.st_mtime_ns, state.st_size)
        except OSError:
            found[path] = None
    return found


def shipped() -> list[str]:
    """The names of the devices that come with spyrelang."""
    return sorted({path.stem for home in HOMES for path in home.glob("*.mlir")})


def locate(name_or_path: str | Path) -> tuple[Path, bool]:
    """The file of a device, and whether it came with spyrelang. Raises SPY301."""
    text = str(name_or_path)
    if text and "/" not in text and "\\" not in text and not text.endswith(".mlir"):
        for home in HOMES:
            if (home / f"{text}.mlir").is_file():
                return home / f"{text}.mlir", True
    if text and "\0" not in text and Path(text).is_file():
        return Path(text), False
    known = ", ".join(shipped())
    near = difflib.get_close_matches(text, shipped(), 1)
    hint = f"did you mean '{near[0]}'?" if near else f"use {known}, or the path of a ktdf_arch file"
    places = f"the file '{text}' and the devices {known}"
    raise NO_DEVICE.error(name=text, places=places, hint=hint)


def only_device(module: ir.Module) -> Any:
    """The one `ktdf_arch.device` op at the top of a module. Raises SPY302."""
    found = [o.operation for o in module.body.operations]
    devices = [o for o in found if o.name == "ktdf_arch.device"]
    if len(devices) != 1:
        raise NOT_ONE_DEVICE.error(Location(module.name), count=len(devices))
    return devices[0]


def imported(op: Any, module: ir.Module) -> tuple[Any, ir.Module]:
    """The device op with the body, and its module: `op` itself, or what it imports. SPY303."""
    entries = entries_of(op)
    path = entries.get("import_path")
    if path is None:
        return op, module
    name, inner = (entries["sym_name"] or "")[1:-1], path[1:-1]
    target = Path(module.name).parent / inner
    place = ir.location_of(op, module)
    if not target.is_file():
        raise IMPORT.error(place, name=name, path=inner, why="there is no such file")
    other = ir.parse_file(target)
    for found in other.body.operations:
        own = entries_of(found.operation) if found.operation.name == op.name else {}
        if own.get("sym_name") == f'"{name}"':
            if "import_path" in own:
                raise IMPORT.error(place, name=name, path=inner, why="it imports itself")
            return found.operation, other
    raise IMPORT.error(place, name=name, path=inner, why="it holds no device of that name")


def pattern_files(
    entries: Mapping[str, str | None], home: str, place: Location | None
) -> list[ir.Module]:
    """The modules that `spyrelang.pattern_files` names, relative to the device file `home`."""
    text = entries.get(PATTERN_FILES)
    if text is None:
        return []
    items = scan.split_list(text[1:-1]) if text.startswith("[") else [""]
    if not all(item.startswith('"') for item in items):
        raise PATTERN_FILE.error(place, path=text, why="it must be an array of strings")
    return [pattern_file(Path(home).parent / item[1:-1], place) for item in items]


def pattern_file(path: Path, place: Location | None = None) -> ir.Module:
    """The module of one pattern file: a device that holds nothing but patterns. SPY310."""
    try:
        state = path.stat()
        return _pattern_file(path, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or str(bad)
        raise PATTERN_FILE.error(place, path=path, why=why) from None


def is_ours(path: Path) -> bool:
    """Whether a file came with spyrelang."""
    return any(home in path.parents or home in path.resolve().parents for home in HOMES)


@lru_cache(maxsize=64)
def _pattern_file(path: Path, *state: int) -> ir.Module:
    """Kept until the file changes: several devices share the files that come with spyrelang."""
    ours = is_ours(path)
    module = ir.parse_file(path, guard=not ours, check=not ours)
    for child in inner_ops(only_device(module)):
        if child.name != "ktdf_arch.patterns":
            found = ir.location_of(child, module)
            raise PATTERN_FILE.error(found, path=path, why=f"it holds {child.name}")
    return module
