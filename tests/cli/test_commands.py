"""The command line: each subcommand on real files, exit codes, what `--help` imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spyrelang.cli.main import main

KERNELS = """
import numpy as np
import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel(grid=2)
def add(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    n = x.shape[0] // 2
    r = spy.tile_id() * n
    out[r : r + n, :] = spy.load(x[r : r + n, :]) + spy.load(y[r : r + n, :])


@spyre.kernel
def double(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
    v = spy.load(x[:, :])
    out[:, :] = v + v


_X = np.arange(256, dtype=np.float16).reshape(4, 64)
CHECKS = {
    "double": {"ref": lambda x: x + x, "inputs": [_X]},
    "add": lambda: {"ref": lambda x, y: x - y, "inputs": [_X, _X]},
}
"""
REDUCING = """import numpy as np
import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel
def total(x: spy.In, out: spy.Out[4]):
    out[:] = spy.sum(x[:, :], axis=1)


@spyre.kernel
def double(x: spy.In[4, 64], out: spy.Out[4, 64]):
    out[:, :] = x[:, :] * 2


_X = np.ones((4, 64), np.float16)
CHECKS = {
    "total": {"ref": lambda x: x.sum(1), "inputs": [_X]},
    "double": {"ref": lambda x: x + x, "inputs": [_X]},
}
"""
SPECS = [f"--spec={name}=f16[6,100]" for name in ("x", "y", "out")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    rng = np.random.default_rng(0)
    for name in ("x", "y"):
        np.save(tmp_path / f"{name}.npy", rng.standard_normal((6, 100)).astype(np.float16))
    return tmp_path


def arrays(folder: Path) -> list[str]:
    return [
        f"--arg=x={folder / 'x.npy'}",
        f"--arg=y={folder / 'y.npy'}",
        f"--out=out=f16[6,100]:{folder / 'out.npy'}",
    ]


def expected(folder: Path) -> np.ndarray:
    return np.load(folder / "x.npy") + np.load(folder / "y.npy")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from spyrelang.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'mlir', 'numpy', 'rich', 'islpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "export" in done.stdout


def test_ir_prints_the_stage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ir", f"{folder}/kernels.py:add", "--stage=placed", *SPECS]) == 0
    text = capsys.readouterr().out
    assert "builtin.unrealized_conversion_cast" in text
    assert "affine_map<()[s0] -> (s0 * 3, 0)>" in text, "brackets are no markup"


@pytest.mark.parametrize(
    "stage", ["ktir", "programs", "pipeline", "routed", "nested", "explored", "placed", "dataflow"]
)
def test_text_of_every_stage_runs(
    folder: Path, stage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / f"{stage}.mlir"
    command = ["compile", f"{folder}/kernels.py:add", "--stage", stage, "-o", str(file), *SPECS]
    assert main(command) == 0
    assert main(["run", str(file), *arrays(folder)]) == 0
    assert "cycles" in capsys.readouterr().out
    assert np.array_equal(np.load(folder / "out.npy"), expected(folder))


def test_run_a_kernel_in_each_engine(folder: Path) -> None:
    for engine in ("ktir", "fast", "checked"):
        command = ["run", f"{folder}/kernels.py:add", "--engine", engine, *arrays(folder)]
        assert main(command) == 0
        assert np.array_equal(np.load(folder / "out.npy"), expected(folder))


def test_run_what_only_the_interpreter_can(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
@spyre.kernel
def total(x: spy.In, out: spy.Out):
    spy.print_("rows", x.shape[0])
    out[:] = spy.sum(x[:, :], axis=1)
"""
    (folder / "kernels.py").write_text(KERNELS + text)
    out = folder / "out.npy"
    options = [f"--arg=x={folder / 'x.npy'}", f"--out=out=f16[6]:{out}", "--engine=ktir", "--json"]
    assert main(["run", f"{folder / 'kernels.py'}:total", *options]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"kernel": "total", "cycles": 0}
    assert "tile 0: rows 6" in said.err
    x = np.load(folder / "x.npy").astype(np.float32)
    np.testing.assert_array_equal(np.load(out), x.sum(1).astype(np.float16))


def test_export_and_launch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    artifact = folder / "add.spyrecode"
    assert main(["export", f"{folder}/kernels.py:add", "-o", str(artifact), *SPECS]) == 0
    assert main(["launch", str(artifact), "--json", *arrays(folder)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["kernel"] == "add"
    assert np.array_equal(np.load(folder / "out.npy"), expected(folder))
    assert main(["ir", str(artifact), "--stage", "spyrecode"]) == 0


def test_check_finds_the_wrong_kernel(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{folder}/kernels.py:double"]) == 0
    assert "double: ok" in capsys.readouterr().out
    assert main(["check", f"{folder}/kernels.py"]) == 1
    assert "add: WRONG" in capsys.readouterr().out


def test_check_of_a_kernel_that_cannot_be_scheduled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It runs in engine ktir; elsewhere it is refused, and the others are looked at."""
    file = tmp_path / "two.py"
    file.write_text(REDUCING)
    assert main(["check", str(file), "--engine", "ktir"]) == 0
    assert capsys.readouterr().out.count(": ok") == 2
    assert main(["check", str(file)]) == 1
    said = capsys.readouterr().out
    assert "total: does not run" in said
    assert "error[SPY401]" in said
    assert "double: ok" in said


def test_trace_and_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = folder / "trace.json"
    command = ["trace", f"{folder}/kernels.py:add", "-o", str(trace), *arrays(folder)]
    assert main(command) == 0
    events = json.loads(trace.read_text())["traceEvents"]
    assert any(event.get("ph") == "X" and event["dur"] >= 0 for event in events)
    assert main(["report", f"{folder}/kernels.py:double"]) == 0
    assert "staging buffers" in capsys.readouterr().out
    assert main(["report", f"{folder}/kernels.py:double", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["kernel"] == "double"


def test_device_explain_env(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["device", "sample_device"]) == 0
    assert "L1LU" in capsys.readouterr().out
    assert main(["explain", "spy441"]) == 0
    assert "fix" in capsys.readouterr().out
    assert main(["explain", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 100
    assert main(["env", "--json"]) == 0
    assert "SPYRELANG_DEVICE" in json.loads(capsys.readouterr().out)["settings"]


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (["explain", "SPY000"], "SPY855", 2),
        (["ir", "missing.py:add"], "SPY852", 2),
        (["ir", "kernels.py:nothing"], "SPY854", 2),
        (["ir", "kernels.py"], "SPY854", 2),
        (["ir", "kernels.py:double", "--grid", "many"], "SPY850", 2),
        (["ir", "kernels.py:add", "--spec", "x"], "SPY850", 2),
        (["ir", "kernels.py:add", "--spec", "x=f16(3)"], "SPY850", 2),
        (["ir", "kernels.py:double", "--stage", "plced"], "SPY820", 2),
        (["run", "kernels.py:double", "--arg", "x=none.npy"], "SPY851", 2),
        (["run", "kernels.py:double", "--out", "out=f16[4,64]"], "SPY850", 2),
        (["compile", "kernels.py:double", "-o", "no/where.mlir"], "SPY856", 2),
        (["check", "plain.py"], "SPY857", 2),
        (["ir", "broken.py:add"], "SPY853", 2),
        (["ir", "bad.mlir"], "SPY1", 1),
    ],
)
def test_refusals(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: str,
    exit_code: int,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "plain.py").write_text("x = 1\n")
    (folder / "broken.py").write_text("import nothing_of_this_name\n")
    (folder / "bad.mlir").write_text("module {\n  func.func @f( {\n}\n")
    assert main(words) == exit_code
    error = capsys.readouterr().err
    assert f"error[{code}" in error
    assert "Traceback" not in error
    assert "fix: " in error


def test_no_command_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "COMMAND" in capsys.readouterr().out
