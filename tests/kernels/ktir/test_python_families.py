"""The shipped kernels of transformers in engine "ktir": at odd sizes, in several types, and read
back from their own text, which gives the same bits."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import spyrelang as spyre

KERNELS = Path(__file__).resolve().parents[3] / "kernels"

f16, f32 = np.float16, np.float32
FLOATS = (f16, bfloat16, f32)

SIZES: dict[str, list[dict[str, int]]] = {
    "layer_norm.layer_norm": [
        {"rows": 97, "columns": 65},
        {"rows": 33, "columns": 1},
        {"rows": 151, "columns": 1024},
    ],
    "layer_norm.layer_norm_long": [
        {"rows": 5, "columns": 4097},
        {"rows": 3, "columns": 65},
        {"rows": 2, "columns": 512},
    ],
    "rms_norm.rms_norm": [{"rows": 97, "columns": 1}, {"rows": 32, "columns": 4096}],
    "rms_norm.rms_norm_sharded": [{"rows": 2, "columns": 2}, {"rows": 64, "columns": 4096}],
    "rope.rope": [
        {"tokens": 9, "heads": 2, "width": 2},
        {"tokens": 3, "heads": 5, "width": 130},
        {"tokens": 40, "heads": 8, "width": 128},
    ],
    "rope.mrope": [
        {"tokens": 3, "heads": 1, "width": 16},
        {"tokens": 17, "heads": 4, "width": 128},
    ],
    "embedding.embedding": [
        {"tokens": 1, "words": 1, "width": 1},
        {"tokens": 130, "words": 3000, "width": 8},
    ],
    "kv_cache.kv_cache": [
        {"tokens": 1, "heads": 1, "width": 1},
        {"tokens": 40, "heads": 3, "width": 65, "pages": 9, "size": 7},
    ],
    "paged_attention.paged_attention": [
        {"batch": 8, "heads": 8, "width": 128, "longest": 64, "pages": 32},
        {"batch": 3, "heads": 1, "width": 65, "longest": 1},
        {"batch": 2, "heads": 2, "width": 1, "longest": 17, "size": 3},
    ],
    "split_k.split_k": [
        {"m": 2, "k": 4, "n": 1},
        {"m": 128, "k": 2048, "n": 65},
    ],
    "merge_states.merge_states": [
        {"tokens": 3, "heads": 2, "width": 1},
        {"tokens": 64, "heads": 8, "width": 128},
    ],
    "split_kv.split_kv": [
        {"batch": 1, "heads": 1, "splits": 1, "width": 1},
        {"batch": 9, "heads": 8, "splits": 16, "width": 128},
    ],
    "ffn.ffn": [
        {"rows": 97, "width": 64, "hidden": 256},
        {"rows": 1, "width": 1, "hidden": 65},
        {"rows": 12, "width": 128, "hidden": 32},
    ],
    "batched_matmul.batched_matmul": [
        {"batch": 1, "m": 1, "k": 1, "n": 1},
        {"batch": 6, "m": 64, "k": 128, "n": 65},
    ],
    "batched_matmul.batched_matmul_transposed": [
        {"batch": 4, "m": 3, "k": 1, "n": 8},
        {"batch": 6, "m": 64, "k": 129, "n": 65},
    ],
    "log_softmax.log_softmax": [
        {"rows": 3, "columns": 1, "top": 1},
        {"rows": 5, "columns": 1024, "top": 3},
        {"rows": 2, "columns": 9001, "top": 1},
    ],
    "ring_all_reduce.ring_all_reduce": [{"columns": 1}, {"columns": 4097}],
    "ranks.ranks": [{"rows": 3, "columns": 1}, {"rows": 5, "columns": 2048}],
}

CASES = [(name, sizes) for name, listed in SIZES.items() for sizes in listed]
IDS = [f"{name.partition('.')[2]}-{'x'.join(map(str, s.values()))}" for name, s in CASES]


def shipped(name: str) -> tuple[Any, Any]:
    """A kernel and the function that makes its recipe."""
    file, _, kernel = name.partition(".")
    spec = importlib.util.spec_from_file_location(f"family_{file}", KERNELS / f"{file}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel), module.CHECKS[kernel]


@pytest.mark.parametrize(("name", "sizes"), CASES, ids=IDS)
def test_family(name: str, sizes: dict[str, int]) -> None:
    kernel, recipe = shipped(name)
    typed = "dtype" in recipe.__code__.co_varnames or name.endswith("_transposed")
    for seed, dtype in enumerate(FLOATS if typed else (None,)):
        made = recipe(**sizes, seed=seed, **({"dtype": dtype} if typed else {}))
        result = spyre.check(kernel, **{**made, "stages": ["ktir"]})
        assert result.ok, f"{dtype} {result}"
        assert not result.notes, str(result)
        same_bits(kernel, made)


def arguments(kernel: Any, recipe: dict[str, Any]) -> dict[str, np.ndarray]:
    """The arrays of one call: outputs have the declared type, or that of the reference (of the
    first input, where numpy computed a wider one)."""
    inputs = recipe["inputs"]
    with np.errstate(all="ignore"):
        found = recipe["ref"](*(a.copy() for a in inputs))
    given, wanted = iter(inputs), iter(found if isinstance(found, tuple) else (found,))
    arrays: dict[str, np.ndarray] = {}
    for p in kernel.signature.parameters:
        want = next(wanted) if p.kind == "tensor" and p.role != "in" else None
        if p.role != "out" and p.kind == "tensor":
            arrays[p.name] = next(given)
        elif p.kind == "tensor":
            known = want.dtype in [a.dtype for a in inputs]
            dtype = want.dtype if known else inputs[0].dtype
            arrays[p.name] = np.zeros(want.shape, p.dtype.numpy if p.dtype else dtype)
    return arrays


def same_bits(kernel: Any, recipe: dict[str, Any]) -> None:
    """The kernel, and its own KTIR read back, fill the outputs alike; where there is f16, also as
    DLFloat16."""
    arrays = arguments(kernel, recipe)
    text = str(kernel.ir("ktir", **arrays))
    narrow = any(a.dtype == np.float16 for a in arrays.values())
    for numerics in ("ieee", "df16") if narrow else ("ieee",):
        once, again = ({n: a.copy() for n, a in arrays.items()} for _ in "ab")
        kernel(**once, engine="ktir", numerics=numerics)
        spyre.load_ktir(text).run(again, engine="ktir", numerics=numerics)
        for key, array in once.items():
            assert array.tobytes() == again[key].tobytes(), f"{numerics} {key}"
