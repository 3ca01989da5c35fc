"""SPY550 to SPY552, SPY600 to SPY665: artifacts that were damaged, or cannot be written."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.dataflow import changed
from cases.registry import raises
from cases.texts import function, load, store, tile, view
from spyrelang.isa import codec
from spyrelang.isa import program as p
from spyrelang.spyrecode import write
from spyrelang.spyrecode.layout import Layout, default_layout

SEGMENT = 1 << 34
PROGRAMS = 7 * SEGMENT
Json = Any


@spyre.kernel
def add(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
    out[:, :] = x[:, :] + 1


def executable() -> p.Executable:
    return add.compile(device="sample_device").executable


def exported(folder: Path) -> Path:
    return add.compile(device="sample_device").export(folder / "k")


def sealed(path: Path) -> Any:
    """Load an artifact whose manifest was made to fit its files."""
    manifest = json.loads((path / "manifest.json").read_text())
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((path / name).read_bytes()).hexdigest()
    (path / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return spyre.runtime.prepare(path)


def baked(folder: Path) -> Path:
    """A kernel at constant addresses: its plan has no host work."""
    body = (view("xv", "c0"), tile("t", "xv"), load("a", "t"), store("a", "t"))
    text = function(*body, arguments="")
    return spyre.load_ktir(text).compile(device="sample_device").export(folder / "k")


def bound(folder: Path) -> Path:
    """The staged add with its three tensors at the beginnings of three segments."""
    starts = {-4: 0, -5: SEGMENT // 2, -6: SEGMENT}
    text = changed(
        *(
            (f"symbol.create_id %{n}w {{symbol_id = {i} : si64}} : index", "")
            for n, i in zip("xyo", starts, strict=True)
        ),
        *(
            (f"symbol.create_symbol {{SymbolId = {i} : i64}}", f"arith.constant {at}")
            for i, at in starts.items()
        ),
    )
    path = spyre.load_dataflow(text, device="sample_device").compiled.export(folder / "k")
    spec = json.loads((path / "launch_spec.json").read_text())
    spec["bundle_symbolic_args"] = False
    for number, argument in enumerate(spec["spyrelang"]["arguments"]):
        argument["address"] = str(number * SEGMENT)
    (path / "launch_spec.json").write_text(json.dumps(spec, indent=1) + "\n")
    return path


def edited(
    folder: Path,
    edit: Callable[[Json], object],
    name: str = "spyrecode.json",
    make: Callable[[Path], Path] = exported,
) -> Any:
    """Load an artifact with one of its JSON files changed."""
    path = make(folder)
    document = json.loads((path / name).read_text())
    edit(document)
    (path / name).write_text(json.dumps(document, indent=1) + "\n")
    return sealed(path)


def properties(plan: str, index: int, **values: Json) -> Callable[[Json], object]:
    """Give properties of a command other values; None takes them out."""

    def edit(document: Json) -> None:
        found = document[plan][index]["properties"]
        found.update(values)
        for name in [name for name, value in values.items() if value is None]:
            del found[name]

    return edit


def at(*path: Json, value: Json) -> Callable[[Json], object]:
    """Put a value at a place of the document."""

    def edit(document: Json) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return edit


PREPARE, EXECUTE = "JobPreparationPlan", "JobExecPlan"
HCM = (EXECUTE, 0, "properties", "hcm")
TABLE = (*HCM, "symtab")
LOCATIONS = (*HCM, "vdci", "data_conversion_info_group_", 0, "dci", "ssi_", "value_and_locs_")


def back(handle: str, address: int) -> Callable[[Json], object]:
    """Copy 128 bytes back into a handle when the program has run."""
    moved = {"dirn": "true", "size": "128", "dev_ptr": str(address), "host_handle": handle}
    command = {"command": "DataTransfer", "properties": moved}
    return lambda document: document[EXECUTE].append(command)


PLANS: dict[str, Callable[[Json], object]] = {
    "SPY620": lambda document: document.pop(PREPARE),
    "SPY621": at(EXECUTE, value={}),
    "SPY622": lambda document: document[PREPARE].pop(),
    "SPY623": lambda document: document[PREPARE].reverse(),
    "SPY624": lambda document: document[PREPARE].append(document[PREPARE][0]),
    "SPY625": at(EXECUTE, 1, value="ComputeOnDevice"),
    "SPY625-command": lambda document: document[EXECUTE][1].pop("command"),
    "SPY626": at(EXECUTE, 1, "command", value="Compute"),
    "SPY627": properties(PREPARE, 0, dynamic_size=None),
    "SPY628": properties(PREPARE, 0, static_size=4096),
    "SPY629": properties(PREPARE, 1, size="-1"),
    "SPY630": properties(PREPARE, 1, size="128B"),
    "SPY631": properties(PREPARE, 1, size=""),
    "SPY632": properties(PREPARE, 1, size="99999999999999999999"),
    "SPY634": properties(EXECUTE, 2, job_bin_ptr="0"),
    "SPY635": properties(EXECUTE, 2, job_bin_ptr=str(PROGRAMS + 1)),
    "SPY636": properties(PREPARE, 1, dev_ptr=str(PROGRAMS + 4096)),
    "SPY638": properties(PREPARE, 0, static_size=str(SEGMENT + 128)),
    "SPY639": properties(EXECUTE, 0, ishape="2"),
    "SPY640": properties(EXECUTE, 0, ishape=[2]),
    "SPY641": lambda document: document[EXECUTE].__setitem__(slice(2, 2), document[EXECUTE][:2]),
    "SPY642": properties(EXECUTE, 0, ihandle="progCorrect7"),
    "SPY643": properties(EXECUTE, 1, host_handle="nothing"),
    "SPY644": back("progCorrect0", PROGRAMS),
    "SPY645": properties(EXECUTE, 1, dirn="0"),
    "SPY646": properties(EXECUTE, 1, size="128"),
    "SPY647": lambda document: document[EXECUTE].pop(),
    "SPY648": back("back", 0),
    "SPY650": properties(EXECUTE, 0, hcm="text"),
    "SPY651": at(*HCM, "vdci", value=[]),
    "SPY652": at(*TABLE, "values", 0, "expr", value=["pow", {"in": -1}, 2]),
    "SPY653": at(*TABLE, "version", value=2),
    "SPY654": lambda document: mixed(document),
    "SPY655": at(*LOCATIONS, 1, value=[-4, -1, 0, 0, 0, 31]),
    "SPY656": at(*HCM, "senConstants", 1, "senconst_", value="00000038" + "ff" * 124),
    "SPY606": properties(PREPARE, 1, init_bin_file="../x.bin"),
    "SPY605": properties(PREPARE, 1, init_bin_file="other.bin"),
    "SPY607": properties(PREPARE, 1, size="1280"),
}


def mixed(document: Json) -> None:
    """Let an address depend on a size."""
    table = document[EXECUTE][0]["properties"]["hcm"]["symtab"]
    size = {"id": -2, "kind": "dimension", "arg": 1, "dim": 0, "min": 4, "max": 64}
    table["inputs"][1] = {**size, "granularity": 4, "name": "n"}
    table["values"][0]["expr"] = ["add", {"in": -1}, {"in": -2}]


def _case(edit: Callable[[Json], object]) -> Callable[[Path], object]:
    return lambda tmp_path: edited(tmp_path, edit)


for _key, _edit in PLANS.items():
    _code, _, _name = _key.partition("-")
    raises(_code, _name)(_case(_edit))


@raises("SPY637")
def allocation_of_nothing(tmp_path: Path) -> object:
    def edit(document: Json) -> None:
        properties(PREPARE, 0, static_size="0")(document)
        properties(PREPARE, 1, size="0")(document)

    return edited(tmp_path, edit, make=baked)


@raises("SPY633")
def property_that_nobody_reads(tmp_path: Path) -> object:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        edited(tmp_path, properties(EXECUTE, 2, colour="red"))
    return [warning.message for warning in caught]


# --- the directory -------------------------------------------------------------------------------


@raises("SPY600")
def no_such_directory(tmp_path: Path) -> object:
    return spyre.runtime.prepare(tmp_path / "absent")


@raises("SPY601")
def file_of_the_artifact(tmp_path: Path) -> object:
    return spyre.runtime.prepare(exported(tmp_path) / "spyrecode.json")


@raises("SPY602")
def directory_of_something_else(tmp_path: Path) -> object:
    return spyre.runtime.prepare(tmp_path)


@raises("SPY603")
def no_json(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "spyrecode.json").write_text("no JSON\n")
    return sealed(path)


@raises("SPY604")
def directory_in_place_of_a_file(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "launch_spec.json").unlink()
    (path / "launch_spec.json").mkdir()
    return spyre.runtime.prepare(path)


@raises("SPY608")
def lost_manifest(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "manifest.json").unlink()
    return spyre.runtime.prepare(path)


@raises("SPY609")
def manifest_of_another_form(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "manifest.json").write_text("[]\n")
    return spyre.runtime.prepare(path)


@raises("SPY610")
def lost_file(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "launch_spec.json").unlink()
    return spyre.runtime.prepare(path)


@raises("SPY611")
def foreign_file(tmp_path: Path) -> object:
    path = exported(tmp_path)
    (path / "notes.txt").write_text("mine\n")
    return spyre.runtime.prepare(path)


@raises("SPY612")
def changed_byte(tmp_path: Path) -> object:
    path = exported(tmp_path)
    whole = (path / "init_binary.bin").read_bytes()
    (path / "init_binary.bin").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    return spyre.runtime.prepare(path)


@raises("SPY613")
def directory_with_a_file_of_mine(tmp_path: Path) -> object:
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "thesis.tex").write_text("")
    return exported(tmp_path)


@raises("SPY614")
def nowhere_to_write(tmp_path: Path) -> object:
    return exported(tmp_path / "absent")


# --- what the files hold -------------------------------------------------------------------------


@raises("SPY550")
def binary_of_another_kind(tmp_path: Path) -> object:
    path = exported(tmp_path)
    whole = bytearray((path / "init_binary.bin").read_bytes())
    whole[-1] ^= 1
    (path / "init_binary.bin").write_bytes(whole)
    return sealed(path)


@raises("SPY551")
def program_without_its_correction(tmp_path: Path) -> object:
    prepared = edited(tmp_path, lambda document: document[EXECUTE].__delitem__(slice(0, 2)))
    x = np.ones((4, 64), np.float16)
    return prepared.launch(x, x.copy())


@raises("SPY552")
def value_without_a_binary_form() -> object:
    # Programs that the decoder makes hold such values nowhere.
    made = executable()
    unit = made.programs[0].units[0]
    odd = p.Compute(0, 0, "arith.addf", (), "f16", 64, (("scale", np.zeros(2)),))
    changed = replace(made.programs[0], units=(replace(unit, body=(odd,)),))
    return codec.encode(replace(made, programs=(changed,)))


@raises("SPY660")
def argument_without_a_role(tmp_path: Path) -> object:
    return edited(tmp_path, at("args", 0, "role", value=None), "launch_spec.json")


@raises("SPY661")
def signature_of_a_later_version(tmp_path: Path) -> object:
    return edited(tmp_path, at("version", value=2), "launch_spec.json")


@raises("SPY662")
def symbol_record_with_a_word_for_a_number(tmp_path: Path) -> object:
    return edited(tmp_path, at(0, "arg_index", value="first"), "symbol_kinds.json")


@raises("SPY663")
def artifact_of_another_compiler(tmp_path: Path) -> object:
    path = exported(tmp_path)
    size = (path / "init_binary.bin").stat().st_size
    (path / "init_binary.bin").write_bytes(bytes(size))
    return sealed(path)


@raises("SPY664")
def layout_of_no_argument(tmp_path: Path) -> object:
    # `Compiled.export` takes no layouts.
    return write(executable(), tmp_path / "k", layouts={"z": default_layout((4, 64), "f16")})


@raises("SPY665")
def layout_with_a_short_stick(tmp_path: Path) -> object:
    # As above.
    narrow = Layout((4, 60), (60, 1), "f16")
    return write(executable(), tmp_path / "k", layouts={"x": narrow})
