"""Bad input of every kind: its own code, the place with a caret, a fix. Golden files hold the text.

`SPYRELANG_UPDATE_GOLDEN=1 pytest tests/errors` writes them anew.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bad_kernels as bad
import numpy as np
import pytest

import spyrelang as spyre

TWO = """
func.func @one(%a: index) attributes {grid = [1]} { return }
func.func @two(%a: index) attributes {grid = [1]} { return }
"""
GOLDEN = Path(__file__).parent / "golden"
TEXT = (GOLDEN.parents[1] / "data" / "add.mlir").read_text()


FIXED = np.ones((96, 64), np.float16)
FIXED.flags.writeable = False


def ones(*shape: int, dtype: Any = np.float16) -> np.ndarray:
    return np.ones(shape, dtype)


def both(kernel: Any, *shape: int, **options: Any) -> Callable[[], object]:
    """Call a kernel with one input and one output of a shape."""
    return lambda: kernel(ones(*shape), ones(*shape), **options)


def text(old: str, new: str) -> Callable[[], object]:
    """Load the text with a mistake in it."""
    assert old in TEXT, old
    return lambda: spyre.load_ktir(TEXT.replace(old, new)).compile().executable


def run_text(**arguments: Any) -> Callable[[], object]:
    return lambda: spyre.load_ktir(TEXT).run(arguments)


CASES: dict[str, Callable[[], object]] = {
    # the call
    "shapes_by_name": lambda: bad.add(ones(3, 64), ones(4, 64), ones(3, 64)),
    "rank_by_name": lambda: bad.add(ones(3, 64), ones(64), ones(3, 64)),
    "dtype_of_argument": lambda: bad.typed(ones(3, 64, dtype=np.float32), ones(3, 64)),
    "missing_argument": lambda: bad.add(ones(3, 64), ones(3, 64)),
    "unknown_argument": lambda: bad.add(ones(3, 64), ones(3, 64), out=ones(3, 64), outt=1),
    "not_an_array": lambda: bad.add(ones(3, 64), "y", ones(3, 64)),
    "grid_too_large": both(bad.past_the_end, 200, 64, grid=64),
    "grid_of_zero": both(bad.past_the_end, 12, 64, grid=0),
    "unknown_device": both(bad.typed, 3, 64, device="spire"),
    "unknown_engine": both(bad.typed, 3, 64, engine="quick"),
    # the body
    "shapes_in_an_expression": lambda: bad.any_add(ones(3, 64), ones(4, 64), ones(3, 64)),
    "dtypes_in_an_expression": lambda: bad.any_add(
        ones(3, 64), ones(3, 64, dtype=np.int32), ones(3, 64)
    ),
    "rank_of_subscript": both(bad.rank, 3, 64),
    "shape_of_store": both(bad.wrong_tile, 3, 64),
    "tile_past_its_view": both(bad.past_the_end, 11, 64),
    "branch_on_a_value": both(bad.branch, 3, 64),
    "branch_on_the_tile": both(bad.branch_on_tile, 3, 64),
    "range_of_a_traced_value": both(bad.python_range, 3, 64),
    "traced_value_as_integer": both(bad.as_integer, 3, 64),
    "view_in_arithmetic": both(bad.view_arithmetic, 3, 64),
    "step_of_a_slice": both(bad.stepped, 4, 64),
    "negative_index": both(bad.negative, 4, 64),
    "pinned_data_too_large": both(bad.too_much_scratchpad, 3, 1024),
    "tile_too_large": lambda: bad.whole_tensor_in_place(ones(2048, 2048)),
    # texts
    "unknown_op": text("linalg.add ins", "linalg.addd ins"),
    "unknown_op_of_ours": text("ktdp.load %tx", "ktdp.lod %tx"),
    "malformed_text": text("func.func @add(", "func.func @add "),
    "undefined_value": text("ktdp.load %tx", "ktdp.load %tz"),
    "type_mismatch": text("-> tensor<3x64xf16>\n    %b", "-> tensor<4x64xf16>\n    %b"),
    "unclosed_text": lambda: spyre.load_ktir(TEXT[: TEXT.rindex("return")]),
    "missing_file": lambda: spyre.load_ktir("no_such_file.mlir"),
    "tile_set_of_text": text("-d0 + 2 >= 0", "-d0 + 1 >= 0"),
    "grid_of_text": text("grid = [32]", "grid = [64]"),
    "no_such_kernel": lambda: spyre.load_ktir(TEXT)["sub"],
    # the launch
    "launch_unknown_name": run_text(x=ones(96, 64), y=ones(96, 64), output=ones(96, 64)),
    "launch_short_array": run_text(x=ones(96, 64), y=ones(95, 64), out=ones(96, 64)),
    "launch_dtype": run_text(x=ones(96, 64), y=ones(96, 64, dtype=np.float32), out=ones(96, 64)),
    "launch_missing": run_text(x=ones(96, 64), out=ones(96, 64)),
    "launch_read_only": run_text(x=ones(96, 64), y=ones(96, 64), out=FIXED),
    "several_kernels": lambda: spyre.load_ktir(TWO).run({}),
    "layout_of_a_view": text("strides: [64, 1]", "strides: [64, -1]"),
    # stages
    "unknown_stage": lambda: spyre.resume("plced", TEXT),
    "text_of_another_stage": lambda: spyre.resume("explored", TEXT),
    "missing_artifact": lambda: spyre.runtime.prepare("no_such_directory"),
}  # fmt: skip


def normalised(message: str) -> str:
    """Paths without their directories, addresses of objects blanked."""
    message = re.sub(r"(?<![\w<])(?:/[\w.\-]+)+/([\w.\-]+)", r"\1", message)
    return re.sub(r"0x[0-9a-f]{9,}", "0x…", message) + "\n"


def compare(name: str, message: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SPYRELANG_UPDATE_GOLDEN"):
        path.write_text(message)
    assert path.exists(), f"no golden file for {name}:\n{message}"
    assert message == path.read_text()


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(spyre.SpyreError) as caught:
            CASES[name]()
    error = caught.value
    assert error.code not in ("SPY900", "SPY000"), str(error)
    assert error.hint, str(error)
    compare(name, normalised(error.render()))


def test_codes_tell_the_cases_apart() -> None:
    """Different mistakes have different codes, but for those that are the same mistake."""
    codes: dict[str, list[str]] = {}
    for path in sorted(GOLDEN.glob("*.txt")):
        found = re.match(r"(?:error|warning)\[(SPY\d+)\]", path.read_text())
        assert found, path
        codes.setdefault(found[1], []).append(path.stem)
    shared = [names for names in codes.values() if len(names) > 3]
    assert not shared, shared


def test_places_have_carets() -> None:
    """Whatever happens in a kernel or a text is shown with its line."""
    without = (
        "launch_",
        "unknown_",
        "missing_",
        "not_an",
        "no_such",
        "grid_",
        "pinned",
        "unclosed",
    )
    for path in sorted(GOLDEN.glob("*.txt")):
        if not path.stem.startswith(without):
            assert "^" in path.read_text(), path.read_text()


def test_rows_that_no_tile_covers_are_named() -> None:
    with pytest.warns(spyre.SpyreWarning) as caught:
        bad.rows_left_over(ones(11, 64), np.zeros((11, 64), np.float16))
    (warning,) = [w.message for w in caught if isinstance(w.message, spyre.SpyreWarning)]
    compare("rows_left_over", normalised(str(warning)))
    assert "9" in str(warning)


def test_a_kernel_that_stores_nothing() -> None:
    with pytest.warns(spyre.SpyreWarning) as caught:
        bad.forgotten(ones(3, 64), np.zeros((3, 64), np.float16))
    messages = [str(w.message) for w in caught if isinstance(w.message, spyre.SpyreWarning)]
    compare("forgotten", normalised("\n".join(messages)))


def test_a_name_that_is_not_in_the_language() -> None:
    with pytest.raises(AttributeError, match="cosh"):
        bad.unknown_name(ones(3, 64), ones(3, 64))


def test_a_flipped_byte_anywhere_in_an_artifact(tmp_path: Path) -> None:
    folder = bad.typed.export(tmp_path / "a.spyrecode", ones(3, 64), ones(3, 64))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(files) >= 3
    codes: set[str] = set()
    for path in files:
        original = path.read_bytes()
        step = max(1, len(original) // 150)
        for at in [*range(0, len(original), step), len(original) - 1]:
            for bit in (0, 5):
                flipped = bytearray(original)
                flipped[at] ^= 1 << bit
                path.write_bytes(bytes(flipped))
                with pytest.raises(spyre.SpyreError) as caught:
                    spyre.runtime.prepare(folder)
                codes.add(caught.value.code)
        for damaged in (original[:-1], original + b"\0", b""):
            path.write_bytes(damaged)
            with pytest.raises(spyre.SpyreError):
                spyre.runtime.prepare(folder)
        path.unlink()
        with pytest.raises(spyre.SpyreError):
            spyre.runtime.prepare(folder)
        path.write_bytes(original)
    assert all(code.startswith(("SPY6", "SPY55")) for code in codes), codes
    out = np.zeros((3, 64), np.float16)
    spyre.runtime.prepare(folder).launch(ones(3, 64), out)
    assert (out == 2).all()
