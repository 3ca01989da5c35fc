"""What `spyrelang explain` shows as an example of a mistake in a kernel is that mistake."""

from __future__ import annotations

import importlib.util
import re
import textwrap
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import spyrelang as spyre
from spyrelang import ir
from spyrelang.errors import CATALOGUE, load_catalogue

load_catalogue()
HEAD = """
import math
import numpy as np
import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


"""
ARRAYS = {
    "x": np.ones((8, 64), np.float16),
    "y": np.ones((8, 64), np.float16),
    "rows": np.arange(8, dtype=np.int32),
    "columns": np.arange(8, dtype=np.int32),
    "out": np.zeros((8, 64), np.float16),
}
# Two kernels, the top of a file, and a size that only the call knows.
ELSEWHERE = {"SPY200", "SPY208", "SPY268"}
CODES = sorted(c for c in CATALOGUE if "SPY200" <= c < "SPY300" and c not in ELSEWHERE)
BODIES = [c for c in CODES if not "SPY260" <= c < "SPY267" and not "SPY270" <= c < "SPY289"]
CALLS = [c for c in CODES if "SPY270" <= c < "SPY286" and c != "SPY284"]


def loaded(text: str, folder: Path) -> ModuleType:
    """A file of an author; in a file, because only there the source can be read."""
    path = folder / "example.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raised(run: object) -> set[str]:
    """The codes of the error and of the warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            run()  # type: ignore[operator]
        except spyre.SpyreError as error:
            return {error.code}
    return {w.message.code for w in warned if isinstance(w.message, spyre.SpyreWarning)}


@pytest.mark.parametrize("code", BODIES)
def test_in_a_kernel(code: str, tmp_path: Path) -> None:
    example = re.sub(r" …$", "\n    pass", CATALOGUE[code].example)
    if not example.startswith(("def ", "@")):
        given = "v = spy.load(x[:, :])\ni = spy.tile_id()\na = v\nmask = v > 0\nleft = right = x\n"
        body = textwrap.indent(given + example, "    ")
        example = (
            f"def k(x: spy.In, y: spy.In, rows: spy.In, columns: spy.In, out: spy.Out):\n{body}"
        )
    if not example.startswith("@"):
        example = f"@spyre.kernel(grid={3 if 'on 3 tiles' in example else 2})\n{example}"
    kernel = loaded(example + "\n", tmp_path).k
    arrays = {p.name: ARRAYS[p.name].copy() for p in kernel.signature.parameters}
    if "y f32" in example:
        arrays["y"] = arrays["y"].astype(np.float32)
    assert code in raised(lambda: kernel(**arrays, engine="ktir")), example


@pytest.mark.parametrize("code", CALLS)
def test_in_a_call(code: str, tmp_path: Path) -> None:
    call, _, declared = CATALOGUE[code].example.partition("   # ")
    declared = declared or "def add(x: spy.In, y: spy.In, out: spy.Out)"
    declared = declared.replace("…", "out: spy.Out")
    module = loaded(f"@spyre.kernel\n{declared}:\n    pass\n", tmp_path)
    names = {**vars(module), **{n: a.copy() for n, a in ARRAYS.items()}}
    assert raised(lambda: eval(call, names)) == {code}, call


@pytest.mark.parametrize("code", [c for c in CODES if "SPY260" <= c < "SPY267"])
def test_in_a_declaration(code: str, tmp_path: Path) -> None:
    example = re.sub(r" …$", "\n    pass", CATALOGUE[code].example)
    if example.startswith("def "):
        example = f"@spyre.kernel\n{example}"
    elif example.startswith("@"):
        example = f"{example}\ndef k(x: spy.In, out: spy.Out):\n    pass"
    assert raised(lambda: loaded(example + "\n", tmp_path)) == {code}, example


TEXT = """#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @f(%u: index, %t: tensor<64xf16>, %a: vector<64xf16>, %b: f16, %c0: index) {
  @EXAMPLE@
  return
}
"""
# Files, and what only a run meets.
NO_TEXT = {"SPY104", "SPY105", "SPY111", "SPY112"}


@pytest.mark.parametrize("code", sorted(c for c in CATALOGUE if c < "SPY200" and c not in NO_TEXT))
def test_in_a_text(code: str) -> None:
    example = CATALOGUE[code].example.replace("((((…))))", "(" * 250)
    if example.startswith("!"):
        example = f"func.func private @g({example.partition('   //')[0]})\n"
    if example.startswith("#"):
        example = f"attributes {{a = {example}}}"
    if example.startswith("attributes"):
        example = f"func.func private @g() {example}\n"
    text = example if example.startswith("func") else TEXT.replace("@EXAMPLE@", example)
    if code == "SPY126":
        region = f"dataflow.program_unit iter_arg : %z -> (%u) : {{\n{example}\n}}"
        text = TEXT.replace("@EXAMPLE@", region)
    if "%v[" in text:
        text = text.replace("%c0: index", "%c0: index, %v: memref<64xf16>")
    elif "%v" in text and code != "SPY126":
        text = text.replace("%c0: index", "%c0: index, %v: vector<64xf16>")
    with pytest.raises(spyre.SpyreError) as caught:
        ir.parse(text)
    assert caught.value.code == code, text
