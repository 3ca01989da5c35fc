"""SPY801 to SPY857: settings, the stage ladder, `spyre.check`, timelines, the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.artifact import exported
from cases.registry import command, raises
from cases.texts import ADD, function
from spyrelang import settings


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float16)


@raises("SPY801")
def misspelt_setting() -> None:
    with settings.override(colours=True):
        pass


@raises("SPY802")
def setting_without_that_value() -> None:
    with settings.override(colour="sometimes"):
        pass


# --- the ladder ----------------------------------------------------------------------------------


@spyre.kernel
def add(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    out[:, :] = x[:, :] + y[:, :]


def compiled() -> Any:
    return add.compile(*3 * [spyre.spec((4, 64), "f16")])


@raises("SPY820")
def misspelt_stage() -> object:
    return compiled().ir("plced")


@raises("SPY821")
def stage_before_the_start() -> object:
    return spyre.resume("dataflow", str(compiled().ir("dataflow"))).ir("ktir")


@raises("SPY822")
def misspelt_engine() -> object:
    return add(ones(4, 64), ones(4, 64), ones(4, 64), engine="quick")


@raises("SPY823")
def misspelt_numerics() -> object:
    return add(ones(4, 64), ones(4, 64), ones(4, 64), numerics="bf16")


@raises("SPY837")
def half_an_element() -> object:
    arrays = ones(4, 64), ones(4, 64), ones(4, 64)
    return add(*arrays, bases={"x": 4097})


@raises("SPY824")
def text_before_any_call() -> object:
    @spyre.kernel
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2

    return double.ir()


@raises("SPY825")
def text_of_two_kernels() -> object:
    other = function().replace("@k", "@other").partition("func.func")
    return spyre.load_ktir(function() + "func.func" + other[2]).run({})


@raises("SPY825", "none")
def text_of_no_kernel() -> object:
    return spyre.load_ktir("module {\n}\n").run({})


@raises("SPY826")
def kernel_of_another_name() -> object:
    return spyre.load_ktir(ADD)["sub"]


@raises("SPY827")
def earlier_stage_of_an_artifact(tmp_path: Path) -> object:
    return spyre.resume("spyrecode", exported(tmp_path)).ir("ktir")


@raises("SPY828")
def bytes_of_a_text() -> object:
    return spyre.load_ktir(ADD.read_bytes())  # type: ignore[arg-type]


@raises("SPY829")
def list_of_arguments() -> object:
    return spyre.load_ktir(ADD).run([ones(96, 64)])  # type: ignore[arg-type]


# --- checking ------------------------------------------------------------------------------------


def checked(**change: Any) -> object:
    call = {"ref": lambda x, y: x + y, "inputs": [ones(4, 64), ones(4, 64)]} | change
    return spyre.check(add, **call)


@raises("SPY830")
def one_input_of_two() -> object:
    return checked(inputs=[ones(4, 64)])


@raises("SPY831")
def two_outputs_for_one() -> object:
    return checked(ref=lambda x, y: (x, y))


@raises("SPY832")
def stage_without_numbers() -> object:
    return checked(stages=["placed"])


@raises("SPY833")
def part_of_the_output() -> object:
    return checked(ref=lambda x, y: (x + y)[:3])


@raises("SPY834")
def reference_of_one_array() -> object:
    return checked(ref=lambda x: x)


@raises("SPY835")
def word_for_a_tolerance() -> object:
    return checked(tolerance="tight")


@raises("SPY836")
def function_that_is_no_kernel() -> object:
    return spyre.check(max, ref=max, inputs=[])  # type: ignore[arg-type]


@raises("SPY840")
def timeline_of_the_fast_engine() -> object:
    return add(ones(4, 64), ones(4, 64), ones(4, 64)).timeline()


# --- the command line ----------------------------------------------------------------------------

KERNELS = """\
import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel
def double(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
    out[:, :] = x[:, :] * 2


@spyre.kernel
def triple(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
    out[:, :] = x[:, :] * 3
"""


def kernels(folder: Path) -> Path:
    path = folder / "kernels.py"
    path.write_text(KERNELS)
    return path


@raises("SPY850")
def option_without_a_value(tmp_path: Path) -> str:
    return command("run", f"{kernels(tmp_path)}:double", "--arg", "x")


@raises("SPY850", "spec")
def shape_in_parentheses(tmp_path: Path) -> str:
    return command("ir", f"{kernels(tmp_path)}:double", "--spec", "x=f16(4,64)")


@raises("SPY851")
def array_that_is_not_there(tmp_path: Path) -> str:
    return command("run", f"{kernels(tmp_path)}:double", "--arg", f"x={tmp_path}/x.npy")


@raises("SPY851", "empty")
def empty_array_file(tmp_path: Path) -> str:
    (tmp_path / "x.npy").write_bytes(b"")
    return command("run", f"{kernels(tmp_path)}:double", "--arg", f"x={tmp_path}/x.npy")


@raises("SPY851", "several")
def file_of_several_arrays(tmp_path: Path) -> str:
    with (tmp_path / "x.npy").open("wb") as file:
        np.savez(file, a=ones(4, 64), b=ones(4, 64))
    return command("run", f"{kernels(tmp_path)}:double", "--arg", f"x={tmp_path}/x.npy")


@raises("SPY852")
def python_file_that_is_not_there(tmp_path: Path) -> str:
    return command("ir", f"{tmp_path}/kernels.py:double")


@raises("SPY853")
def module_that_fails(tmp_path: Path) -> str:
    (tmp_path / "broken.py").write_text("import math\n\nroot = math.sqrt(-1)\n")
    return command("ir", f"{tmp_path}/broken.py:double")


@raises("SPY853", "syntax")
def module_that_does_not_parse(tmp_path: Path) -> str:
    (tmp_path / "unfinished.py").write_text("def double(x:\n")
    return command("ir", f"{tmp_path}/unfinished.py:double")


@raises("SPY854")
def name_of_no_kernel(tmp_path: Path) -> str:
    return command("ir", f"{kernels(tmp_path)}:half")


@raises("SPY854", "none")
def no_name_where_there_are_two(tmp_path: Path) -> str:
    return command("ir", kernels(tmp_path))


@raises("SPY855")
def code_that_does_not_exist() -> str:
    return command("explain", "SPY000")


@raises("SPY856")
def folder_that_is_not_there(tmp_path: Path) -> str:
    return command("compile", f"{kernels(tmp_path)}:double", "-o", tmp_path / "no" / "where.mlir")


@raises("SPY857")
def file_without_checks(tmp_path: Path) -> str:
    return command("check", kernels(tmp_path))
