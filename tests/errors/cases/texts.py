"""KTIR texts and devices that cases put their one mistake into."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import spyrelang as spyre

ROOT = Path(__file__).resolve().parents[3]
SAMPLE_DEVICE = ROOT / "arch" / "sample_device.mlir"
ADD = ROOT / "tests" / "data" / "add.mlir"
ALIASES = """\
#row = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#ids = affine_map<(d0, d1) -> (d0, d1)>
#global = #ktdp.memory_space<global>
#local = #ktdp.memory_space<ct_local>
"""
LOCAL = "#local"
T = "tensor<4x64xf16>"
VIEW = "memref<4x64xf16>"
TILE = "!ktdp.access_tile<4x64xindex>"


def view(name: str, base: str, space: str = "#global", dtype: str = "f16", rows: int = 4) -> str:
    """A view of `rows` times 64 elements."""
    box = (
        "#box"
        if rows == 4
        else f"affine_set<(d0, d1) : (d0 >= 0, -d0 + {rows - 1} >= 0, d1 >= 0, -d1 + 63 >= 0)>"
    )
    return (
        f"%{name} = ktdp.construct_memory_view %{base}, sizes: [{rows}, 64], strides: [64, 1] "
        f"{{coordinate_set = {box}, memory_space = {space}}} : memref<{rows}x64x{dtype}>"
    )


def tile(name: str, of: str, at: str = "%c0, %c0", dtype: str = "f16", rows: int = 4) -> str:
    """A tile of 4x64 elements of a view of `rows` rows."""
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}] {{access_tile_set = #box, "
        f"access_tile_order = #ids}} : memref<{rows}x64x{dtype}> -> {TILE}"
    )


def load(name: str, of: str, dtype: str = "f16") -> str:
    return f"%{name} = ktdp.load %{of} : {TILE} -> tensor<4x64x{dtype}>"


def store(value: str, to: str, dtype: str = "f16") -> str:
    return f"ktdp.store %{value}, %{to} : tensor<4x64x{dtype}>, {TILE}"


def function(*body: str, arguments: str = "%x: index, %out: index", grid: str = "[1]") -> str:
    """A module with one kernel; indices %c0, %c1 and %c4 are at hand."""
    constants = [f"%c{n} = arith.constant {n} : index" for n in (0, 1, 4)]
    lines = "".join(f"  {line}\n" for text in (*constants, *body) for line in text.split("\n"))
    return (
        f"{ALIASES}func.func @k({arguments}) attributes {{grid = {grid}}} {{\n{lines}  return\n}}\n"
    )


def computing(*body: str, result: str = "z") -> str:
    """A kernel that loads %a from x, computes %z of it in `body` and stores it in out."""
    return function(
        view("xv", "x"),
        view("ov", "out"),
        tile("xt", "xv"),
        tile("ot", "ov"),
        load("a", "xt"),
        f"%e = tensor.empty() : {T}",
        *body,
        store(result, "ot"),
    )


def copying(*body: str) -> str:
    """A kernel that loads the tile %t, which `body` makes, and stores it into x."""
    return function(
        view("xv", "x"), tile("xt", "xv"), *body, load("a", "t"), store("a", "xt"),
        arguments="%x: index, %n: index",
    )  # fmt: skip


def schedule(text: str, device: object = None) -> object:
    """Bring a KTIR text down to the device."""
    return spyre.load_ktir(text).compile(device=device).executable


def ran(text: str) -> object:
    """What engine "ktir" reports of a kernel; arrays have the shapes of their views."""
    module = spyre.load_ktir(text)
    given = {
        p.name: 0 if p.scalar else np.ones(p.shape, np.float16)
        for p in module.compile().signature("ktir").params
    }
    return module.run(given, engine="ktir").warnings


def device(folder: Path, *changes: tuple[str, str]) -> spyre.Device:
    """The sample device with some of its text exchanged."""
    text = SAMPLE_DEVICE.read_text()
    for old, new in ((r'"patterns/', f'"{ROOT}/arch/patterns/'), *changes):
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "device.mlir"
    path.write_text(text)
    return spyre.Device.load(path)
