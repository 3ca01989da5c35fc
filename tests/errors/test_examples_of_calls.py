"""What `spyrelang explain` shows as an example of a wrong call or command is that mistake."""

from __future__ import annotations

import contextlib
import io
import shlex
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import settings
from spyrelang.cli.main import main
from spyrelang.engines import Options
from spyrelang.errors import CATALOGUE, load_catalogue

load_catalogue()
KERNELS = """
import spyrelang as spyre
import spyrelang.language as spy

@spyre.kernel
def double(x: spy.In, out: spy.Out):
    out[:, :] = x[:, :] * 2
"""
TWO = """
func.func @one(%a: index) attributes {grid = [1]} { return }
func.func @two(%a: index) attributes {grid = [1]} { return }
"""
CALLS = [
    code
    for code in sorted(CATALOGUE)
    if code in ("SPY461", "SPY523", "SPY585", "SPY586", "SPY600", "SPY601", "SPY602")
    or code in ("SPY613", "SPY614", "SPY649", "SPY726", "SPY730", "SPY801", "SPY840")
    or ("SPY700" <= code <= "SPY713")
    or ("SPY720" <= code <= "SPY724")
    or ("SPY820" <= code <= "SPY836")
]
COMMANDS = [code for code in sorted(CATALOGUE) if "SPY850" <= code <= "SPY857"]


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the examples mean by their names; they stand in a folder with some files."""

    @spyre.kernel
    def add(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
        out[:, :] = x[:, :] + y[:, :]

    @spyre.kernel
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2

    monkeypatch.chdir(tmp_path)
    x, y, out = (np.ones((4, 64), np.float16) for _ in range(3))
    compiled = add.compile(x, y, out)
    text = str(compiled.ir("ktir"))
    (tmp_path / "add.mlir").write_text(text)
    (tmp_path / "two.mlir").write_text(TWO)
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "thesis.txt").write_text("")
    p = spyre.runtime.prepare(compiled.export("add.spyrecode"))
    arrays = {"x": x, "y": y, "out": out}
    long, t = np.ones((5, 64), np.float16), spyre.runtime.from_numpy(x)
    return {
        "np": np,
        "as_strided": as_strided,
        "spyre": spyre,
        "settings": settings,
        "Options": Options,
        "add": add,
        "double": double,
        "compiled": compiled,
        "text": text,
        "p": p,
        "t": t,
        "long": long,
        "arrays": arrays,
        **arrays,
    }


@pytest.mark.parametrize("code", CALLS)
def test_a_call(code: str, names: dict[str, Any]) -> None:
    example = CATALOGUE[code].example.partition("   #")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(spyre.SpyreError) as caught:
            exec(example, names)
    assert caught.value.code == code, example


@pytest.mark.parametrize("code", COMMANDS)
def test_a_command(code: str, names: dict[str, Any]) -> None:
    program, *words = shlex.split(CATALOGUE[code].example)
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        assert main(words) != 0
    assert program == "spyrelang"
    assert f"error[{code}]" in printed.getvalue()
    assert names
