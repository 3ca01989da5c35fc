"""`manifest.json`: the sha256 of every file of an artifact. Any changed byte, absent or additional
file is an error, and so is a manifest that is not exactly what the exporter would write.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from spyrelang.errors import Location
from spyrelang.errors import artifact as errors
from spyrelang.spyrecode import fields

NAME = "manifest.json"
FORMAT = "spyrelang-spyrecode"
VERSION = 1


def render(files: Mapping[str, bytes]) -> bytes:
    """The manifest of an artifact of these files."""
    hashes = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return _render(hashes)


def _render(hashes: Mapping[str, object]) -> bytes:
    document = {"format": FORMAT, "version": VERSION, "files": dict(hashes)}
    return (json.dumps(document, indent=1) + "\n").encode()


def verify(directory: Path, manifest: bytes) -> dict[str, bytes]:
    """The contents of every listed file. Raises SPY604, SPY609 to SPY612."""
    path = directory / NAME
    hashes = _hashes(path, manifest)
    present = {entry.name for entry in directory.iterdir()} - {NAME}
    for name in sorted(hashes.keys() - present):
        raise errors.MANIFEST_FILE_ABSENT.error(Location(str(path)), name=name)
    for name in sorted(present - hashes.keys()):
        raise errors.MANIFEST_FILE_EXTRA.error(Location(str(directory / name)), name=name)
    contents: dict[str, bytes] = {}
    for name, expected in hashes.items():
        contents[name] = read_file(directory / name)
        if hashlib.sha256(contents[name]).hexdigest() != expected:
            raise errors.MANIFEST_HASH.error(Location(str(directory / name)), name=name)
    return contents


def read_file(path: Path) -> bytes:
    """The bytes of a file; SPY604 where the system refuses."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise errors.FILE_UNREADABLE.error(
            Location(str(path)), path=path, detail=error.strerror or error
        ) from None


def _hashes(path: Path, manifest: bytes) -> dict[str, object]:
    document = fields.as_object(fields.parse_json(manifest, path))
    files = None if document is None else fields.as_object(document.get("files"))
    if document is None or files is None:
        raise _malformed(path, "it must be an object with the object 'files'")
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise _malformed(path, f"it must be of format '{FORMAT}', version {VERSION}")
    if _render(files) != manifest:
        raise _malformed(path, "it is not in the canonical form the exporter writes")
    return dict(files)


def _malformed(path: Path, detail: str) -> Exception:
    return errors.MANIFEST_MALFORMED.error(Location(str(path)), detail=detail)
