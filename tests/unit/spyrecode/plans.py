"""Job plans as JSON, made small and taken apart by the tests."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

SEGMENT = 1 << 34
P7 = 7 * SEGMENT


def command(kind: str, /, **properties: Any) -> dict[str, Any]:
    return {"command": kind, "properties": properties}


def device(offset: int = 0, **more: Any) -> dict[str, Any]:
    return command("ComputeOnDevice", job_bin_ptr=str(P7 + offset), **more)


def baked() -> dict[str, Any]:
    """The smallest artifact: constant addresses, a device step only."""
    return {
        "JobExecPlan": [device()],
        "JobPreparationPlan": [
            command("Allocate", static_size="4096", dynamic_size="0"),
            command("InitTransfer", init_bin_file="init_binary.bin", size="4096", dev_ptr=str(P7)),
        ],
    }


IDS = (-4, -5, -6, -7, -8, -9)


def _word(number: int, width: int = 16) -> str:
    return (number & 0xFFFFFFFF).to_bytes(width, "little").hex()


def two_core_hcm() -> dict[str, Any]:
    """Three tensors on two cores: two flits, patched to flits 4 and 12 of the program's memory."""
    locations = [[s, -1, i // 3, i % 3, 0, 31] for i, s in enumerate(IDS)]
    flits = "".join(
        "".join(_word(s) for s in IDS[3 * flit : 3 * flit + 3]) + "00" * 80 for flit in range(2)
    )
    targets = _word(0x38000004, 4) + _word(0x3800000C, 4) + "ff" * 120
    definitions = [[f"V{s}", -5, f"V{-1 - i}", "128"] for i, s in enumerate(IDS[:3])]
    definitions += [[f"V{s}", -23, f"V{-1 - i}", "65536", "128"] for i, s in enumerate(IDS[3:])]
    values = [
        {"id": s, "expr": ["floordiv", {"in": -1 - i}, 128], "bits": 32}
        for i, s in enumerate(IDS[:3])
    ]
    values += [
        {"id": s, "expr": ["floordiv", ["add", {"in": -1 - i}, 65536], 128], "bits": 32}
        for i, s in enumerate(IDS[3:])
    ]
    inputs = [
        {"id": -1 - i, "kind": "address", "arg": i, "name": n}
        for i, n in enumerate(("a", "b", "out"))
    ]
    return {
        "vdci": {
            "dsName_": "ProgCorrectionFlit",
            "isMarker_": 0,
            "data_conversion_info_group_": [
                {
                    "key": [],
                    "dci": {
                        "ssi_": {
                            "value_and_locs_": locations,
                            "inputSym_": [-1, -2, -3],
                            "unSubstitutedFlitStartOffset_": 0,
                        }
                    },
                }
            ],
            "group_tags_": [],
            "inputSym_": [-1, -2, -3],
            "dciIdxSym_": [],
            "variableDefs_": definitions,
        },
        "senConstants": [{"senconst_": flits}, {"senconst_": targets}],
        "symtab": {"version": 1, "unit_bytes": 128, "inputs": inputs, "values": values},
    }


def symbolic() -> dict[str, Any]:
    """Host computation, transfer and device step; binary right behind the correction."""
    return {
        "JobExecPlan": [
            command(
                "ComputeOnHost",
                ishape=["3"],
                oshape=["128", "1", "2"],
                size="384",
                ihandle="",
                ohandle="patch",
                hcm=two_core_hcm(),
            ),
            command("DataTransfer", dirn="false", size="384", dev_ptr=str(P7), host_handle="patch"),
            device(384, name="ew_add"),
        ],
        "JobPreparationPlan": [
            command("Allocate", static_size="4480", dynamic_size="0"),
            command(
                "InitTransfer",
                init_bin_file="init_binary.bin",
                size="4096",
                dev_ptr=str(P7 + 384),
            ),
        ],
    }


def older(plan: dict[str, Any]) -> dict[str, Any]:
    """The same plan in the older spelling: one `size` in Allocate, no symbol table of ours."""
    result = copy.deepcopy(plan)
    allocate = result["JobPreparationPlan"][0]["properties"]
    allocate["size"] = allocate.pop("static_size")
    del allocate["dynamic_size"]
    for item in result["JobExecPlan"]:
        item["properties"].get("hcm", {}).pop("symtab", None)
    return result


def put(directory: Path, plan: Any, binary: bytes = bytes(4096)) -> Path:
    """A directory without manifest, as other exporters leave it."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "spyrecode.json").write_text(plan if isinstance(plan, str) else json.dumps(plan))
    (directory / "init_binary.bin").write_bytes(binary)
    return directory
