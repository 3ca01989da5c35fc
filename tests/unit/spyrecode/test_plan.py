"""spyrecode.json: what is accepted, and one named error for each rule that is broken."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from spyrecode import plans
from spyrecode.plans import P7, SEGMENT, command
from spyrelang.errors import SpyreError, SpyreWarning
from spyrelang.spyrecode import read
from spyrelang.spyrecode.plan import Plan, steps
from spyrelang.spyrecode.plan_json import from_json, to_json


def load(document: Any, **options: Any) -> Plan:
    return from_json(document, "spyrecode.json", **options)


def failure(document: Any, **options: Any) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        load(document, **options)
    return caught.value


def set_property(document: dict[str, Any], plan: str, index: int, name: str, value: Any) -> Any:
    result = copy.deepcopy(document)
    result[plan][index]["properties"][name] = value
    return result


def without(document: dict[str, Any], plan: str, index: int, name: str) -> Any:
    result = copy.deepcopy(document)
    del result[plan][index]["properties"][name]
    return result


def kinds(document: Any) -> list[str]:
    return [step.kind for step in steps(load(document), "label")]


# --- what is accepted -----------------------------------------------------------------------------


def test_smallest_plan():
    plan = load(plans.baked())
    assert (plan.generation, plan.allocate.static_size, plan.allocate.dynamic_size) == (
        "G2",
        4096,
        0,
    )
    assert not plan.symbolic
    assert kinds(plans.baked()) == ["Compute"]


def test_symbolic_plan_fuses_host_work_and_transfer():
    step = steps(load(plans.symbolic()), "label")
    assert [(s.kind, s.role, s.name, s.barrier) for s in step] == [
        ("HostCompute", "Prep", "patch", True),
        ("Compute", "Dev", "ew_add", True),
    ]
    assert step[0].commands == (0, 1)


def test_older_generation_keeps_three_steps():
    plan = load(plans.older(plans.symbolic()))
    assert plan.generation == "G1"
    assert [s.kind for s in steps(plan, "label")] == ["HostCompute", "H2D", "Compute"]
    assert plan.correction is not None
    assert plan.correction.table.unit_bytes == 128
    newer = load(plans.symbolic()).correction
    assert newer is not None
    addresses = [0x1000, 0x400020000, 0x800000000]
    assert plan.correction.table.evaluate(addresses) == newer.table.evaluate(addresses)


def test_several_corrections():
    document = plans.symbolic()
    second = copy.deepcopy(document["JobExecPlan"][:2])
    second[0]["properties"]["ohandle"] = second[1]["properties"]["host_handle"] = "more"
    document["JobExecPlan"][2:2] = second
    assert kinds(document) == ["HostCompute", "HostCompute", "Compute"]


def test_device_then_copy_back():
    document = plans.baked()
    document["JobExecPlan"].append(
        command("DataTransfer", dirn="true", size="128", dev_ptr=str(P7), host_handle="result")
    )
    assert kinds(document) == ["Compute", "D2H"]


def test_unnamed_compute_takes_the_label():
    assert steps(load(plans.baked()), "dir/k/bundle.mlir")[0].name == "dir/k/bundle.mlir#0"


@pytest.mark.parametrize("document", [plans.baked(), plans.symbolic()])
def test_round_trip(document: Any):
    plan = load(document)
    assert load(to_json(plan)) == plan
    assert list(to_json(plan)) == ["JobExecPlan", "JobPreparationPlan"]


def test_unknown_property_warns():
    document = set_property(plans.baked(), "JobExecPlan", 0, "colour", "red")
    with pytest.warns(SpyreWarning, match="unknown property 'colour'") as caught:
        load(document)
    assert isinstance(caught[0].message, SpyreWarning)
    assert caught[0].message.code == "SPY633"


def test_old_size_beside_new_ones_is_only_a_warning():
    document = set_property(plans.baked(), "JobPreparationPlan", 0, "size", "128")
    with pytest.warns(SpyreWarning):
        assert load(document).allocate.static_size == 4096


# --- the envelope ---------------------------------------------------------------------------------

ENVELOPE = [
    ([], "SPY603", "top level"),
    ({"JobExecPlan": []}, "SPY620", "missing 'JobPreparationPlan'"),
    (
        {"JobPreparationPlan": plans.baked()["JobPreparationPlan"]},
        "SPY620",
        "missing 'JobExecPlan'",
    ),
    ({"JobExecPlan": [], "JobPreparationPlan": []}, "SPY622", "at least 2 commands"),
    ({"JobExecPlan": [], "JobPreparationPlan": {}}, "SPY622", "at least 2 commands"),
    ({**plans.baked(), "JobExecPlan": {}}, "SPY621", "'JobExecPlan' must be an array"),
    (
        {**plans.baked(), "JobPreparationPlan": plans.baked()["JobPreparationPlan"][::-1]},
        "SPY623",
        "Expected 'Allocate' as the first preparation command, found 'InitTransfer'",
    ),
    (
        {**plans.baked(), "JobPreparationPlan": plans.baked()["JobPreparationPlan"][:1] * 2},
        "SPY624",
        "Expected 'InitTransfer' after the allocation, found 'Allocate'",
    ),
    ({**plans.baked(), "JobExecPlan": ["Compute"]}, "SPY625", "is not an object"),
    ({**plans.baked(), "JobExecPlan": [{}]}, "SPY625", "missing 'command'"),
    (
        {**plans.baked(), "JobExecPlan": [{"command": "ComputeOnDevice"}]},
        "SPY625",
        "missing 'properties'",
    ),
    ({**plans.baked(), "JobExecPlan": [command("Fly")]}, "SPY626", "Unknown SpyreCode command"),
    (
        {**plans.baked(), "JobExecPlan": [command("Allocate", static_size="1")]},
        "SPY626",
        "Unknown SpyreCode command 'Allocate'",
    ),
]


@pytest.mark.parametrize(("document", "code", "words"), ENVELOPE)
def test_envelope(document: Any, code: str, words: str):
    error = failure(document)
    assert error.code == code
    assert words in error.message


# --- properties -----------------------------------------------------------------------------------

MANDATORY = [
    ("JobPreparationPlan", 0, "dynamic_size"),
    ("JobPreparationPlan", 0, "static_size"),
    ("JobPreparationPlan", 1, "init_bin_file"),
    ("JobPreparationPlan", 1, "size"),
    ("JobPreparationPlan", 1, "dev_ptr"),
    ("JobExecPlan", 0, "ishape"),
    ("JobExecPlan", 0, "ihandle"),
    ("JobExecPlan", 0, "ohandle"),
    ("JobExecPlan", 0, "size"),
    ("JobExecPlan", 0, "hcm"),
    ("JobExecPlan", 1, "dirn"),
    ("JobExecPlan", 1, "size"),
    ("JobExecPlan", 1, "dev_ptr"),
    ("JobExecPlan", 1, "host_handle"),
    ("JobExecPlan", 2, "job_bin_ptr"),
]


@pytest.mark.parametrize(("plan", "index", "name"), MANDATORY)
def test_absent_property(plan: str, index: int, name: str):
    error = failure(without(plans.symbolic(), plan, index, name))
    assert error.code == "SPY627"
    owner = plans.symbolic()[plan][index]["command"]
    assert f"{owner} is missing '{name}'" in error.message
    assert error.message.startswith(f"Failed to parse SpyreCode command {owner} ({plan}[{index}])")


NUMBERS = [
    (p, i, n)
    for p, i, n in MANDATORY
    if n in ("static_size", "dynamic_size", "size", "dev_ptr", "job_bin_ptr")
]
MALFORMED = [
    ("-1", "SPY629", "negative value not allowed"),
    ("  -1", "SPY629", "negative value not allowed"),
    ("128B", "SPY630", "non-numeric characters"),
    ("0x80", "SPY630", "non-numeric characters"),
    ("128 ", "SPY630", "non-numeric characters"),
    ("", "SPY631", "not a valid number"),
    ("many", "SPY631", "not a valid number"),
    (" 128", "SPY631", "not a valid number"),
    ("١٢٨", "SPY631", "not a valid number"),
    ("18446744073709551616", "SPY632", "out of range"),
    ("9" * 5000, "SPY632", "out of range"),
    (128, "SPY628", "must be a decimal string"),
    (None, "SPY628", "must be a decimal string"),
    (True, "SPY628", "must be a decimal string"),
]


@pytest.mark.parametrize(("value", "code", "words"), MALFORMED)
@pytest.mark.parametrize(("plan", "index", "name"), NUMBERS)
def test_malformed_number(plan: str, index: int, name: str, value: Any, code: str, words: str):
    error = failure(set_property(plans.symbolic(), plan, index, name, value))
    assert error.code == code
    assert words in error.message
    assert f"'{name}'" in error.message


def test_leading_zeros_are_read():
    document = set_property(
        plans.baked(), "JobPreparationPlan", 0, "static_size", "0" * 30 + "4096"
    )
    assert load(document).allocate.static_size == 4096


PROPERTIES = [
    ("JobPreparationPlan", 0, "static_size", str(SEGMENT + 128), "SPY638", "larger than a segment"),
    ("JobPreparationPlan", 0, "static_size", "4481", "SPY635", "multiple of 128"),
    ("JobPreparationPlan", 0, "dynamic_size", "1", "SPY635", "multiple of 128"),
    ("JobPreparationPlan", 0, "static_size", "128", "SPY636", "allocation of 128 bytes"),
    ("JobPreparationPlan", 1, "init_bin_file", "../x.bin", "SPY606", "plain file name"),
    ("JobPreparationPlan", 1, "init_bin_file", "a/x.bin", "SPY606", "plain file name"),
    ("JobPreparationPlan", 1, "init_bin_file", "", "SPY606", "plain file name"),
    ("JobPreparationPlan", 1, "init_bin_file", 7, "SPY628", "must be a string"),
    ("JobPreparationPlan", 1, "size", "4097", "SPY635", "multiple of 128"),
    ("JobPreparationPlan", 1, "dev_ptr", "0", "SPY634", "program segment"),
    ("JobPreparationPlan", 1, "dev_ptr", str(8 * SEGMENT), "SPY634", "program segment"),
    ("JobPreparationPlan", 1, "dev_ptr", str(P7 + 64), "SPY635", "multiple of 128"),
    ("JobPreparationPlan", 1, "dev_ptr", str(P7 + 512), "SPY636", "reaches byte 4608"),
    ("JobExecPlan", 0, "ishape", "3", "SPY639", "must be an array"),
    ("JobExecPlan", 0, "ishape", [3], "SPY640", "must be strings"),
    ("JobExecPlan", 0, "ishape", ["-3"], "SPY629", "negative value not allowed"),
    ("JobExecPlan", 0, "ishape", ["2"], "SPY650", "has 3 inputs but 'ishape' is [2]"),
    ("JobExecPlan", 0, "oshape", ["128", "1", "3"], "SPY650", "has 2 flits"),
    ("JobExecPlan", 0, "size", "512", "SPY650", "makes 384 bytes but 'size' is 512"),
    ("JobExecPlan", 0, "ihandle", "nowhere", "SPY642", "'nowhere' not found"),
    ("JobExecPlan", 0, "hcm", "text", "SPY650", "hcm must be an object"),
    ("JobExecPlan", 0, "hcm", {}, "SPY650", "hcm is missing 'vdci'"),
    ("JobExecPlan", 0, "hcm", {"vdci": []}, "SPY651", "vdci must be an object"),
    ("JobExecPlan", 1, "dirn", "0", "SPY645", "Invalid DataTransfer direction"),
    ("JobExecPlan", 1, "dirn", False, "SPY628", "must be a string"),
    ("JobExecPlan", 1, "host_handle", "nothing", "SPY643", "'nothing' not found"),
    ("JobExecPlan", 1, "size", "256", "SPY646", "adjacent DataTransfer H2D"),
    ("JobExecPlan", 1, "dev_ptr", str(SEGMENT), "SPY634", "program segment"),
    ("JobExecPlan", 2, "job_bin_ptr", "384", "SPY634", "program segment"),
    ("JobExecPlan", 2, "job_bin_ptr", str(P7 + 385), "SPY635", "multiple of 128"),
    ("JobExecPlan", 2, "job_bin_ptr", str(P7 + 4480), "SPY636", "allocation of 4480 bytes"),
    ("JobExecPlan", 2, "name", 5, "SPY628", "must be a string"),
]


@pytest.mark.parametrize(("plan", "index", "name", "value", "code", "words"), PROPERTIES)
def test_property(plan: str, index: int, name: str, value: Any, code: str, words: str):
    error = failure(set_property(plans.symbolic(), plan, index, name, value))
    assert error.code == code
    assert words in error.message


def test_both_sizes_are_read_before_anything_else():
    document = set_property(plans.baked(), "JobPreparationPlan", 0, "dynamic_size", "x")
    document["JobPreparationPlan"][1]["properties"]["dev_ptr"] = "0"
    assert failure(document).code == "SPY631"


def test_nothing_allocated_for_a_device_step():
    document = plans.baked()
    document["JobPreparationPlan"][0]["properties"]["static_size"] = "0"
    document["JobPreparationPlan"][1]["properties"]["size"] = "0"
    error = failure(document)
    assert error.code == "SPY637"
    assert "size > 0" in error.message


# --- order and handles ----------------------------------------------------------------------------


def with_commands(*commands: Any) -> Any:
    return {**plans.symbolic(), "JobExecPlan": list(commands)}


def test_host_work_alone():
    host, transfer, run = plans.symbolic()["JobExecPlan"]
    assert failure(with_commands(host)).code == "SPY646"
    assert failure(with_commands(host, run)).code == "SPY646"
    error = failure(with_commands(host, transfer))
    assert error.code == "SPY647"
    assert "HostCompute" in error.message
    assert "must be followed by Compute" in error.message


def test_copy_back_before_the_device_step():
    host, transfer, run = plans.symbolic()["JobExecPlan"]
    back = command("DataTransfer", dirn="true", size="128", dev_ptr=str(P7), host_handle="r")
    assert failure(with_commands(host, transfer, back, run)).code == "SPY647"


def test_transfer_of_another_handle():
    host, transfer, run = plans.symbolic()["JobExecPlan"]
    other = copy.deepcopy(host)
    other["properties"]["ohandle"] = "second"
    assert failure(with_commands(host, transfer, other, transfer, run)).code == "SPY646"
    assert failure(with_commands(host, transfer, transfer, run)).code == "SPY646"


def test_handles_are_made_once():
    host, transfer, run = plans.symbolic()["JobExecPlan"]
    error = failure(with_commands(host, transfer, host, transfer, run))
    assert (error.code, "already exists" in error.message) == ("SPY641", True)
    back = command("DataTransfer", dirn="true", size="128", dev_ptr=str(P7), host_handle="patch")
    error = failure(with_commands(host, transfer, run, back))
    assert (error.code, "already exists" in error.message) == ("SPY644", True)


def test_copy_back_from_a_tensor_segment():
    document = plans.baked()
    document["JobExecPlan"].append(
        command("DataTransfer", dirn="true", size="128", dev_ptr="0", host_handle="r")
    )
    error = failure(document, symbolic=True)
    assert (error.code, "program segment" in error.message) == ("SPY648", True)
    assert kinds_of(load(document, symbolic=False)) == ["Compute", "D2H"]


def kinds_of(plan: Plan) -> list[str]:
    return [step.kind for step in steps(plan, "")]


def test_scatter_target_outside_the_binary():
    document = plans.symbolic()
    constants = document["JobExecPlan"][0]["properties"]["hcm"]["senConstants"]
    constants[1]["senconst_"] = "00000038" + constants[1]["senconst_"][8:]
    error = failure(document)
    assert error.code == "SPY656"
    assert "flit 0" in error.message


# --- on disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "index", "name", "value"),
    [("JobExecPlan", 2, "job_bin_ptr", "zero"), ("JobPreparationPlan", 1, "size", "4097")],
)
def test_errors_point_at_the_line(plan: str, index: int, name: str, value: str, tmp_path: Path):
    import json

    document = set_property(plans.symbolic(), plan, index, name, value)
    plans.put(tmp_path, json.dumps(document, indent=1))
    with pytest.raises(SpyreError) as caught:
        read(tmp_path)
    location = caught.value.location
    assert location is not None
    text = (tmp_path / "spyrecode.json").read_text().splitlines()
    assert f'"{name}"' in text[location.line - 1]
    assert location.frame().endswith("| " + " " * 4 + "^" * len(f'"{name}"'))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "Failed to parse spyrecode.json"),
        ("", "Failed to parse spyrecode.json"),
        ('{"JobExecPlan": [], "JobExecPlan": []}', "appears twice"),
        ('{"JobExecPlan": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "Failed to parse spyrecode.json"),
        ("\ud800".encode("utf-8", "surrogatepass"), "Failed to parse spyrecode.json"),
    ],
)
def test_unparsable_json(tmp_path: Path, text: str | bytes, words: str):
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "spyrecode.json").write_bytes(data)
    with pytest.raises(SpyreError) as caught:
        read(tmp_path)
    assert caught.value.code == "SPY603"
    assert words in caught.value.message


def test_files_and_directories(tmp_path: Path):
    cases = [
        (tmp_path / "absent", "SPY600", "does not exist"),
        (plans.put(tmp_path / "a", plans.baked()) / "spyrecode.json", "SPY601", "not a directory"),
        (tmp_path, "SPY602", "spyrecode.json not found"),
    ]
    (tmp_path / "a" / "init_binary.bin").unlink()
    cases.append((tmp_path / "a", "SPY605", "does not exist"))
    cases.append((plans.put(tmp_path / "b", plans.baked(), bytes(4095)), "SPY607", "4095 bytes"))
    for path, code, words in cases:
        with pytest.raises(SpyreError) as caught:
            read(path)
        assert caught.value.code == code
        assert words in caught.value.message


def test_plan_in_a_nested_directory(tmp_path: Path):
    plans.put(tmp_path / "k" / "spyreCodeDir", plans.older(plans.symbolic()))
    (tmp_path / "k" / "launch_spec.json").write_text(
        '{"version": 1, "kernel_name": "ew", "args": [], "symbols": {}}'
    )
    artifact = read(tmp_path / "k")
    assert artifact.name == "ew"
    assert artifact.plan.generation == "G1"
    assert not artifact.runnable
    assert "static_size=4480" in artifact.describe()
    with pytest.raises(SpyreError) as caught:
        _ = artifact.executable
    assert caught.value.code == "SPY663"
