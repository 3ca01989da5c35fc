"""The kernels that come with spyrelang, by their own recipes, on every device."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from acceptance import DEVICES, ROOT, THIRD

import spyrelang as spyre

FILES = sorted((ROOT / "kernels").glob("*.py"))


def recipes(path: Path) -> list[tuple[Any, dict[str, Any]]]:
    """The kernels of a file that have a recipe."""
    spec = importlib.util.spec_from_file_location(f"shipped_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = {name: r() if callable(r) else dict(r) for name, r in module.CHECKS.items()}
    return [(getattr(module, name), recipe) for name, recipe in made.items()]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_shipped_kernels(path: Path) -> None:
    found = recipes(path)
    assert found, f"{path.name} has no CHECKS"
    for kernel, recipe in found:
        if recipe.get("stages") == ["ktir"]:
            interpreted(kernel, recipe)
            continue
        for device in DEVICES:
            if device == THIRD and kernel.grid == 32:
                continue  # it has eight cores
            engines = ("fast", "checked") if device == "spyre" else ("fast",)
            for engine in engines:
                options = {"engine": engine, "device": device, "stages": ["ktir", "dataflow"]}
                result = spyre.check(kernel, **{**recipe, **options})
                assert result.ok, str(result)


def interpreted(kernel: Any, recipe: dict[str, Any]) -> None:
    """A recipe that looks at KTIR alone belongs to a kernel that the scheduler refuses."""
    result = spyre.check(kernel, **recipe)
    assert result.ok, str(result)
    assert not result.notes, str(result)
    with pytest.raises(spyre.SpyreError) as refused:
        spyre.check(kernel, **{**recipe, "stages": ["dataflow"]})
    assert refused.value.code.startswith("SPY4"), f"{kernel.name}: {refused.value}"


def test_a_wrong_reference_is_told_apart() -> None:
    kernel, recipe = recipes(ROOT / "kernels" / "add.py")[0]

    def off(x: Any, y: Any) -> Any:
        want = x + y
        want[5, :] += 1
        return want

    result = spyre.check(kernel, **{**recipe, "ref": off})
    assert not result.ok
    assert "axis 0 at 5" in str(result)
    assert "core 1 of 32" in str(result)


def test_a_kernel_that_compiles_is_not_for_the_interpreter_alone() -> None:
    kernel, recipe = recipes(ROOT / "kernels" / "add.py")[0]
    with pytest.raises(pytest.fail.Exception):
        interpreted(kernel, {**recipe, "stages": ["ktir"]})
