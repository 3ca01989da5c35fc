"""Exceptions that no input should be able to cause become SPY900 with a file that repeats them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
from spyrelang import settings
from spyrelang.errors.text import MALFORMED

TEXT = """
#all = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#id = affine_map<(d0) -> (d0)>
module {
  func.func @f(%a: index {spyrelang.name = "x", spyrelang.role = "inout"}) attributes {grid = [1]} {
    %z = arith.constant 0 : index
    %v = ktdp.construct_memory_view %a, sizes: [8], strides: [1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<global>} : memref<8xf16>
    %t = ktdp.construct_access_tile %v[%z] {access_tile_set = #all, access_tile_order = #id}
      : memref<8xf16> -> !ktdp.access_tile<8xindex>
    %d = ktdp.load %t : <8xindex> -> tensor<8xf16>
    ktdp.store %d, %t : tensor<8xf16>, <8xindex>
    return
  }
}
"""
PLACES = {
    "read": "spyrelang.ir.parse_file",
    "check": "spyrelang.interp.check",
    "demands": "spyrelang.interp.demands",
    "compile": "spyrelang.interp.compile",
    "run": "spyrelang.interp.program.run",
    "load": "spyrelang.interp.tiles.BoxTile.load",
}


def use(path: Path) -> Any:
    """All that is done with a KTIR file."""
    loaded = spyre.load_ktir(path)
    return loaded.run({"x": np.zeros(8, np.float16)}, engine="ktir")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.mlir"
    path.write_text(TEXT)
    return path


def failing(
    where: str, error: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch
) -> BaseException:
    """What comes out when a function of ours raises something."""

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    use(path)
    monkeypatch.setattr(PLACES[where], fail)
    with settings.override(dump=path.parent):
        try:
            use(path)
        except BaseException as found:  # what must pass includes KeyboardInterrupt
            return found
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("where", PLACES)
def test_bugs_leave_a_reproducer(where: str, kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bug = failing(where, KeyError("lost"), kernel, monkeypatch)
    assert isinstance(bug, spyre.SpyreError)
    assert bug.code == "SPY900"
    assert "KeyError: 'lost'" in bug.message
    assert isinstance(bug.__cause__, KeyError)
    found = re.search(r"reproducer: (\S+)", str(bug))
    assert found is not None, str(bug)
    text = Path(found[1]).read_text()
    assert "// KeyError: 'lost'" in text
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        use(Path(found[1]))  # the file is the kernel


def test_a_bug_in_a_run_names_the_op(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bug = failing("load", ValueError("shapes"), kernel, monkeypatch)
    assert isinstance(bug, spyre.SpyreError)
    assert bug.location is not None
    assert (
        bug.location.line
        == TEXT.split("\n").index("    %d = ktdp.load %t : <8xindex> -> tensor<8xf16>") + 1
    )


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(
    "make",
    [
        lambda: MALFORMED.error(message="refused"),
        KeyboardInterrupt,
        lambda: SystemExit(3),
        lambda: BrokenPipeError("gone"),
        lambda: spyre.SpyreWarning("warning[SPY563]: found"),
    ],
)
def test_what_is_no_bug_passes(
    where: str, make: Callable[[], BaseException], kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = make()
    assert failing(where, given, kernel, monkeypatch) is given
    assert list(kernel.parent.iterdir()) == [kernel]
