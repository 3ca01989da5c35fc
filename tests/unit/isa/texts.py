"""DataflowIR texts of the decoder's tests, and a device for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spyrelang import ir
from spyrelang.engines import DeviceMemory, Options, Outcome, run
from spyrelang.isa.decode import decode
from spyrelang.isa.program import Executable

MAPS = """
#one = affine_map<(d0) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row64 = affine_map<(d0, d1) -> (d0 * 64 + d1)>
#still = affine_map<(d0) -> (0, 0)>
#down = affine_map<(d0) -> (d0, 0)>
#vec = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
#some = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
"""


@dataclass(frozen=True)
class Kind:
    """A memory or unit of the device."""

    kind: str
    size: int | None = None
    scope: str = "core"


@dataclass(frozen=True)
class Path:
    source: str
    target: str
    depth: int | None = None
    bandwidth: int | None = None


class Toy:
    """Device memory, a scratchpad a core, registers; DMA units count words of 32 bytes."""

    name = "toy"
    memories = (Kind("MEM", 1 << 20, "device"), Kind("PAD", 65536), Kind("REG", 1024, "instance"))
    units = {k: Kind(k) for k in ("IN", "OUT", "RD", "WR", "ALU")}  # noqa: RUF012
    datapaths = (Path("RD", "ALU", 4), Path("ALU", "WR", 4), Path("MEM", "IN", None, 128))

    def word_size(self, unit: str, memory: str) -> int:
        return 32 if (unit, memory) in (("IN", "MEM"), ("OUT", "MEM")) else 1


def decoded(text: str, *, check: bool = True, **kw: object) -> Executable:
    """The executable of a text (with the maps above)."""
    module = ir.parse(MAPS + text, "toy.mlir", guard=False, check=check)
    return decode(module, device=Toy(), **kw)  # type: ignore[arg-type]


def handles(*wanted: tuple[str, str, int]) -> str:
    """get_unit ops: (value name, type, core); core -1 for none."""
    lines: list[str] = []
    for name, kind, core in wanted:
        where = f"core = {core} : i32, corelet = 0 : i32, " if core >= 0 else ""
        full = f"C{core}-{kind}" if core >= 0 else kind
        lines.append(
            f'%{name} = dataflow.get_unit {{{where}name = "{full}", type = "{kind}"}} : index'
        )
    return "\n".join(lines)


def body(program: str, *, prelude: str = "", grid: int = 1, args: str = "") -> str:
    """A module with one body function; `%c0` to `%c3` are constants."""
    return f"""
module {{
  func.func @toy({args}) attributes {{grid = [{grid}]}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    {prelude}
    {program}
    return
  }}
}}
"""


def launch(exe: Executable, arrays: dict[int, np.ndarray], **options: object) -> Outcome:
    """Run with arrays at fixed byte addresses (constant bases in the text)."""
    memory = DeviceMemory()
    for address, array in arrays.items():
        memory.bind(array, address=address, name=f"at {address}")
    return run(exe, memory, {}, engine="checked", options=Options(**options))  # type: ignore[arg-type]
