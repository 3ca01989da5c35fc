"""SPY700 to SPY746: arguments of a launch, device memory, values computed at launch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import spyrelang as spyre
import spyrelang.language as spy
from cases.artifact import EXECUTE, HCM, PROGRAMS, SEGMENT, TABLE, at, back, bound, edited, exported
from cases.dataflow import changed
from cases.registry import raises
from cases.texts import ADD, function, load, store, tile, view
from spyrelang.spyrecode import read


def ones(*shape: int, dtype: Any = np.float16) -> np.ndarray:
    return np.ones(shape, dtype)


def ran(**change: object) -> object:
    """Run the add of 96x64 f16 with other arguments; None leaves one out."""
    arrays = {name: ones(96, 64) for name in ("x", "y", "out")} | change
    return spyre.load_ktir(ADD).run({k: v for k, v in arrays.items() if v is not None})


FIXED = ones(96, 64)
FIXED.flags.writeable = False
ARGUMENTS: dict[str, dict[str, object]] = {
    "SPY700": {"outt": ones(96, 64)},
    "SPY701": {"out": None},
    "SPY704": {"x": 3},
    "SPY705": {"x": ones(96, 64, dtype=np.float32)},
    "SPY706": {"x": ones(96 * 64)},
    "SPY707": {"x": ones(96, 65)},
    "SPY708": {"x": ones(95, 64)},
    "SPY709": {"x": ones(96, 64).astype(">f2")},
    "SPY710": {"out": FIXED},
    "SPY712": {"out": as_strided(ones(64), (96, 64), (0, 2))},
}


@raises("SPY707", "view")
def array_of_another_shape_than_its_view() -> object:
    arrays = {"x": ones(96, 64), "y": ones(96, 64), "out": ones(97, 64)}
    return spyre.load_ktir(ADD).run(arrays, engine="ktir")


def _case(change: dict[str, object]) -> Callable[[], object]:
    return lambda: ran(**change)


for _code, _change in ARGUMENTS.items():
    raises(_code)(_case(_change))


def prepared(folder: Path, **options: Any) -> spyre.runtime.Prepared:
    """out = x + 1 of 4x64 f16, from an artifact."""
    return spyre.runtime.prepare(exported(folder), **options)


@raises("SPY702")
def argument_twice(tmp_path: Path) -> object:
    return prepared(tmp_path).launch(ones(4, 64), ones(4, 64), x=ones(4, 64))


@raises("SPY703")
def too_many_arguments(tmp_path: Path) -> object:
    return prepared(tmp_path).launch(ones(4, 64), ones(4, 64), ones(4, 64))


@raises("SPY713")
def overlapping_arguments(tmp_path: Path) -> object:
    x = ones(5, 64)
    return prepared(tmp_path).launch(x[:-1], x[1:])


@raises("SPY714")
def fraction_for_a_size() -> object:
    loop = "scf.for %i = %c0 to %n step %c1 {\n}"
    text = function(loop, arguments="%n: index")
    return spyre.load_ktir(text).run({"n": 1.5}, engine="ktir")


class FakeTensor:
    """What torch says of a tensor in another memory."""

    device, dtype, requires_grad = "cuda:0", "torch.float16", False

    def detach(self) -> FakeTensor:
        return self

    def data_ptr(self) -> int:
        return 0

    def numpy(self) -> np.ndarray:
        raise TypeError


@raises("SPY715")
def tensor_on_another_device(tmp_path: Path) -> object:
    return prepared(tmp_path).launch(FakeTensor(), ones(4, 64))


@raises("SPY716")
def scratch_argument_given() -> object:
    text = changed(('spyrelang.role = "out"', 'spyrelang.role = "scratch"'))
    arrays = {name: ones(4, 64) for name in ("x", "y", "out")}
    return spyre.load_dataflow(text, device="sample_device").run(arrays)


@raises("SPY717")
def transposed_in_place() -> object:
    @spyre.kernel
    def transposed(x: spy.In, out: spy.Out):
        out[:, :] = spy.transpose(spy.load(x[:, :]))

    x = ones(64, 64)
    return transposed(x, x)


# --- device memory -------------------------------------------------------------------------------


def placed(address: int) -> object:
    # Only `runtime.execute` puts an argument at an address of the caller's.
    compiled = spyre.load_ktir(ADD).compile()
    arrays = {name: ones(96, 64) for name in ("x", "y", "out")}
    return spyre.runtime.execute(compiled.executable, arrays, addresses={"x": address})


@raises("SPY720")
def address_between_flits() -> object:
    return placed(100)


@raises("SPY721")
def address_in_the_program_segment() -> object:
    return placed(PROGRAMS)


@raises("SPY722")
def tensor_larger_than_a_segment() -> object:
    return spyre.runtime.empty((1 << 40,), "i8")


@raises("SPY723")
def tensor_after_free() -> object:
    tensor = spyre.runtime.empty((4,), "f16")
    address = f"{tensor.address:#x}"
    tensor.free()
    try:
        return tensor.numpy()
    except spyre.SpyreError as error:  # where it lay depends on what else is there
        return error.render().replace(address, "0x1000")


@raises("SPY724")
def negative_size() -> object:
    return spyre.runtime.empty((-1,), "f16")


def at_addresses(memory: Any) -> object:
    text = function(
        view("xv", "c0"), tile("t", "xv"), load("a", "t"), store("a", "t"), arguments=""
    )
    return spyre.load_ktir(text).run({}, memory=memory)


@raises("SPY726")
def name_for_an_address() -> object:
    return at_addresses({"x": ones(4, 64)})


@raises("SPY709", "memory")
def big_endian_memory() -> object:
    return at_addresses({0: ones(4, 64).astype(">f2")})


# --- the prepared kernel -------------------------------------------------------------------------


def launched(folder: Path, edit: Callable[[Any], object], *arrays: np.ndarray) -> object:
    """Launch an artifact whose plan was edited."""
    return edited(folder, edit).launch(*(arrays or (ones(4, 64), ones(4, 64))))


@raises("SPY730")
def launch_after_release(tmp_path: Path) -> object:
    kernel = prepared(tmp_path)
    kernel.release()
    return kernel.launch(ones(4, 64), ones(4, 64))


@raises("SPY731")
def correction_without_a_record(tmp_path: Path) -> object:
    return launched(tmp_path, at(*HCM, "vdci", "data_conversion_info_group_", value=[]))


@raises("SPY732")
def symbol_of_a_tenth_argument(tmp_path: Path) -> object:
    return edited(tmp_path, at(*TABLE, "inputs", 0, "arg", value=9))


def copied_back(folder: Path, address: int, size: int) -> object:
    """Launch a kernel at constant addresses whose plan copies memory back."""

    def edit(document: Any) -> None:
        back("r", address)(document)
        document[EXECUTE][-1]["properties"]["size"] = str(size)

    return edited(folder, edit, make=bound).launch(ones(4, 64), ones(4, 64), ones(4, 64))


@raises("SPY733")
def copy_back_from_a_fifth_tensor(tmp_path: Path) -> object:
    return copied_back(tmp_path, 4 * SEGMENT, 128)


@raises("SPY734")
def copy_back_past_the_end(tmp_path: Path) -> object:
    return copied_back(tmp_path, 0, 4096)


@raises("SPY735")
def eight_tensors_at_bound_addresses(tmp_path: Path) -> object:
    @spyre.kernel
    def total(
        a: spy.In, b: spy.In, c: spy.In, d: spy.In, e: spy.In, f: spy.In, g: spy.In, out: spy.Out
    ):
        out[:, :] = a[:, :] + b[:, :] + c[:, :] + d[:, :] + e[:, :] + f[:, :] + g[:, :]

    path = total.compile(*8 * [spyre.spec((4, 64), "f16")]).export(tmp_path / "k")
    return spyre.runtime.prepare(path, bound=True)


# --- values --------------------------------------------------------------------------------------


def sized(*sizes: dict[str, Any]) -> Callable[[Any], object]:
    """Let the correction read sizes from arguments as well."""

    def edit(document: Any) -> None:
        host = document[EXECUTE][0]["properties"]
        bounds = {"kind": "dimension", "min": 4, "max": 64, "granularity": 4, "name": "rows"}
        for number, size in enumerate(sizes):
            host["hcm"]["symtab"]["inputs"].append({"id": -9 - number, **bounds, **size})
        ids = [entry["id"] for entry in host["hcm"]["symtab"]["inputs"]]
        host["ishape"] = [str(len(ids))]
        vdci = host["hcm"]["vdci"]
        vdci["inputSym_"] = ids
        vdci["data_conversion_info_group_"][0]["dci"]["ssi_"]["inputSym_"] = ids

    return edit


ROWS, OTHER_ROWS = {"arg": 0, "dim": 0}, {"arg": 1, "dim": 0}


@raises("SPY740")
def size_of_a_sixth_dimension(tmp_path: Path) -> object:
    return launched(tmp_path, sized({"arg": 0, "dim": 5}))


@raises("SPY741")
def size_between_the_steps(tmp_path: Path) -> object:
    return launched(tmp_path, sized(ROWS), ones(6, 64), ones(4, 64))


@raises("SPY742")
def sizes_that_disagree(tmp_path: Path) -> object:
    return launched(tmp_path, sized(ROWS, OTHER_ROWS), ones(8, 64), ones(4, 64))


@raises("SPY745")
def division_by_zero(tmp_path: Path) -> object:
    return launched(tmp_path, at(*TABLE, "values", 0, "expr", value=["floordiv", {"in": -1}, 0]))


@raises("SPY746")
def one_value_for_two_inputs(tmp_path: Path) -> object:
    # A launch gives as many values as the table has inputs.
    table = read(exported(tmp_path)).symtab
    assert table is not None
    return table.evaluate([4096])


@raises("SPY649")
def long_name(tmp_path: Path) -> object:
    return prepared(tmp_path, name="x" * 200)
