"""What the consumers of KTIR refuse, listed with lines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.cli.main import main

BOX = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
SAME = "affine_map<(d0, d1) -> (d0, d1)>"
T = "tensor<8x64xf16>"
LOOP = f"""%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> ({T}) {{
%b = arith.addf %a, %x : {T}
scf.yield %b : {T}
}}"""


def text(compute: str, grid: str = "[1]") -> str:
    """A kernel that loads %x, runs `compute` from line 8 on and stores %r."""
    return f"""func.func @k(%x_ptr: index, %o_ptr: index) attributes {{grid = {grid}}} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%xv = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {{coordinate_set = {BOX}, memory_space = #ktdp.memory_space<global>}} : memref<8x64xf16>
%xt = ktdp.construct_access_tile %xv[0, 0] {{access_tile_set = {BOX}, access_tile_order = {SAME}}} : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
%x = ktdp.load %xt : <8x64xindex> -> {T}
{compute}
%ov = ktdp.construct_memory_view %o_ptr, sizes: [8, 64], strides: [64, 1] {{coordinate_set = {BOX}, memory_space = #ktdp.memory_space<global>}} : memref<8x64xf16>
%ot = ktdp.construct_access_tile %ov[0, 0] {{access_tile_set = {BOX}, access_tile_order = {SAME}}} : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
ktdp.store %r, %ot : {T}, <8x64xindex>
return
}}
"""  # noqa: E501


def generic(body: str, out: str = "%e") -> str:
    return (
        f"%e = tensor.empty() : {T}\n%r = linalg.generic {{indexing_maps = [{SAME}, {SAME}], "
        f'iterator_types = ["parallel", "parallel"]}} ins(%x : {T}) outs({out} : {T}) {{\n'
        f"^bb0(%p: f16, %q: f16):\n{body}\nlinalg.yield %y : f16\n}} -> {T}"
    )


ADD = f"%e = tensor.empty() : {T}\n%r = linalg.add ins(%x, %x : {T}, {T}) outs(%e : {T}) -> {T}"

REFUSED = {
    "carried": (LOOP, "scf.for", 8, "iter_args"),
    "named": (
        f"%e = tensor.empty() : {T}\n%r = linalg.exp ins(%x : {T}) outs(%e : {T}) -> {T}",
        "linalg.exp",
        9,
        "named linalg ops other than add, mul, sub and reduce",
    ),
    "body": (generic("%y = math.exp %p : f16"), "math.exp", 11, "bodies hold"),
    "destination": (generic("%y = arith.addf %p, %p : f16", "%x"), "linalg.generic", 9, "empty"),
    "constant": (
        f"%k = arith.constant dense<0.0> : {T}\n"
        f"%r = linalg.add ins(%x, %x : {T}, {T}) outs(%k : {T}) -> {T}",
        "linalg.add",
        9,
        "dropped without notice",
    ),
    "tensors": (f"%r = math.exp %x : {T}", "math.exp", 8, "cannot expand"),
    "fill": (
        f"%z = arith.constant 0.0 : f16\n%e = tensor.empty() : {T}\n"
        f"%r = linalg.fill ins(%z : f16) outs(%e : {T}) -> {T}",
        "linalg.fill",
        10,
        "named linalg ops",
    ),
}


# What scheduler-v1 says of each construct: the ops it names, in the order of the kernel's lines.


def every_row(x: spy.In, ids: spy.In, out: spy.Out, n: spy.Dim("n", max=8)):
    v = spy.load(x[0, :])
    for i in spy.range(4):  # without carried values: accepted
        out[i, :] = x[i, :]
    for i in spy.range(4):
        v = v + x[i, :]
    count = spy.tile_id()
    while count < spy.load(ids[0]):
        count = count + 1
    if count > 2:
        out[4, :] = v * v - v
    halves = [
        spy.memory_view(x, (4, 64), offset=256 * h, coords=(slice(4 * h, 4 * h + 4), slice(0, 64)))
        for h in range(2)
    ]
    out[5, :] = spy.distributed_view(halves)[5, :]
    out[0:4, :] = x[spy.ind(ids[:]), :]
    square = spy.dot(x[:, :], spy.transpose(x[:, :]))
    out[:, 0:8] = spy.maximum(spy.cast(square, spy.f16), 0.0)
    out[6, :] = spy.where(v > 0, v, v / 2)
    out[7, :] = spy.exp(v)  # an intrinsic: accepted
    spy.store(spy.access_tile(out, (0, 0), (8, 64), order=(1, 0)), spy.transpose(x[:, :]))
    out[n - 1, :] = spy.concat([v[:32], v[32:]], axis=0)
    spy.assert_(count < 9)
    spy.print_(count)


SIZE, BRANCH, GATHER = "ktdp.runtime_arg_extract", "scf.if", "ktdp.construct_indirect_access_tile"
PARTS, TILE = "ktdp.construct_distributed_memory_view", "ktdp.construct_access_tile"
V1 = {
    0: {"grid", SIZE},
    4: {"scf.for"},
    7: {"scf.while", "tensor.extract", "tensor.from_elements"},
    9: {BRANCH},
    15: {PARTS},
    16: {GATHER},
    17: {"linalg.fill", "linalg.matmul"},
    18: {"arith.truncf", "arith.maximumf"},
    19: {"arith.cmpf", "arith.divf", "arith.select"},
    21: {TILE},
    22: {"tensor.collapse_shape", "tensor.extract_slice", "tensor.concat"},
    23: {"cf.assert"},
    24: {"spyrelang.print"},
}
OURS = {
    0: {SIZE},
    4: {"scf.for"},
    7: {"scf.while", "tensor.from_elements"},
    9: {BRANCH},
    15: {PARTS},
    16: {GATHER},
    17: {"linalg.matmul"},
    21: {TILE},
    22: {"tensor.concat"},
    23: {"cf.assert"},
    24: {"spyrelang.print"},
}


@pytest.mark.parametrize(("profile", "rows"), [("scheduler-v1", V1), ("ours", OURS)])
def test_every_construct_at_its_line(profile: str, rows: dict[int, set[str]]) -> None:
    """Nothing hides behind what was found before it; what is accepted is not listed."""
    specs = [spyre.spec((8, 64), "f16"), spyre.spec(4, "i32"), spyre.spec((8, 64), "f16")]
    found = spyre.kernel(every_row, grid=(1, 2)).compile(*specs, n=None, profile=profile).profile
    assert found is not None
    listed: dict[int, set[str]] = {}
    for v in found.violations:
        assert v.location is not None
        row = v.location.line - every_row.__code__.co_firstlineno
        listed.setdefault(row, set()).add(v.construct)
    scalars = {"arith.constant", "arith.cmpi", "arith.trunci", "arith.index_cast"}
    told_apart = {row: names - scalars for row, names in listed.items()}
    assert {row: names for row, names in told_apart.items() if names} == rows


def test_the_interpreter_takes_all_of_them() -> None:
    specs = [spyre.spec((8, 64), "f16"), spyre.spec(4, "i32"), spyre.spec((8, 64), "f16")]
    found = spyre.kernel(every_row, grid=(1, 2)).compile(*specs, n=None, profile="interpreter")
    assert found.profile is not None
    assert found.profile.ok, str(found)


def test_reshapes_that_our_scheduler_has_no_rule_for() -> None:
    compute = (
        f"%y = tensor.collapse_shape %x [[0, 1]] : {T} into tensor<512xf16>\n"
        f"%z = tensor.expand_shape %y [[0, 1]] output_shape [8, 64] : tensor<512xf16> into {T}\n"
        f"%r = arith.addf %z, %x : {T}"
    )
    found = spyre.load_ktir(text(compute)).compile(profile="ours").profile
    assert found is not None
    constructs = [v.construct for v in found.violations]
    assert constructs == ["tensor.collapse_shape", "tensor.expand_shape"]


def test_bodies_of_our_scheduler() -> None:
    position = "%i = linalg.index 0 : index\n%j = arith.index_cast %i : index to i32\n"
    for body, wanted in (
        ("%y = math.tanh %p : f16", []),
        (position + "%y = arith.sitofp %j : i32 to f16", ["linalg.index", "arith.index_cast"]),
    ):
        found = spyre.load_ktir(text(generic(body))).compile(profile="ours").profile
        assert found is not None
        assert [v.construct for v in found.violations] == wanted


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_public_scheduler_refuses(case: str) -> None:
    compute, construct, line, reason = REFUSED[case]
    found = spyre.load_ktir(text(compute)).compile(profile="scheduler-v1").profile
    assert found is not None
    assert not found.ok
    (violation,) = found.violations
    assert violation.construct == construct
    assert reason in violation.reason
    assert violation.location is not None
    assert violation.location.line == line
    error = violation.error("scheduler-v1")
    assert error.code == "SPY460"
    assert "^" in error.render()


@pytest.mark.parametrize("profile", ["interpreter", "scheduler-v1"])
def test_grids_of_more_axes_than_there_are(profile: str) -> None:
    """The interpreter's own reading of the grid decides."""
    module = spyre.load_ktir(text(f"%r = math.exp %x : {T}", "[1, 1, 1, 1]"))
    found = module.compile(profile=profile).profile
    assert found is not None
    (violation,) = (v for v in found.violations if v.construct == "grid")
    assert "one to three" in violation.reason


def test_everything_is_listed() -> None:
    both = LOOP.replace("%r", "%s").replace("%b", "%w") + f"\n%r = math.exp %s : {T}"
    module = spyre.load_ktir(text(both, "[1, 1]"))
    found = module.compile(profile="scheduler-v1").profile
    assert found is not None
    assert [v.construct for v in found.violations] == ["grid", "scf.for", "math.exp"]
    printed = str(module.compile(profile="scheduler-v1"))
    assert printed.startswith("profile scheduler-v1 refuses 3 constructs of 'k'")
    assert "<text>:8:" in printed
    assert [row["line"] for row in json.loads(found.to_json())["violations"]] == [1, 8, 12]


def test_what_fits() -> None:
    module = spyre.load_ktir(text(ADD))
    for profile in ("scheduler-v1", "ours", "interpreter"):
        found = module.compile(profile=profile).profile
        assert found is not None
        assert found.ok, str(found)
        assert str(found) == f"'k' fits profile {profile}"
    assert module.compile().profile is None


def test_compiling_for_a_profile_still_runs() -> None:
    compiled = spyre.load_ktir(text(ADD)).compile(profile="interpreter")
    x, o = np.ones((8, 64), np.float16), np.empty((8, 64), np.float16)
    compiled.run({"x_ptr": x, "o_ptr": o}, engine="ktir")
    np.testing.assert_array_equal(o, 2 * x)


def test_what_our_scheduler_refuses() -> None:
    compute = f"%y = tensor.collapse_shape %x [[0, 1]] : {T} into tensor<512xf16>\n" + (
        f"%s = scf.while (%a = %x) : ({T}) -> {T} {{\n%t = arith.constant false\n"
        f"scf.condition(%t) %a : {T}\n}} do {{\n^bb0(%a: {T}):\nscf.yield %a : {T}\n}}\n"
        "%t = ktdp.get_compute_tile_id : index\n"
        f"%r = arith.addf %s, %s : {T}"
    )
    found = spyre.load_ktir(text(compute)).compile(profile="ours").profile
    assert found is not None
    assert any(v.construct == "scf.while" and v.location is not None for v in found.violations)


def test_what_the_interpreter_refuses() -> None:
    compute = f'%r = "other.op"(%x) : ({T}) -> {T}'
    found = spyre.load_ktir(text(compute)).compile(profile="interpreter").profile
    assert found is not None
    assert [(v.construct, v.location.line if v.location else 0) for v in found.violations] == [
        ("other.op", 8)
    ]


def test_unknown_profiles() -> None:
    with pytest.raises(ValueError, match=r"SPY461.*scheduler-v1, ours, interpreter"):
        spyre.load_ktir(text(ADD)).compile(profile="v1")


@spyre.kernel
def doubled(x: spy.In, out: spy.Out):
    out[:, :] = spy.exp(x[:, :]) + x[:, :]


def test_python_kernels_name_their_own_lines() -> None:
    spec = spyre.spec((4, 64), "f16")
    found = doubled.compile(spec, spec, profile="scheduler-v1").profile
    assert found is not None
    for violation in found.violations:
        assert violation.location is not None
        assert violation.location.file.endswith("test_profiles.py")
    assert doubled.compile(spec, spec).profile is None  # although it comes from the cache


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(text(LOOP))
    assert main(["compile", str(path), "--profile", "scheduler-v1"]) == 1
    assert "k.mlir:8:" in capsys.readouterr().out
    path.write_text(text(ADD))
    assert main(["compile", str(path), "--profile", "scheduler-v1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
