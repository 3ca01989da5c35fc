"""Reading an artifact: every file verified and parsed before anything is believed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import artifact as errors
from spyrelang.isa import codec
from spyrelang.isa.listing import listing
from spyrelang.isa.program import Executable
from spyrelang.spyrecode import fields, launch_spec, manifest, plan_json, symbol_kinds
from spyrelang.spyrecode.describe import describe
from spyrelang.spyrecode.launch_spec import LaunchSpec
from spyrelang.spyrecode.plan import Plan
from spyrelang.spyrecode.symbol_kinds import SymbolKind
from spyrelang.spyrecode.symtab import SymbolTable
from spyrelang.spyrecode.writer import PLAN_NAME

_NESTED = "spyreCodeDir"


@dataclass(frozen=True)
class Artifact:
    """A verified artifact. `binaries`: contents of each InitTransfer file; `launch_spec` is None
    and `symbol_kinds` empty where a foreign artifact has none."""

    path: Path
    plan: Plan
    binaries: Mapping[str, bytes] = field(repr=False)
    launch_spec: LaunchSpec | None = None
    symbol_kinds: tuple[SymbolKind, ...] = ()

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.launch_spec.kernel_name if self.launch_spec else self.path.name

    @property
    def symtab(self) -> SymbolTable | None:
        """The symbol table; None for a kernel with constant addresses."""
        return None if self.plan.correction is None else self.plan.correction.table

    @property
    def runnable(self) -> bool:
        """Whether the binary is one of ours."""
        first = self.plan.transfers[0].file
        return self.binaries[first].startswith(codec.MAGIC)

    @cached_property
    def executable(self) -> Executable:
        """The program of the binary. Raises SPY550 (damaged), SPY660, SPY663 (another "
        "compiler's)."""
        if not self.runnable:
            raise errors.FOREIGN_BINARY.error(Location(str(self.path)), path=self.path)
        executable = codec.decode(self.binaries[self.plan.transfers[0].file])
        spec = self.launch_spec
        if spec is None or spec.arguments != executable.arguments:
            raise errors.LAUNCH_SPEC.error(
                Location(str(self.path / launch_spec.NAME)),
                detail="its arguments are not those of the binary",
            )
        return executable

    def describe(self) -> str:
        """Plans, signature and symbols as a short text."""
        return describe(self.name, self.plan, self.launch_spec)

    def disassembly(self) -> str:
        """The program of the binary as text, one instruction a line."""
        return listing(self.executable)


def read(path: str | os.PathLike[str]) -> Artifact:
    """Read and verify the artifact directory `path` (or the `spyreCodeDir` inside it).

    Artifacts with a manifest are checked against it byte for byte; one whose binary is ours must
    have it. Raises SPY600 to SPY662.
    """
    try:
        return _read(Path(os.fspath(path)))
    except SpyreError:
        raise
    except TypeError:
        raise errors.PATH_MISSING.error(path=path) from None
    except OSError as error:
        raise errors.FILE_UNREADABLE.error(path=path, detail=error.strerror or error) from None


def _read(path: Path) -> Artifact:
    directory = _directory(path)
    contents = _contents(directory)
    spec = _launch_spec(directory, contents)
    plan_path = directory / PLAN_NAME
    document = fields.parse_json(contents[PLAN_NAME], plan_path)
    symbolic = spec.bundle_symbolic_args if spec else True
    plan = plan_json.from_json(document, str(plan_path), symbolic=symbolic)
    binaries = _binaries(directory, plan, contents)
    artifact = Artifact(directory, plan, binaries, spec, _symbol_kinds(directory, contents))
    if manifest.NAME not in contents and artifact.runnable:
        raise errors.MANIFEST_MISSING.error(Location(str(directory)), path=directory)
    return artifact


def _directory(path: Path) -> Path:
    if not path.exists():
        raise errors.PATH_MISSING.error(path=path)
    if not path.is_dir():
        raise errors.NOT_A_DIRECTORY.error(path=path)
    for directory in (path, path / _NESTED):
        if (directory / PLAN_NAME).is_file():
            return directory
    raise errors.PLAN_FILE_MISSING.error(Location(str(path)), path=path)


def _contents(directory: Path) -> dict[str, bytes]:
    """Files by name: all of them when there is a manifest, else just the plan."""
    if not os.path.lexists(directory / manifest.NAME):
        return {PLAN_NAME: manifest.read_file(directory / PLAN_NAME)}
    raw = manifest.read_file(directory / manifest.NAME)
    return {**manifest.verify(directory, raw), manifest.NAME: raw}


def _optional(
    directory: Path, contents: Mapping[str, bytes], name: str
) -> tuple[Path, bytes] | None:
    """A file that foreign artifacts may lack; they keep it here or one level up."""
    if name in contents:
        return directory / name, contents[name]
    if manifest.NAME in contents:
        return None
    places = [directory / name]
    if directory.name == _NESTED:
        places.append(directory.parent / name)
    found = next((place for place in places if place.is_file()), None)
    return None if found is None else (found, manifest.read_file(found))


def _launch_spec(directory: Path, contents: Mapping[str, bytes]) -> LaunchSpec | None:
    found = _optional(directory, contents, launch_spec.NAME)
    if found is None:
        return None
    path, data = found
    return launch_spec.Reader(str(path)).read(fields.parse_json(data, path))


def _symbol_kinds(directory: Path, contents: Mapping[str, bytes]) -> tuple[SymbolKind, ...]:
    found = _optional(directory, contents, symbol_kinds.NAME)
    if found is None:
        return ()
    path, data = found
    return symbol_kinds.from_json(fields.parse_json(data, path), str(path))


def _binaries(directory: Path, plan: Plan, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Each binary of the plan, of exactly the length its transfer says."""
    result: dict[str, bytes] = {}
    for index, transfer in enumerate(plan.transfers, 1):
        path = directory / transfer.file
        where = fields.Where(str(directory / PLAN_NAME), plan_json.PREPARE, index, "InitTransfer")
        if not path.is_file():
            raise errors.BINARY_MISSING.error(
                where.location("init_bin_file"), where=where, path=path
            )
        data = contents[transfer.file] if transfer.file in contents else manifest.read_file(path)
        if len(data) != transfer.size:
            raise errors.BINARY_LENGTH.error(
                where.location("size"),
                where=where,
                path=path,
                actual=len(data),
                expected=transfer.size,
            )
        result[transfer.file] = data
    return result
