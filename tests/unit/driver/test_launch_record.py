"""What an exported kernel says of its arguments is what its KTIR says."""

import json
import re

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel(grid=2)
def scaled(first: spy.In["M", "N"], bias: spy.In["N"], result: spy.Out["M", "N"]):
    for row in spy.range(spy.tile_id(), first.shape[0], 2):
        result[row] = first[row] * 2.0 + bias[:]


def test_arguments_in_order_with_roles_and_shapes(tmp_path) -> None:
    x, bias = np.zeros((4, 64), np.float16), np.zeros(64, np.float16)
    compiled = scaled.compile(x, bias, x)
    path = compiled.export(tmp_path / "scaled")
    record = json.loads(next(path.rglob("launch_spec.json")).read_text())
    kinds = json.loads(next(path.rglob("symbol_kinds.json")).read_text())
    text = str(compiled.ir("ktir"))
    arguments = re.findall(r'%(\w+): index \{[^}]*spyrelang.role = "(\w+)"', text)
    shapes = re.findall(r"%(\w+)_view = .*memref<([\dx]+)xf16>", text)
    told = record["spyrelang"]["arguments"]
    assert [(a["name"], a["role"]) for a in told] == arguments
    assert [(a["name"], "x".join(map(str, a["shape"]))) for a in told] == shapes
    assert [a["arg_index"] for a in record["args"]] == [0, 1, 2]
    assert [k["arg_index"] for k in kinds if k["kind"] == "kernel"] == [0, 1, 2]
    roles = {"in": "input", "out": "output", "inout": "input_output"}
    assert [a["role"] for a in record["args"]] == [roles[r] for _, r in arguments]
