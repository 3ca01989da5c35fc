"""SPY430 to SPY461: what does not fit the device, edited schedules, lowering, profiles."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import raises
from cases.texts import ADD, T, computing, device, function, load, schedule, store, tile, view
from spyrelang.schedule.text import write

ADDED = """%s = linalg.add ins(%a, %b : tensor<3x64xf16>, tensor<3x64xf16>)
                    outs(%e : tensor<3x64xf16>) -> tensor<3x64xf16>"""


@raises("SPY420")
def space_without_a_memory(tmp_path: Path) -> object:
    changed = device(tmp_path, ('#ktdp.memory_space<global> = "DDR",', ""))
    return schedule(ADD.read_text(), changed)


@raises("SPY430")
def type_without_lanes(tmp_path: Path) -> object:
    @spyre.kernel
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2

    x = np.ones((4, 64), np.int16)
    return double(x, x.copy(), device=device(tmp_path, ("i16 = 64, ", "")))


@raises("SPY431")
def no_way_to_memory(tmp_path: Path) -> object:
    changed = device(tmp_path, ("datapath #dma_write %mnisu to %ddr : exec_unit, memory", ""))
    return schedule(ADD.read_text(), changed)


@raises("SPY432")
def unit_that_cannot_splat(tmp_path: Path) -> object:
    @spyre.kernel
    def shifted(x: spy.In["M", "N"], column: spy.In["M"], out: spy.Out["M", "N"]):
        out[:, :] = x[:, :] + column[:, None]

    x = np.ones((4, 64), np.float16)
    changed = device(tmp_path, ("{splat, zero_pad}", "{zero_pad}"))
    return shifted(x, x[:, 0].copy(), x.copy(), device=changed)


@raises("SPY433")
def whole_tensor_in_scratchpad() -> object:
    @spyre.kernel
    def transposed(x: spy.InOut[2048, 2048, spy.f16]):
        x[:, :] = spy.transpose(spy.load(x[:, :]))

    return transposed.compile().executable


@raises("SPY434")
def pinned_past_the_end() -> object:
    @spyre.kernel
    def pinned(x: spy.In[4, 64, spy.f16], out: spy.Out[4, 64, spy.f16]):
        pad = spy.memory_view(1 << 20, (4, 64), space=spy.local(), dtype=spy.f16)
        pad[:, :] = spy.load(x[:, :])
        out[:, :] = spy.load(pad[:, :])

    return pinned.compile().executable


@raises("SPY435")
def more_cores_than_there_are() -> object:
    return spyre.load_ktir(function(grid="[64]")).compile()


@raises("SPY438")
def tensors_of_df16() -> object:
    text = function(
        view("xv", "x", dtype="!spyreop.df16"),
        tile("t", "xv", dtype="!spyreop.df16"),
        load("a", "t", dtype="!spyreop.df16"),
        store("a", "t", dtype="!spyreop.df16"),
    )
    return schedule(text)


def edited(stage: str, old: str, new: str) -> object:
    """Resume from the text of a stage with its first match of `old` exchanged."""
    text = str(spyre.load_ktir(ADD).compile().ir(stage))
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    return spyre.resume(stage, changed)


@raises("SPY440")
def text_of_another_stage() -> object:
    return spyre.resume("explored", ADD)


@raises("SPY440", "count")
def more_instances_than_the_core_has() -> object:
    return edited("placed", "num_instances = 2", "num_instances = 3")


@raises("SPY441")
def one_of_two_places_changed() -> object:
    return edited("explored", r"(data_transfer .*?size \[)3, 64(\] to)", r"\g<1>2, 64\g<2>")


@raises("SPY442")
def buffers_on_top_of_each_other() -> object:
    return edited("placed", r"arith.constant 768 : index", "arith.constant 512 : index")


@raises("SPY443")
def vectors_longer_than_the_units_lanes() -> object:
    wide = ADD.read_text().replace("64", "256").replace("63 >=", "255 >=")
    # The text of a schedule whose vectors were made longer, in all places.
    ladder = spyre.load_ktir(wide).compile().ladder
    kernel = ladder.kernel("pipeline")
    (program,) = kernel.programs
    longer = replace(program, vector=replace(program.vector, lanes=128))
    module = write(replace(kernel, programs=(longer,)), ladder.device, "pipeline")
    return spyre.resume("pipeline", module.text())


@raises("SPY450")
def op_that_no_pattern_expresses() -> object:
    generic = """%s = linalg.generic {
      indexing_maps = [#order, #order], iterator_types = ["parallel", "parallel"]
    } ins(%a : tensor<3x64xf16>) outs(%e : tensor<3x64xf16>) {
    ^bb0(%in: f16, %old: f16):
      %r = math.atan %in : f16
      linalg.yield %r : f16
    } -> tensor<3x64xf16>"""
    return schedule(ADD.read_text().replace(ADDED, generic))


@raises("SPY460")
def carried_value_for_the_public_scheduler() -> object:
    text = computing(
        f"%z = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a) -> ({T}) {{",
        f"  %w = arith.addf %v, %v : {T}",
        f"  scf.yield %w : {T}",
        "}",
    )
    report = spyre.load_ktir(text).compile(profile="scheduler-v1").profile
    return [violation.error(report.profile) for violation in report.violations]


@raises("SPY461")
def misspelt_profile() -> object:
    return spyre.load_ktir(ADD).compile(profile="v1")
