"""KTIR files on the command line: kernels no device can run yet, several in a file, addresses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spyrelang.cli.main import main

VIEW = """
    %v{n} = ktdp.construct_memory_view {base}, sizes: [{size}], strides: [1] {{
      coordinate_set = affine_set<(d0){symbol} : (d0 >= 0, {last} - d0 >= 0)>,
      memory_space = #ktdp.memory_space<global>
    }} : memref<{extent}xf32>
    %t{n} = ktdp.construct_access_tile %v{n}[%at] {{
      access_tile_set = affine_set<(d0) : (d0 >= 0, 7 - d0 >= 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>
    }} : memref<{extent}xf32> -> !ktdp.access_tile<8xindex>
"""
KERNEL = """
  func.func @{name}({arguments}) attributes {{grid = [{tiles}]}} {{
    %id = ktdp.get_compute_tile_id : index
    %eight = arith.constant 8 : index
    %at = arith.muli %id, %eight : index
    {views}
    %x = ktdp.load %t0 : <8xindex> -> tensor<8xf32>
    %y = arith.{op} %x, %x : tensor<8xf32>
    ktdp.store %y, %t1 : tensor<8xf32>, <8xindex>
    return
  }}
"""
SIZED = {"size": "%n", "symbol": "[s0]", "last": "s0 - 1", "extent": "?"}
FIXED = {"size": "32", "symbol": "", "last": "31", "extent": "32"}


def views(bases: tuple[str, str], form: dict[str, str]) -> str:
    return "".join(VIEW.format(n=n, base=base, **form) for n, base in enumerate(bases))


def sized(name: str, op: str, tiles: int = 4) -> str:
    return (
        KERNEL.format(
            name=name,
            op=op,
            tiles=tiles,
            arguments="%x: index, %o: index, %n: index",
            views=views(("%x", "%o"), SIZED).replace("%x = ktdp", "%x_ = ktdp"),
        )
        .replace("%x = ktdp.load", "%loaded = ktdp.load")
        .replace("%x, %x :", "%loaded, %loaded :")
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(32, dtype=np.float32))
    return tmp_path


def run(file: str, *more: str) -> int:
    command = ["run", file, "--arg=x=x.npy", "--out=o=f32[32]:o.npy", "--arg=n=32", *more]
    return main([*command, "--engine=ktir"])


def test_a_size_given_at_launch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.mlir").write_text(sized("double", "addf"))
    assert run("k.mlir") == 0
    assert capsys.readouterr().out == "double: engine ktir\n"
    assert np.array_equal(np.load("o.npy"), np.arange(32, dtype=np.float32) * 2)
    assert np.array_equal(np.load("x.npy"), np.arange(32, dtype=np.float32))


def test_one_of_several_kernels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.mlir").write_text("module {" + sized("double", "addf") + sized("sq", "mulf") + "}")
    assert run("k.mlir:sq") == 0
    assert np.array_equal(np.load("o.npy"), np.arange(32, dtype=np.float32) ** 2)
    assert run("k.mlir") == 2
    assert "double, sq" in capsys.readouterr().err
    assert run("k.mlir:none") == 2


def test_findings_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "k.mlir").write_text(sized("double", "addf", tiles=3))
    assert run("k.mlir") == 0
    assert "warning[SPY57" in capsys.readouterr().err


def test_arrays_at_constant_addresses(folder: Path) -> None:
    text = KERNEL.format(
        name="double",
        op="addf",
        tiles=4,
        arguments="",
        views="%a = arith.constant 128 : index\n%b = arith.constant 4096 : index\n"
        + views(("%a", "%b"), FIXED),
    )
    (folder / "k.mlir").write_text(text)
    np.save("o.npy", np.zeros(32, np.float32))
    command = ["run", "k.mlir", "--engine=ktir", "--memory=128=x.npy"]
    assert main([*command, "--memory=4096=o.npy"]) == 0
    assert np.array_equal(np.load("o.npy"), np.arange(32, dtype=np.float32) * 2)
    assert main([*command, "--memory=4096"]) == 2
