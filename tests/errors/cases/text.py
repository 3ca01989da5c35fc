"""SPY1xx: texts that cannot be read, or break a rule of their ops."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import spyrelang as spyre
from cases.registry import command, raises, raising

ADD = (Path(__file__).parents[2] / "data" / "add.mlir").read_text()


ROWS = np.ones((96, 64), np.float16)


def changed(old: str, new: str) -> str:
    """The text of a kernel that adds, with a mistake in it."""
    assert ADD.count(old) >= 1, old
    return ADD.replace(old, new, 1)


def ktir(body: str, arguments: str = "%x: index", head: str = "") -> str:
    """A kernel of a few lines."""
    return f"""{head}func.func @kernel({arguments}) attributes {{grid = [1]}} {{
{body}
  return
}}
"""


def flow(body: str, head: str = "") -> str:
    """A DataflowIR program of a few lines."""
    return f"""{head}func.func @program(%i: index, %v: vector<64xf16>, %t: tensor<64xf16>) {{
  %u = dataflow.get_unit {{name = "sfu0", type = "sfu"}} : index
{body}
  return
}}
"""


KTIR = {
    "SPY101": changed("func.func @add(", "func.func @add "),
    "SPY101-unclosed": ADD[: ADD.rindex("return")],
    "SPY101-string": ktir('  %u = dataflow.get_unit {name = "sfu0, type = "sfu"} : index'),
    "SPY101-alias": ADD + "#order = affine_map<(d0) -> (d0)>\n",
    "SPY102": changed("ktdp.load %tx", "ktdp.lod %tx"),
    "SPY102-generic": ktir('  "ktdp.prefetch"(%x) : (index) -> ()'),
    "SPY103": ktir("  %c = arith.addi " + "(" * 250),
    "SPY106": changed("linalg.add ins", "linalg.addd ins"),
    "SPY106-value": changed("ktdp.load %tx", "ktdp.load %tz"),
    "SPY106-type": changed("-> tensor<3x64xf16>\n    %b", "-> tensor<4x64xf16>\n    %b"),
    "SPY107": "func.func private @kernel() attributes {\n  sizes = array<index: 1, 2>\n}\n",
    "SPY106-mixed": ktir(
        "  %a = arith.constant dense<1.0> : tensor<4xf16>\n"
        "  %b = arith.constant dense<1.0> : tensor<4xf32>\n"
        "  %c = linalg.add ins(%a, %b : tensor<4xf16>, tensor<4xf32>)\n"
        "      outs(%a : tensor<4xf16>) -> tensor<4xf16>"
    ),
    "SPY107-line": ktir(
        "  %a = arith.constant dense<1.0> : tensor<4xf16>\n"
        "  %b = arith.constant dense<1> : tensor<4xi32>\n"
        "  %c = linalg.elementwise kind=#linalg.elementwise_kind<add>\n"
        "      ins(%a, %b : tensor<4xf16>, tensor<4xi32>) outs(%a : tensor<4xf16>)"
        " -> tensor<4xf16>"
    ),
    "SPY108": changed("access_tile_order = #order", "access_tile_order = #ordre"),
    "SPY109": changed("#ktdp.memory_space<global>", "#ktdp.memory_space<globl>"),
    "SPY109-type": ktir("  return", "%x: !ktdp.acess_tile<4xindex>"),
    "SPY101-strict": changed("(d0 >= 0, -d0 + 95 >= 0", "(d0 >= 0, -d0 + 95 > 0"),
    "SPY106-dim": changed("affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d0, d2)>"),
    "SPY110": ktir("", '%x: !ktdf.fifo.slot<affine_map<(d0) -> (d1)> -> "B", 64xf16>'),
    "SPY120": changed(
        "ktdp.load %tx : !ktdp.access_tile<3x64xindex>",
        '"ktdp.load"(%tx, %ty) : (!ktdp.access_tile<3x64xindex>, !ktdp.access_tile<3x64xindex>)',
    ),
    "SPY121": ktir("  ktdp.store %x, %x : index, index"),
    "SPY122": changed("coordinate_set = #whole, ", ""),
    "SPY123": changed("coordinate_set = #whole", "coordinate_set = #order"),
}  # fmt: skip
raising(KTIR, lambda text: spyre.load_ktir(text).compile().executable)

DIVISION = """  %zero = arith.constant 0 : index
  %i = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%n)[%zero]"""
raising(
    {"SPY111": ktir(DIVISION, "%n: index")},
    lambda text: spyre.load_ktir(text).run({"n": 8}, engine="ktir"),
)
raising(
    {"SPY112": changed("-d0 + 2 >= 0, ", "")},
    lambda text: spyre.load_ktir(text).run(
        dict.fromkeys("xy", ROWS) | {"out": ROWS}, engine="ktir"
    ),
)

FLOW = {
    "SPY124": flow('  "dataflow.program_unit"(%u) ({ }) : (index) -> ()'),
    "SPY125": flow('  "dataflow.program_unit"(%u) ({\n  ^bb0(%z: index):\n  }) : (index) -> ()'),
    "SPY126": flow("""  dataflow.program_unit iter_arg : %z -> (%u) : {
    dataflow.send %z, %w : vector<64xf16>
    %w = dataflow.receive %z : vector<64xf16>
  }"""),
    "SPY127": flow("  %w = vectorchain.cast %v : vector<64xf16>, vector<32xf32>"),
    "SPY129": flow("  agen.yield"),
}  # fmt: skip
raising(FLOW, lambda text: spyre.load_dataflow(text, device="sample_device"))


@raises("SPY104")
def binary_file(folder: Path) -> str:
    (folder / "kernel.bin").write_bytes(b"module {} // \xff\xfe")
    return command("ir", folder / "kernel.bin")


@raises("SPY105")
def missing_file() -> str:
    return command("ir", "no_such_file.mlir")


@raises("SPY105", "load")
def missing_file_in_python() -> None:
    spyre.load_ktir("no_such_file.mlir")
