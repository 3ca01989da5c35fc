"""SPY501 to SPY525: what the engines "checked" and "fast" find in a DataflowIR program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import spyrelang as spyre
from cases.dataflow import FIRST, STAGED, changed, decoded
from cases.registry import raises
from cases.texts import function, load, tile, view
from spyrelang.engines import DeviceMemory, Options
from spyrelang.isa import program, symbols, validate

Edit = tuple[str, str]


def launched(*edits: Edit, engine: str = "checked", **options: Any) -> object:
    """Run the staged add with some of its text exchanged."""
    x = np.ones((4, 64), np.float16)
    arrays = {"x": x, "y": x, "out": np.zeros((4, 64), np.float16)}
    module = spyre.load_dataflow(changed(*edits), device="sample_device")
    return module.run(arrays, engine=engine, options=Options(**options)).warnings


HALF: tuple[Edit, ...] = (
    ("%z = dataflow.receive %sfu : vector<64xf16>", "%z = dataflow.receive %sfu : vector<32xf16>"),
    (
        "store_set = #line} : memref<2x64xf16>, vector<64xf16>",
        "store_set = #half} : memref<2x64xf16>, vector<32xf16>",
    ),
    ("#once =", "#half = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>\n#once ="),
)
VIEW = "dataflow.get_logical_memory_view"
SIGNAL = "{wait_immediately_for_async_transfers = true} : index\n"
ROW = "{layout_map = #row} : index, index, memref"
SENT = "        dataflow.send %l1su, %z : vector<64xf16>\n"
EDITS: dict[str, tuple[Edit, ...]] = {
    "SPY501": (
        (f"%xs {ROW}<4x64xf16>", f"%xs {ROW}<8x64xf16>"),
        ("src:%xv[%i, 0]", "src:%xv[%i + 3, 0]"),
        ("} : memref<4x64xf16>, memref<2x64xf16>", "} : memref<8x64xf16>, memref<2x64xf16>"),
    ),
    "SPY502": (("src:%xv[%i, 0]", "src:%xv[%i + 1, 0]"),),
    "SPY504": (
        (f"        dataflow.sync_send %mnilu {SIGNAL}", ""),
        ("        dataflow.sync_recv %l1lu : index\n", ""),
    ),
    "SPY505": (
        (
            "      %os = symbol",
            "      %c1024 = arith.constant 1024 : index\n"
            f"      %never = {VIEW} %l1, %c1024 {ROW}<2x64xf16>\n      %os = symbol",
        ),
        ("src:%ob[%i mod 2, 0]", "src:%never[%i mod 2, 0]"),
    ),
    "SPY506": (('spyrelang.role = "out"', 'spyrelang.role = "in"'),),
    "SPY510": ((FIRST, ""),),
    "SPY512": ((SENT, 2 * SENT),),
    "SPY513": HALF,
    "SPY514": (
        (
            "%v = dataflow.receive",
            "%q = arith.divsi %i, %c0 : index\n        scf.for %j = %c0 to %q step %c1 {\n"
            "        }\n        %v = dataflow.receive",
        ),
    ),
    "SPY515": (
        (
            "vector<64xf16>, vector<64xf16>, vector<64xf16>",
            "vector<64xf16>, vector<64xf16>, vector<32xf16>",
        ),
        (SENT, SENT.replace("64", "32")),
        *HALF,
    ),
    "SPY521": (
        (
            "%xw = arith.divsi %x, %c64",
            "%c3 = arith.constant 3 : index\n    %xw = arith.divsi %x, %c3",
        ),
    ),
    "SPY522": (("%xw = arith.divsi %x, %c64", "%xw = arith.subi %c64, %x"),),
}


def _case(edits: tuple[Edit, ...]) -> Callable[[], object]:
    return lambda: launched(*edits)


for _code, _edits in EDITS.items():
    raises(_code)(_case(_edits))


@raises("SPY510", "fast")
def deadlock_in_the_fast_engine() -> object:
    return launched((FIRST, ""), engine="fast")


@raises("SPY511")
def signal_that_nobody_takes() -> object:
    return launched(("        dataflow.sync_recv %l1lu : index\n", ""), races="off", poison="off")


@raises("SPY503")
def scratchpad_address_between_elements() -> object:
    # Constant addresses count elements, symbols the words of a unit: here bytes.
    below = "%c4095 = arith.constant 4095 : index\n    %one = arith.subi %x, %c4095 : index\n"
    named = "    symbol.create_id %one {symbol_id = -7 : si64} : index\n"
    symbol = "%odd = symbol.create_symbol {SymbolId = -7 : i64} : index"
    buffer = f"      %xb = {VIEW} %l1, "
    return launched(
        ("%xw = arith", f"{below}{named}    %xw = arith"),
        (f"(%l1lu) : {{\n{buffer}%c0", f"(%l1lu) : {{\n      {symbol}\n{buffer}%odd"),
        races="off",
        poison="off",
    )


@raises("SPY507")
def arrays_on_top_of_each_other() -> object:
    text = function(view("xv", "c0"), tile("t", "xv"), load("a", "t"), arguments="")
    memory = {0: np.ones((4, 64), np.float16), 100: np.ones((4, 64), np.float16)}
    return spyre.load_ktir(text).run({}, memory=memory, engine="ktir")


@raises("SPY508")
def memory_freed_twice() -> object:
    # DeviceTensor.free may be called twice; only the memory below it complains.
    memory = DeviceMemory()
    address = memory.allocate(64)
    memory.free(address)
    return memory.free(address)


@raises("SPY509")
def region_of_negative_size() -> object:
    # Tensors of negative sizes are refused before (SPY724).
    return DeviceMemory().allocate(-1)


@raises("SPY520")
def launch_without_an_address() -> object:
    # A launch by arguments gives a value for each of them, or raises SPY701.
    executable = spyre.load_dataflow(STAGED, device="sample_device").compiled.executable
    return symbols.evaluate(executable, {})


@raises("SPY523")
def misspelt_option() -> object:
    return launched(timing="soon")


@raises("SPY523", "options")
def dictionary_of_options() -> object:
    arrays = {name: np.ones((4, 64), np.float16) for name in ("x", "y", "out")}
    module = spyre.load_dataflow(STAGED, device="sample_device")
    return module.run(arrays, engine="checked", options={"races": "off"})


@raises("SPY524")
def register_that_nothing_writes() -> object:
    # The decoder makes sound programs; this is for those that are made by hand.
    executable = spyre.load_dataflow(STAGED, device="sample_device").compiled.executable
    return broken(executable, lambda body: (program.Arith(0, 999, "add", (998, 998)), *body))


def broken(executable: Any, edit: Callable[[Any], Any]) -> object:
    from dataclasses import replace

    first = executable.programs[0]
    unit = replace(first.units[0], body=edit(first.units[0].body))
    changed = replace(first, units=(unit, *first.units[1:]))
    return validate.validate(replace(executable, programs=(changed, *executable.programs[1:])))


@raises("SPY525")
def stride_that_no_address_has() -> object:
    far = "affine_map<(d0, d1) -> (d0 * 4611686018427387904 + d1)>"
    return decoded((f"%xs {ROW}", f"%xs {ROW.replace('#row', far)}"))


@raises("SPY525", "step")
def steps_in_time_that_no_address_has() -> object:
    far = "affine_map<(d0) -> (d0 * 4611686018427387904, 0)>"
    return decoded(
        ("load_time_addr_map = #still", f"load_time_addr_map = {far}"),
        ("time_set = #once", "time_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>"),
    )
