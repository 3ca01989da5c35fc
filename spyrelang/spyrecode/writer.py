"""Writing an artifact: all files into a temporary sibling directory, then one rename."""

from __future__ import annotations

import ctypes
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from spyrelang.errors import Location, SpyreError
from spyrelang.errors.artifact import FOREIGN_TARGET, WRITE_FAILED
from spyrelang.isa.program import Executable
from spyrelang.spyrecode import launch_spec, manifest, plan_json, symbol_kinds
from spyrelang.spyrecode.build import BINARY_NAME, Contents, Dimension, build
from spyrelang.spyrecode.layout import Layout

PLAN_NAME = "spyrecode.json"
FILES = (PLAN_NAME, BINARY_NAME, launch_spec.NAME, symbol_kinds.NAME, manifest.NAME)
"""Every file of an artifact."""

# Strings hold no raw line breaks, so only the layout of the document is matched.
_PLAIN_ARRAY = re.compile(r"\[\n *([^\[\]{}]*?)\n *\]")
_BREAK = re.compile(r",\n *")


def write(
    executable: Executable,
    path: str | os.PathLike[str],
    *,
    layouts: Mapping[str, Layout] | None = None,
    name: str | None = None,
    addresses: Mapping[str, int] | None = None,
    dimensions: Mapping[str, Dimension] | None = None,
    round_flits: bool = False,
) -> None:
    """Write the artifact directory `path`; equal executables give equal bytes.

    `layouts`: device layout of an argument by name, for the signature (default: row-major).
    `addresses`: byte address of each argument of a kernel with constant addresses (default: tensor
    i begins segment i). `dimensions`: bounds of sizes given at launch. `round_flits`: pad the
    correction to a multiple of 32 flits, as the vendor's compiler does. An artifact at `path` is
    replaced; anything else there is refused (SPY613). Raises SPY614, SPY664."""
    target = _target(path)
    contents = build(
        executable,
        name=name or executable.name,
        layouts=layouts or {},
        addresses=addresses or {},
        dimensions=dimensions or {},
        round_flits=round_flits,
    )
    _publish(target, render(contents, executable))


def render(contents: Contents, executable: Executable) -> dict[str, bytes]:
    """The bytes of every file."""
    pools = frozenset(i for i, a in enumerate(executable.arguments) if a.role == "scratch")
    records = symbol_kinds.of_table(contents.table, pools)
    files = {
        PLAN_NAME: _json(plan_json.to_json(contents.plan)),
        BINARY_NAME: contents.binary,
        launch_spec.NAME: _json(launch_spec.to_json(contents.spec)),
        symbol_kinds.NAME: _json(symbol_kinds.to_json(records)),
    }
    return {**files, manifest.NAME: manifest.render(files)}


def _json(value: object) -> bytes:
    """One line for each entry; arrays of plain values stay on one line."""
    text = _PLAIN_ARRAY.sub(_on_one_line, json.dumps(value, indent=1))
    return (text + "\n").encode()


def _on_one_line(match: re.Match[str]) -> str:
    return "[" + _BREAK.sub(", ", match[1]) + "]"


def _target(path: str | os.PathLike[str]) -> Path:
    """Where the artifact goes: links are followed, so that they stay."""
    try:
        return Path(os.path.realpath(os.fspath(path)))
    except (TypeError, ValueError, OSError) as error:
        raise WRITE_FAILED.error(path=path, detail=error) from None


def _publish(path: Path, files: Mapping[str, bytes]) -> None:
    temporary = path.parent / f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        _refuse_foreign(path)
        temporary.mkdir()
        for name, data in files.items():
            (temporary / name).write_bytes(data)
        _replace(temporary, path)
    except SpyreError:
        raise
    except OSError as error:
        raise WRITE_FAILED.error(
            Location(str(path)), path=path, detail=error.strerror or error
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _refuse_foreign(path: Path) -> None:
    """Only an artifact of ours, or an empty directory, may be replaced."""
    if not os.path.lexists(path):
        return
    if not path.is_dir() or not path.name:
        raise FOREIGN_TARGET.error(Location(str(path)), path=path, detail="it is no directory")
    present = {entry.name for entry in path.iterdir()}
    extra = sorted(present - set(FILES))
    if extra:
        detail = f"it holds '{extra[0]}', which is no part of an artifact"
        raise FOREIGN_TARGET.error(Location(str(path)), path=path, detail=detail)
    if present and not present >= {PLAN_NAME, manifest.NAME}:
        raise FOREIGN_TARGET.error(
            Location(str(path)), path=path, detail="it is no complete artifact"
        )


def _replace(source: Path, target: Path) -> None:
    """Put `source` where `target` is; what was there ends at `source`'s name."""
    if not target.exists():
        source.rename(target)
    elif not _exchange(source, target):
        aside = source.with_name(source.name + ".old")
        target.rename(aside)
        try:
            source.rename(target)
        except OSError:
            aside.rename(target)
            raise
        aside.rename(source)


def _exchange(first: Path, second: Path) -> bool:
    """Swap two names in one step, where the system can; True when done."""
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return renameat2(here, os.fsencode(first), here, os.fsencode(second), swap) == 0
