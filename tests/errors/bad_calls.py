"""Calls and texts with one mistake each; golden files hold what is said about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bad_kernels as bad
import numpy as np

import spyrelang as spyre

TWO = """
func.func @one(%a: index) attributes {grid = [1]} { return }
func.func @two(%a: index) attributes {grid = [1]} { return }
"""
TEXT = (Path(__file__).parents[1] / "data" / "add.mlir").read_text()


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
