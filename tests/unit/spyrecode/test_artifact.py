"""Artifacts on disk: what is written, that it is read back, and that damage is always noticed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spyrecode import plans, samples
from spyrelang import spyrecode
from spyrelang.affine import Dim
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p
from spyrelang.spyrecode import Dimension, Layout, default_layout, read, write
from spyrelang.spyrecode.symtab import AddressInput, DimensionInput
from spyrelang.spyrecode.writer import FILES

FLIPPED = sorted(set(FILES))


def files(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(directory.iterdir())}


def refusal(directory: Path) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        _ = read(directory).executable
    return caught.value


def remanifest(directory: Path) -> None:
    """Make the manifest fit the files again, as a careful forger would."""
    path = directory / "manifest.json"
    document = json.loads(path.read_text())
    for name in document["files"]:
        document["files"][name] = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(document, indent=1) + "\n")


# --- contents -------------------------------------------------------------------------------------


def test_symbolic_kernel(tmp_path: Path):
    executable = samples.add()
    write(executable, tmp_path / "k")
    assert sorted(files(tmp_path / "k")) == FLIPPED
    artifact = read(tmp_path / "k")
    assert artifact.executable == executable
    assert artifact.name == "add"
    assert artifact.plan.generation == "G2"
    assert [type(c).__name__ for c in artifact.plan.commands] == [
        "ComputeOnHost",
        "DataTransfer",
        "ComputeOnDevice",
    ]
    table = artifact.symtab
    assert table is not None
    assert table.unit_bytes == 128
    assert [s.name for s in table.inputs if isinstance(s, AddressInput)] == ["a", "b", "out"]
    assert "step 1: Compute 'add'" in artifact.describe()
    assert "vectorchain.binary.add" in artifact.disassembly()


def test_written_form(tmp_path: Path):
    write(samples.add(), tmp_path / "k", name="renamed")
    text = (tmp_path / "k" / "spyrecode.json").read_text()
    document = json.loads(text)
    assert list(document) == ["JobExecPlan", "JobPreparationPlan"]
    assert text.endswith("}\n")
    assert str(tmp_path) not in text
    host, transfer, device = document["JobExecPlan"]
    assert host["properties"]["ishape"] == ["3"]
    assert host["properties"]["oshape"] == ["128", "1", "1"]
    assert transfer["properties"]["dirn"] == "false"
    assert device["properties"]["name"] == "renamed"
    definitions = host["properties"]["hcm"]["vdci"]["variableDefs_"]
    assert ["V-5", -23, "V-1", "1024", "128"] in definitions
    allocate, init = document["JobPreparationPlan"]
    size = (tmp_path / "k" / "init_binary.bin").stat().st_size
    assert init["properties"]["size"] == str(size)
    assert allocate["properties"] == {"static_size": str(size + 256), "dynamic_size": "0"}


def test_signature_and_symbol_records(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    spec = json.loads((tmp_path / "k" / "launch_spec.json").read_text())
    assert spec["bundle_symbolic_args"] is True
    assert [a["role"] for a in spec["args"]] == ["input", "input", "output"]
    assert spec["args"][2]["dtype"] == "torch.float16"
    assert spec["args"][2]["layout"]["device_size"] == [8, 2, 64]
    artifact = read(tmp_path / "k")
    kinds = artifact.symbol_kinds
    assert [k.kind for k in kinds] == ["kernel"] * 3 + ["kernel_derived"] * 6
    assert (kinds[4].base_sym_idx, kinds[4].offset) == (0, 1024)


def test_constant_addresses(tmp_path: Path):
    segment = 1 << 34
    executable = samples.add(addresses=[0, segment, 2 * segment])
    write(executable, tmp_path / "k")
    artifact = read(tmp_path / "k")
    assert [type(c).__name__ for c in artifact.plan.commands] == ["ComputeOnDevice"]
    assert artifact.plan.transfers[0].dev_ptr == plans.P7
    assert artifact.symtab is None
    spec = artifact.launch_spec
    assert spec is not None
    assert spec.addresses == (0, segment, 2 * segment)
    assert not spec.bundle_symbolic_args


def test_scratch_takes_the_region_of_a_launch(tmp_path: Path):
    write(samples.through_scratch(), tmp_path / "k")
    artifact = read(tmp_path / "k")
    assert artifact.plan.allocate.dynamic_size == 512
    assert [k.kind for k in artifact.symbol_kinds[:3]] == ["kernel", "kernel", "pool"]
    spec = artifact.launch_spec
    assert spec is not None
    assert [a.arg_index for a in spec.args] == [0, 1]


def test_sizes_given_at_launch(tmp_path: Path):
    bounds = {"n": Dimension(maximum=64, granularity=4, minimum=4)}
    write(samples.fill_rows(64), tmp_path / "k", dimensions=bounds)
    table = read(tmp_path / "k").symtab
    assert table is not None
    assert table.inputs[2] == DimensionInput(-3, 2, -1, 4, 4, 64, "n")


def test_many_cores_take_several_flits(tmp_path: Path):
    write(samples.add(32, 64, 32), tmp_path / "k")
    correction = read(tmp_path / "k").plan.correction
    assert correction is not None
    assert correction.flits == 12
    assert len(correction.locations) == 96


def test_rounded_corrections(tmp_path: Path):
    write(samples.add(), tmp_path / "k", round_flits=True)
    artifact = read(tmp_path / "k")
    correction = artifact.plan.correction
    assert correction is not None
    assert (correction.flits, correction.size) == (32, 4224)
    binary = len(artifact.binaries["init_binary.bin"])
    assert artifact.plan.allocate.static_size == 4224 + binary + 31 * 128
    assert set(correction.template[128:]) == {0}


def test_layouts_are_recorded(tmp_path: Path):
    layout = default_layout((8, 128), "f16")
    write(samples.add(), tmp_path / "k", layouts={"a": layout})
    spec = read(tmp_path / "k").launch_spec
    assert spec is not None
    assert spec.layout_of(0) == layout
    assert spec.layout_of(1) != layout


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"layouts": {"z": default_layout((8, 128), "f16")}}, "SPY664", "'z'"),
        ({"layouts": {"a": default_layout((4, 128), "f16")}}, "SPY665", "no place"),
        ({"layouts": {"a": Layout((2, 60), (60, 1), "x")}}, "SPY665", "one stick"),
    ],
)
def test_unusable_layouts(tmp_path: Path, options: Any, code: str, words: str):
    with pytest.raises(SpyreError) as caught:
        write(samples.add(), tmp_path / "k", **options)
    assert (caught.value.code, words in caught.value.message) == (code, True)
    assert list(tmp_path.iterdir()) == []


def test_bound_tensors_stay_below_the_program(tmp_path: Path):
    executable = samples.add(addresses=[0, 1 << 34, 7 << 34])
    with pytest.raises(SpyreError) as caught:
        write(executable, tmp_path / "k", addresses={"out": 7 << 34})
    assert caught.value.code == "SPY664"


def test_symbol_expressions_that_have_no_form(tmp_path: Path):
    from dataclasses import replace

    from spyrelang.affine import Sym

    base = samples.add()
    broken = replace(base, symbols=(p.SymbolValue(-4, Dim(0) + Sym(0), (-1,)), *base.symbols[1:]))
    with pytest.raises(SpyreError) as caught:
        write(broken, tmp_path / "k")
    assert caught.value.code == "SPY664"


# --- determinism ----------------------------------------------------------------------------------


def test_two_exports_are_equal(tmp_path: Path):
    write(samples.add(), tmp_path / "one")
    write(samples.add(), tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_export_in_another_process_is_equal(tmp_path: Path):
    write(samples.add(), tmp_path / "one")
    code = (
        "import sys; from spyrecode import samples; from spyrelang.spyrecode import write; "
        "write(samples.add(), sys.argv[1])"
    )
    root = Path(spyrecode.__file__).parents[2]
    paths = os.pathsep.join([str(root), str(Path(__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "two")], check=True, env=environment)
    assert files(tmp_path / "one") == files(tmp_path / "two")


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLIPPED)
def test_every_region_of_every_file_is_guarded(tmp_path: Path, name: str):
    write(samples.add(), tmp_path / "k")
    path = tmp_path / "k" / name
    good = path.read_bytes()
    step = max(1, len(good) // 60)
    for position in {*range(0, len(good), step), len(good) - 1}:
        for bit in (0, 7):
            bad = bytearray(good)
            bad[position] ^= 1 << bit
            path.write_bytes(bytes(bad))
            assert refusal(tmp_path / "k").code.startswith("SPY6"), position
    path.write_bytes(good)
    assert read(tmp_path / "k").executable == samples.add()


def test_binary_damage_shows_even_with_a_matching_manifest(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    path = tmp_path / "k" / "init_binary.bin"
    good = path.read_bytes()
    for position in (9, 20, 300, len(good) - 1):
        bad = bytearray(good)
        bad[position] ^= 1
        path.write_bytes(bytes(bad))
        remanifest(tmp_path / "k")
        assert refusal(tmp_path / "k").code == "SPY550"


def test_truncated_binary(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    path = tmp_path / "k" / "init_binary.bin"
    path.write_bytes(path.read_bytes()[:-128])
    assert refusal(tmp_path / "k").code == "SPY612"
    remanifest(tmp_path / "k")
    assert refusal(tmp_path / "k").code == "SPY607"


@pytest.mark.parametrize(
    "name", [n for n in FLIPPED if n not in ("manifest.json", "spyrecode.json")]
)
def test_absent_file(tmp_path: Path, name: str):
    write(samples.add(), tmp_path / "k")
    (tmp_path / "k" / name).unlink()
    error = refusal(tmp_path / "k")
    assert (error.code, f"'{name}'" in error.message) == ("SPY610", True)


def test_absent_manifest_and_plan(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    (tmp_path / "k" / "manifest.json").unlink()
    assert refusal(tmp_path / "k").code == "SPY608"
    (tmp_path / "k" / "spyrecode.json").unlink()
    assert refusal(tmp_path / "k").code == "SPY602"


def test_additional_file(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    (tmp_path / "k" / "notes.txt").write_text("hello")
    error = refusal(tmp_path / "k")
    assert (error.code, "'notes.txt'" in error.message) == ("SPY611", True)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "other"}, "SPY609"),
        ({"version": 2}, "SPY609"),
        ({"files": []}, "SPY609"),
        ({"extra": 1}, "SPY609"),
    ],
)
def test_malformed_manifest(tmp_path: Path, change: Any, code: str):
    write(samples.add(), tmp_path / "k")
    path = tmp_path / "k" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}, indent=1) + "\n")
    assert refusal(tmp_path / "k").code == code


def test_unlisted_file_of_the_format(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    path = tmp_path / "k" / "manifest.json"
    document = json.loads(path.read_text())
    del document["files"]["launch_spec.json"]
    path.write_text(json.dumps(document, indent=1) + "\n")
    assert refusal(tmp_path / "k").code == "SPY611"


def edit(directory: Path, name: str, old: str, new: str) -> SpyreError:
    path = directory / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    remanifest(directory)
    error = refusal(directory)
    path.write_text(text)
    return error


SPEC_EDITS = [
    ('"version": 1', '"version": 2', "SPY661", "version 2"),
    ('"version": 1', '"version": 0', "SPY660", "'version'"),
    ('"kernel_name": "add"', '"kernel_name": 5', "SPY660", "'kernel_name'"),
    ('"bundle_symbolic_args": true', '"bundle_symbolic_args": 1', "SPY660", "true or false"),
    ('"role": "input"', '"role": "inputs"', "SPY660", "unknown role"),
    ('"arg_index": 0', '"arg_index": "zero"', "SPY660", "'arg_index'"),
    ('"shape": [8, 128]', '"shape": [8.5, 128]', "SPY660", "neither a size nor a name"),
    ('"device_size": [8, 2, 64]', '"device_size": 8', "SPY660", "'device_size'"),
    ('"stride_map": [128, 64, 1]', '"stride_map": [-2, 64, 1]', "SPY660", "'stride_map'"),
    ('"symbols": {}', '"symbols": []', "SPY660", "'symbols'"),
    ('"role": "out"', '"role": "in"', "SPY660", "not those of the binary"),
    ('"strides": [128, 1]', '"strides": [1, 8]', "SPY660", "not those of the binary"),
    ("{\n", "[\n", "SPY603", "Failed to parse launch_spec.json"),
]


@pytest.mark.parametrize(("old", "new", "code", "words"), SPEC_EDITS)
def test_edited_signature(tmp_path: Path, old: str, new: str, code: str, words: str):
    write(samples.add(), tmp_path / "k")
    error = edit(tmp_path / "k", "launch_spec.json", old, new)
    assert (error.code, words in error.message) == (code, True), error.message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"kind": "kernel"', '"kind": "tensor"', "no known 'kind'"),
        ('"offset": 0', '"offset": "0"', "'offset' must be an integer"),
        ('"pytorch_sym": ""', '"pytorch_sym": 0', "'pytorch_sym' must be a string"),
    ],
)
def test_edited_symbol_records(tmp_path: Path, old: str, new: str, words: str):
    write(samples.add(), tmp_path / "k")
    error = edit(tmp_path / "k", "symbol_kinds.json", old, new)
    assert (error.code, words in error.message) == ("SPY662", True)


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(samples.add(), tmp_path / "k")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    error = refusal(tmp_path / "k")
    assert (error.code, "Permission denied" in error.message) == ("SPY604", True)
    assert isinstance(error, OSError)


# --- replacing ------------------------------------------------------------------------------------


def test_an_artifact_is_replaced(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    write(samples.add(16, 64, 1), tmp_path / "k")
    assert read(tmp_path / "k").executable == samples.add(16, 64, 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["k"]


def test_an_empty_directory_and_a_link_are_used(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(samples.add(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert read(tmp_path / "real").name == "add"


@pytest.mark.parametrize("content", ["notes.txt", "spyrecode.json", "manifest.json"])
def test_other_directories_are_refused(tmp_path: Path, content: str):
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / content).write_text("mine")
    with pytest.raises(SpyreError) as caught:
        write(samples.add(), tmp_path / "k")
    assert caught.value.code == "SPY613"
    assert files(tmp_path / "k") == {content: b"mine"}


def test_files_and_artifacts_with_guests_are_refused(tmp_path: Path):
    (tmp_path / "f").write_text("mine")
    write(samples.add(), tmp_path / "k")
    (tmp_path / "k" / "notes.txt").write_text("mine")
    for name in ("f", "k"):
        with pytest.raises(SpyreError) as caught:
            write(samples.add(), tmp_path / name)
        assert caught.value.code == "SPY613"
    assert (tmp_path / "k" / "notes.txt").read_text() == "mine"


def test_nowhere_to_write(tmp_path: Path):
    with pytest.raises(SpyreError) as caught:
        write(samples.add(), tmp_path / "absent" / "k")
    assert caught.value.code == "SPY614"


@pytest.mark.parametrize("path", [5, None, "a\0b", "/proc/none/k", "/"])
def test_paths_that_cannot_be(path: Any):
    with pytest.raises(SpyreError) as caught:
        write(samples.add(), path)
    assert caught.value.code in ("SPY613", "SPY614")
    with pytest.raises(SpyreError) as caught:
        read(path)
    assert caught.value.code in ("SPY600", "SPY602")


def test_a_directory_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(samples.add(), tmp_path / "k")

    def refuse(self: Path) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert refusal(tmp_path / "k").code == "SPY604"
    with pytest.raises(SpyreError) as caught:
        write(samples.add(), tmp_path / "k")
    assert caught.value.code == "SPY614"


def test_permissions_follow_the_umask(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "k").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_failed_export_leaves_the_old_artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(samples.add(), tmp_path / "k")
    before = files(tmp_path / "k")
    monkeypatch.setattr("spyrelang.spyrecode.writer._exchange", lambda a, b: False)
    real = Path.rename
    calls: list[Path] = []

    def rename(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(SpyreError) as caught:
        write(samples.add(16, 64, 1), tmp_path / "k")
    assert caught.value.code == "SPY614"
    assert files(tmp_path / "k") == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["k"]


def test_replacing_without_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("spyrelang.spyrecode.writer._exchange", lambda a, b: False)
    write(samples.add(), tmp_path / "k")
    write(samples.add(16, 64, 1), tmp_path / "k")
    assert read(tmp_path / "k").executable == samples.add(16, 64, 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["k"]
