"""SPY3xx: device descriptions and patterns."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import command, raises
from spyrelang import Device

COMPUTE = "ktdf_arch.features = {ktdf_arch.feature.compute}"
BODY = f"""  %m = memory {{kind = "M", size = 4096}}
  %c = exec_unit {{kind = "CU", {COMPUTE}}}
  datapath %m to %c : memory, exec_unit
"""


def device(body: str = BODY, attributes: str = "") -> Device:
    """A device of a few lines, as from a file."""
    return Device.from_text(f"ktdf_arch.device @small {attributes}{{\n{body}}}\n", "small.mlir")


@spyre.kernel
def exp(x: spy.In, out: spy.Out):
    out[:, :] = spy.exp(x[:, :])


@spyre.kernel
def add_one(x: spy.In, out: spy.Out):
    out[:, :] = x[:, :] + 1


@raises("SPY301")
def name_misspelled() -> None:
    exp(np.ones((4, 64), np.float16), np.ones((4, 64), np.float16), device="spire")


@raises("SPY301", "command")
def name_misspelled_on_the_command_line() -> str:
    return command("device", "sample_devise")


@raises("SPY302")
def no_device_in_the_file(folder: Path) -> None:
    path = folder / "empty.mlir"
    path.write_text("module {}\n")
    Device.load(path)


@raises("SPY303")
def import_of_nothing(folder: Path) -> None:
    path = folder / "main.mlir"
    path.write_text('ktdf_arch.device @small import("body.mlir")\n')
    Device.load(path)


@raises("SPY303", "name")
def import_of_another_name(folder: Path) -> None:
    (folder / "body.mlir").write_text(f"ktdf_arch.device @large {{\n{BODY}}}\n")
    path = folder / "main.mlir"
    path.write_text('ktdf_arch.device @small import("body.mlir")\n')
    Device.load(path)


@raises("SPY304")
def space_in_no_memory() -> None:
    spaces = '#ktdf_arch.map<#ktdp.memory_space<global> = "DDR">'
    device(attributes=f"attributes {{mem_space_mapping = {spaces}}} ")


@raises("SPY304", "cores")
def no_cores() -> None:
    lines = "\n".join(f"  {line}" for line in BODY.splitlines()[1:])
    device(f"""  %m = memory {{kind = "M", size = 4096}}
  group {{spyrelang.cores = 0}} share(%m) {{
{lines}
  }}
""")


@raises("SPY305")
def two_kinds_that_compute() -> None:
    device(f'{BODY}  %d = exec_unit {{kind = "DU", {COMPUTE}}}\n')


@raises("SPY306")
def way_from_no_memory() -> None:
    Device.load("sample_device").route("HBM", "SFU")


@raises("SPY307")
def way_that_does_not_exist() -> None:
    device().route("CU", "M")


@raises("SPY308")
def lanes_of_no_type() -> None:
    Device.load("sample_device").lanes("f64")


@raises("SPY309")
def space_without_memory() -> None:
    device().memory_of_space("global")


@raises("SPY310")
def pattern_file_that_does_not_exist(folder: Path) -> None:
    path = folder / "main.mlir"
    named = 'attributes {spyrelang.pattern_files = ["patterns.mlir"]}'
    path.write_text(f"ktdf_arch.device @small {named} {{\n{BODY}}}\n")
    Device.load(path)


@raises("SPY310", "device")
def pattern_file_with_units(folder: Path) -> None:
    path = folder / "patterns.mlir"
    path.write_text(f"ktdf_arch.device @patterns {{\n{BODY}}}\n")
    Device.load("sample_device").with_patterns(path)


def rewriting(folder: Path, rewrite: str, kernel: spyre.Kernel = exp) -> None:
    """Compile a kernel for a device with a pattern of `math.exp`."""
    path = folder / "patterns.mlir"
    path.write_text(f"""ktdf_arch.device @patterns {{
  patterns ["pre_mapping"] {{
    pdl.pattern : benefit(1) {{
      %t = type
      %x = operand : %t
      %op = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {{
        {rewrite}
      }}
    }}
  }}
}}
""")
    patterned = Device.load("sample_device").with_patterns(path)
    kernel.compile(
        spyre.spec((4, 64), "f16"), spyre.spec((4, 64), "f16"), device=patterned
    ).report()


@raises("SPY320")
def native_function_that_does_not_exist(folder: Path) -> None:
    rewriting(folder, 'apply_native_rewrite "spyrelang.mark"(%op : !pdl.operation)')


@raises("SPY320", "types")
def native_function_of_other_types(folder: Path) -> None:
    rewriting(folder, 'apply_native_rewrite "ktdf_arch.map_to"(%op : !pdl.operation)')


@raises("SPY320", "result")
def pattern_that_makes_what_is_not_legal(folder: Path) -> None:
    @spyre.kernel
    def exp(x: spy.In, out: spy.Out):
        out[:, :] = spy.exp(x[:, :])

    made = '%n = operation "arith.addi"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)'
    rewriting(folder, f"{made}\n        replace %op with %n", exp)


@raises("SPY321")
def pattern_that_matches_its_own_result(folder: Path) -> None:
    again = '%n = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)'
    rewriting(folder, f"{again}\n        replace %op with %n")


@raises("SPY323")
def splat_of_a_name(folder: Path) -> None:
    splat = 'apply_native_rewrite "spyrelang.splat"(%a, %x : !pdl.attribute, !pdl.value)'
    rewriting(
        folder,
        f"""%a = attribute = "half"
        %v = {splat} : !pdl.value
        replace %op with (%v : !pdl.value)""",
    )


@raises("SPY900")
def bug_in_a_pass() -> None:
    specs = (spyre.spec((4, 64), "f16"), spyre.spec((4, 64), "f16"))
    bug = mock.patch("spyrelang.driver.ladder.split", side_effect=KeyError("x"))
    with bug, mock.patch("spyrelang.driver.bugs.tempfile.mkstemp", side_effect=OSError):
        add_one.compile(*specs).ir("programs")
