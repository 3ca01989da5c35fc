"""Prepare and launch: other addresses, other processes, plans by hand, what is refused."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spyrecode import plans, samples
from spyrecode.test_artifact import remanifest

import spyrelang
from spyrelang import runtime, spyrecode
from spyrelang.errors import SpyreError
from spyrelang.isa import codec
from spyrelang.isa import program as p
from spyrelang.runtime import Prepared, prepare
from spyrelang.runtime.program import ProgramMemory
from spyrelang.spyrecode import Dimension, default_layout, read, write
from spyrelang.spyrecode.plan import ComputeOnHost, DataTransfer

ENGINES = ("fast", "checked")


def arrays(rows: int = 8, cols: int = 128, dtype: Any = np.float16) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    a = rng.standard_normal((rows, cols)).astype(dtype)
    b = rng.standard_normal((rows, cols)).astype(dtype)
    return a, b, np.zeros((rows, cols), dtype)


@pytest.fixture
def kernel(tmp_path: Path) -> Prepared:
    write(samples.add(), tmp_path / "k")
    return prepare(tmp_path / "k")


def refusal(call: Any, *args: Any, **named: Any) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        call(*args, **named)
    return caught.value


# --- the plan as seen from outside ----------------------------------------------------------------


def test_introspection(kernel: Prepared):
    assert [(s.kind, s.role, s.barrier, s.name) for s in kernel.steps] == [
        ("HostCompute", "Prep", True, "progCorrect0"),
        ("Compute", "Dev", True, "add"),
    ]
    assert kernel.dynamic_size == 0
    assert kernel.static_size == 256 + len(codec.encode(samples.add()))
    assert f"static_size={kernel.static_size}, dynamic_size=0" in repr(kernel)
    with pytest.raises(IndexError):
        _ = kernel.steps[2]


def test_names_of_compute_steps(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    assert prepare(tmp_path / "k", name="mine").steps[1].name == "mine#2"
    longest = "x" * 125
    assert prepare(tmp_path / "k", name=longest).steps[1].name == longest + "#2"
    error = refusal(prepare, tmp_path / "k", name="é" * 63)
    assert (error.code, "AIUPTI limit" in error.message) == ("SPY649", True)


def test_artifacts_of_other_compilers_cannot_be_prepared(tmp_path: Path):
    plans.put(tmp_path / "g1", plans.older(plans.symbolic()))
    assert refusal(prepare, tmp_path / "g1").code == "SPY663"


# --- launching ------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_launch(kernel: Prepared, engine: str):
    a, b, out = arrays()
    run = kernel.launch(a, b, out, engine=engine)
    assert (out == a + b).all()
    assert run.cycles > 0
    assert run.engine == engine
    assert run.outcome.cycles == run.cycles


@pytest.mark.parametrize("engine", ENGINES)
def test_other_addresses_give_equal_bits(kernel: Prepared, engine: str):
    a, b, expected = arrays()
    kernel.launch(a, b, expected, engine=engine)
    seen: set[tuple[int, ...]] = set()
    keep: list[Any] = []
    for gap in (0, 1000, 77_777):
        keep.append(runtime.empty((gap,), "i8"))
        tensors = [runtime.from_numpy(a), runtime.from_numpy(b), runtime.empty((8, 128), "f16")]
        kernel.launch(*tensors, engine=engine)
        assert tensors[2].numpy().tobytes() == expected.tobytes()
        seen.add(tuple(t.address for t in tensors))
        keep += tensors
    assert len(seen) == 3


def test_values_come_from_the_patched_program(kernel: Prepared, monkeypatch: pytest.MonkeyPatch):
    a, b, out = arrays()
    real = ProgramMemory.scatter

    def swapped(self: ProgramMemory, address: int, flits: int) -> None:
        real(self, address, flits)
        pool = self.data[256 + 128 : 256 + 256].reshape(8, 16)
        pool[[0, 1]] = pool[[2, 3]]  # a's starts become b's

    monkeypatch.setattr(ProgramMemory, "scatter", swapped)
    kernel.launch(a, b, out)
    assert (out == b + b).all()
    monkeypatch.setattr(ProgramMemory, "scatter", lambda *_: None)
    kernel.launch(a, b, out)
    assert (out == b + b).all()  # still what the last launch left


def test_an_uncorrected_program_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(samples.add(), tmp_path / "k")
    monkeypatch.setattr(ProgramMemory, "scatter", lambda *_: None)
    assert refusal(prepare(tmp_path / "k").launch, *arrays()).code == "SPY551"


def test_rounded_correction_runs(tmp_path: Path):
    write(samples.add(), tmp_path / "k", round_flits=True)
    a, b, out = arrays()
    prepare(tmp_path / "k").launch(a, b, out)
    assert (out == a + b).all()


def test_launch_in_another_process(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    a, b, out = arrays()
    prepare(tmp_path / "k").launch(a, b, out)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    code = (
        "import sys, numpy as np; from spyrelang import runtime\n"
        "d = sys.argv[1]; a, b = np.load(d + '/a.npy'), np.load(d + '/b.npy')\n"
        "out = np.zeros_like(a)\n"
        "runtime.prepare(d + '/k').launch(a, out=out, b=b)\n"
        "np.save(d + '/out.npy', out); print('mlir' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(spyrelang.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=True,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "False"
    assert np.load(tmp_path / "out.npy").tobytes() == out.tobytes()


def test_two_kernels_do_not_disturb_each_other(tmp_path: Path):
    write(samples.add(), tmp_path / "add")
    write(samples.add(op="mul", name="mul"), tmp_path / "mul")
    add, mul = prepare(tmp_path / "add"), prepare(tmp_path / "mul")
    a, b, out = arrays()
    for _ in range(2):
        add.launch(a, b, out)
        assert (out == a + b).all()
        mul.launch(a, b, out)
        assert (out == a * b).all()


def test_many_cores(tmp_path: Path):
    write(samples.add(64, 192, 32), tmp_path / "k")
    a, b, out = arrays(64, 192)
    prepare(tmp_path / "k").launch(a, b, out)
    assert (out == a + b).all()


def test_threads_take_turns(kernel: Prepared):
    results: list[bool] = []

    def work(factor: int) -> None:
        a, b, out = arrays()
        a = (a * factor).astype(np.float16)
        for _ in range(20):
            out[:] = 0
            kernel.launch(a, b, out)
            results.append(bool((out == a + b).all()))

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 40


def test_release(kernel: Prepared):
    with kernel:
        kernel.launch(*arrays())
    assert kernel.released
    assert "released" in repr(kernel)
    error = refusal(kernel.launch, *arrays())
    assert (error.code, "was released" in error.message) == ("SPY730", True)
    kernel.release()


# --- constant addresses ---------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_bound_and_symbolic_forms_agree(tmp_path: Path, engine: str):
    segment = 1 << 34
    write(samples.add(addresses=[0, segment, 2 * segment]), tmp_path / "bound")
    write(samples.add(), tmp_path / "symbolic")
    a, b, expected = arrays()
    prepare(tmp_path / "symbolic").launch(a, b, expected, engine=engine)
    for options in ({}, {"engine": engine}):
        out = np.zeros_like(a)
        prepare(tmp_path / "bound").launch(a, b, out, **options)
        assert out.tobytes() == expected.tobytes()
    forced = np.zeros_like(a)
    prepare(tmp_path / "symbolic", bound=True).launch(a, b, forced, engine=engine)
    assert forced.tobytes() == expected.tobytes()


def test_bound_tensors_need_a_segment_each(tmp_path: Path):
    base = samples.add()
    unused = tuple(p.Argument(f"u{i}", "in", "f16", (4,), (1,)) for i in range(5))
    inputs = tuple(p.SymbolInput(-100 - i, 3 + i) for i in range(5))
    wide = replace(base, arguments=(*base.arguments, *unused), inputs=(*base.inputs, *inputs))
    write(wide, tmp_path / "k")
    error = refusal(prepare, tmp_path / "k", bound=True)
    assert (error.code, "8 tensors" in error.message) == ("SPY735", True)
    a, b, out = arrays()
    prepare(tmp_path / "k").launch(a, b, out, *[np.zeros(4, np.float16)] * 5)
    assert (out == a + b).all()


def test_device_tensors_are_mapped_to_constant_addresses(tmp_path: Path):
    write(samples.add(addresses=[0, 1 << 20, 1 << 21]), tmp_path / "k", addresses={
        "a": 0, "b": 1 << 20, "out": 1 << 21,
    })  # fmt: skip
    a, b, _ = arrays()
    out = runtime.empty((8, 128), "f16")
    prepare(tmp_path / "k").launch(runtime.from_numpy(a), b, out)
    assert (out.numpy() == a + b).all()


def test_addresses_without_arguments(tmp_path: Path):
    executable = samples.add(addresses=[0, 4096, 8192])
    write(replace(executable, arguments=()), tmp_path / "k")
    a, b, out = arrays()
    memory = {0: a, 2048: b, 4096: out}
    prepare(tmp_path / "k").launch(memory=memory)
    assert (out == a + b).all()
    out.flags.writeable = False
    assert refusal(prepare(tmp_path / "k").launch, memory=memory).code == "SPY506"


# --- scratch, sizes, layouts ----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_scratch_is_made_for_each_launch(tmp_path: Path, engine: str):
    write(samples.through_scratch(), tmp_path / "k")
    kernel = prepare(tmp_path / "k")
    assert kernel.dynamic_size == 512
    a = np.arange(256, dtype=np.float16).reshape(4, 64)
    for factor in (1, 2):
        out = np.zeros_like(a)
        kernel.launch(a * np.float16(factor), out, engine=engine)
        assert (out == 3 * factor * a).all()
    error = refusal(kernel.launch, a, out=a.copy(), tmp=a)
    assert (error.code, "'tmp'" in error.message) == ("SPY716", True)


@pytest.fixture
def rows(tmp_path: Path) -> Prepared:
    bounds = {"n": Dimension(maximum=64, granularity=4, minimum=4)}
    write(samples.fill_rows(64), tmp_path / "rows", dimensions=bounds)
    return prepare(tmp_path / "rows")


@pytest.mark.parametrize("engine", ENGINES)
def test_one_artifact_serves_many_sizes(rows: Prepared, engine: str):
    a = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    for n in (8, 4, 64):
        out = np.full_like(a, -1)
        rows.launch(a, out, n, engine=engine)
        assert (out[:n] == a[:n] + a[:n]).all()
        assert (out[n:] == -1).all()


def test_sizes_that_are_not_admitted(rows: Prepared):
    a = np.zeros((64, 64), np.float16)
    error = refusal(rows.launch, a, a.copy(), n=10)
    assert error.code == "SPY741"
    for words in ("argument #2 'n'", "4 to 64 in steps of 4", "8 or 12"):
        assert words in error.message
    assert refusal(rows.launch, a, a.copy(), n=68).code == "SPY741"
    assert refusal(rows.launch, a, a.copy(), n=2.0).code == "SPY714"


def test_sizes_read_from_arrays(tmp_path: Path):
    executable = samples.fill_rows(64)
    arguments = executable.arguments[:2]
    inputs = (*executable.inputs[:2], replace(executable.inputs[2], arg=0))
    executable = replace(executable, arguments=arguments, inputs=inputs)
    bounds = {"a": Dimension(maximum=64, granularity=4, minimum=4, dim=0)}
    write(executable, tmp_path / "k", dimensions=bounds)
    kernel = prepare(tmp_path / "k")
    for n in (8, 64, 12):
        a = np.arange(n * 64, dtype=np.float16).reshape(n, 64)
        out = np.full((64, 64), -1, np.float16)
        kernel.launch(a, out)
        assert (out[:n] == a + a).all()
        assert (out[n:] == -1).all()
    assert refusal(kernel.launch, np.zeros((10, 64), np.float16), out).code == "SPY741"
    assert refusal(kernel.launch, np.zeros(64, np.float16), out).code == "SPY706"


def test_recorded_layouts_are_used(tmp_path: Path):
    layout = default_layout((8, 128), "f16")
    assert layout.stride_map == (64, 128, 1)
    layouts = dict.fromkeys(("a", "b", "out"), layout)
    write(samples.add(), tmp_path / "k", layouts=layouts)
    a, b, out = arrays()
    prepare(tmp_path / "k").launch(a, b, out)
    assert (out == a + b).all()
    write(samples.add(), tmp_path / "mixed", layouts={"a": layout})
    prepare(tmp_path / "mixed").launch(a, np.zeros_like(b), out)
    assert not (out == a).all()  # the kernel met a's sticks in device order
    assert sorted(out.reshape(-1)) == sorted(a.reshape(-1))


# --- plans by hand --------------------------------------------------------------------------------


def with_plan(path: Path, change: Any) -> Prepared:
    """The artifact at `path`, with commands changed after it was verified."""
    artifact = read(path)
    plan = replace(artifact.plan, commands=tuple(change(artifact.plan.commands)))
    return Prepared(replace(artifact, plan=plan), name=None, bound=False)


def test_copy_back_from_the_program(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    back = DataTransfer(False, 128, plans.P7, "seen")
    kernel = with_plan(tmp_path / "k", lambda c: (*c, back))
    assert [s.kind for s in kernel.steps] == ["HostCompute", "Compute", "D2H"]
    run = kernel.launch(*arrays())
    assert len(run.host["seen"]) == 128
    assert int.from_bytes(run.host["seen"][:4], "little") == 4096 // 128


def test_copy_back_from_a_tensor(tmp_path: Path):
    segment = 1 << 34
    write(samples.add(addresses=[0, segment, 2 * segment]), tmp_path / "k")
    a, b, out = arrays()
    good = with_plan(tmp_path / "k", lambda c: (*c, DataTransfer(False, 512, 2 * segment, "r")))
    assert good.launch(a, b, out).host["r"] == (a + b).tobytes()[:512]
    far = with_plan(tmp_path / "k", lambda c: (*c, DataTransfer(False, 512, 4 * segment, "r")))
    error = refusal(far.launch, a, b, out)
    assert (error.code, "out of range" in error.message) == ("SPY733", True)
    long = with_plan(tmp_path / "k", lambda c: (*c, DataTransfer(False, 4096, 2 * segment, "r")))
    error = refusal(long.launch, a, b, out)
    assert (error.code, "out of bounds" in error.message) == ("SPY734", True)


def change_correction(**change: Any) -> Any:
    def apply(commands: Any) -> Any:
        host = commands[0]
        assert isinstance(host, ComputeOnHost)
        return (replace(host, correction=replace(host.correction, **change)), *commands[1:])

    return apply


def test_a_launch_needs_one_conversion_record(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    kernel = with_plan(tmp_path / "k", change_correction(records=0))
    error = refusal(kernel.launch, *arrays())
    assert (error.code, "one DCI" in error.message) == ("SPY731", True)


def test_a_target_outside_the_program(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    kernel = with_plan(tmp_path / "k", change_correction(targets=(5,)))
    assert refusal(kernel.launch, *arrays()).code == "SPY656"


def test_a_symbol_of_no_argument(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    table = read(tmp_path / "k").symtab
    assert table is not None
    wrong = replace(table, inputs=(replace(table.inputs[0], arg=9), *table.inputs[1:]))
    error = refusal(with_plan, tmp_path / "k", change_correction(table=wrong))
    assert (error.code, "tensor_id out of range" in error.message) == ("SPY732", True)


def test_host_input_from_a_buffer(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    kernel = with_plan(tmp_path / "k", lambda c: (replace(c[0], ihandle="patch"), *c[1:]))
    kernel_steps = [s.kind for s in kernel.steps]
    assert kernel_steps == ["HostCompute", "Compute"]
    handles = np.array([4096, 8192, 12288], "<i8").tobytes()
    from spyrelang.runtime.program import little_endian

    assert little_endian(handles, 3) == [4096, 8192, 12288]


# --- tensors of other libraries -------------------------------------------------------------------


class FakeTensor:
    """Looks like a CPU tensor of torch."""

    def __init__(self, array: Any, device: str = "cpu", requires_grad: bool = False) -> None:
        self.array, self.device, self.requires_grad = array, device, requires_grad
        self.dtype = f"torch.{array.dtype.name}"

    def detach(self) -> FakeTensor:
        return self

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def numpy(self) -> Any:
        return self.array

    def view(self, dtype: Any) -> FakeTensor:
        return FakeTensor(self.array.view(dtype))


def test_torch_tensors_by_their_methods(kernel: Prepared, monkeypatch: pytest.MonkeyPatch):
    a, b, out = arrays()
    kernel.launch(FakeTensor(a), b, FakeTensor(out))
    assert (out == a + b).all()
    error = refusal(kernel.launch, FakeTensor(a, "cuda:0"), b, out)
    assert (error.code, "cuda:0" in error.message) == ("SPY715", True)
    assert refusal(kernel.launch, FakeTensor(a, requires_grad=True), b, out).code == "SPY715"
    import ml_dtypes

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(int16=np.int16))
    tensor = runtime.from_numpy(FakeTensor(a.astype(ml_dtypes.bfloat16)))
    assert tensor.dtype == ml_dtypes.bfloat16


def test_artifact_helpers(kernel: Prepared):
    assert isinstance(spyrecode.read(kernel.path).disassembly(), str)
    assert kernel.executable == samples.add()


def test_pickling_prepares_again(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    again = pickle.loads(pickle.dumps(prepare(tmp_path / "k", name="mine")))
    assert again.steps[1].name == "mine#2"
    a, b, out = arrays()
    again.launch(a, b, out)
    assert (out == a + b).all()


# --- symbols and sizes that do not suit the arguments ---------------------------------------------


def sized(tmp_path: Path) -> Any:
    """An artifact whose row count is read from dimension 0 of `a`."""
    executable = samples.fill_rows(64)
    inputs = (*executable.inputs[:2], replace(executable.inputs[2], arg=0))
    executable = replace(executable, arguments=executable.arguments[:2], inputs=inputs)
    bounds = {"a": Dimension(maximum=64, granularity=4, minimum=4, dim=0)}
    write(executable, tmp_path / "sized", dimensions=bounds)
    return read(tmp_path / "sized")


def with_inputs(artifact: Any, *inputs: Any) -> Prepared:
    host = artifact.plan.commands[0]
    table = replace(artifact.symtab, inputs=inputs)
    host = replace(host, correction=replace(host.correction, table=table))
    plan = replace(artifact.plan, commands=(host, *artifact.plan.commands[1:]))
    return Prepared(replace(artifact, plan=plan), name=None, bound=False)


def test_arguments_that_share_a_size(tmp_path: Path):
    artifact = sized(tmp_path)
    a, out, n = artifact.symtab.inputs
    n = replace(n, name="rows")
    kernel = with_inputs(artifact, a, out, n, replace(n, id=-9, arg=1))
    x = np.ones((8, 64), np.float16)
    y = np.zeros_like(x)
    kernel.launch(x, y, rows=8)
    assert (y == 2).all()
    error = refusal(kernel.launch, x, np.zeros((4, 64), np.float16))
    assert (error.code, "is 8 in argument 'a' and 4 in 'out'" in error.message) == ("SPY742", True)
    error = refusal(kernel.launch, x, y, rows=12)
    assert (error.code, "is 12" in error.message) == ("SPY742", True)


def test_a_dimension_the_array_lacks(tmp_path: Path):
    artifact = sized(tmp_path)
    a, out, n = artifact.symtab.inputs
    kernel = with_inputs(artifact, a, out, replace(n, dim=5))
    x = np.ones((64, 64), np.float16)
    error = refusal(kernel.launch, x, x.copy())
    assert (error.code, "kDimension" in error.message) == ("SPY740", True)


def test_inputs_of_the_wrong_kind(tmp_path: Path):
    artifact = sized(tmp_path)
    a, out, n = artifact.symtab.inputs
    assert refusal(with_inputs, artifact, a, out, replace(n, dim=-1)).code == "SPY652"


def test_layout_records_are_checked_against_the_arguments(tmp_path: Path):
    write(samples.add(), tmp_path / "k")
    artifact = read(tmp_path / "k")
    spec = artifact.launch_spec
    assert spec is not None
    short = default_layout((4, 128), "f16")
    args = tuple(replace(arg, layout=short) for arg in spec.args)
    damaged = replace(artifact, launch_spec=replace(spec, args=args))
    assert refusal(Prepared, damaged, name=None, bound=False).code == "SPY665"


# --- anything at all in the files -----------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 70, 1.5, "", "x", "-1", "128", str(plans.P7), [], {}, [1], ["1"],
    {"a": 1}, "\ud800",
)  # fmt: skip


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all values in a JSON document."""
    if path:
        yield path
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        yield from places(value, (*path, key))


def mutate(document: Any, rng: random.Random) -> None:
    """Remove, repeat, shift or replace one value."""
    *path, last = rng.choice(list(places(document)))
    target = document
    for key in path:
        target = target[key]
    value, choice = target[last], rng.random()
    if choice < 0.25:
        del target[last]
    elif choice < 0.4 and isinstance(target, list):
        target.insert(last, value)
    elif choice < 0.6 and type(value) is int:
        target[last] = value + rng.choice((-1, 1, 7, 128))
    elif choice < 0.7 and isinstance(value, str) and value.isdigit():
        target[last] = str(int(value) + rng.choice((-128, -1, 1, 128)))
    else:
        target[last] = rng.choice(VALUES)


@pytest.mark.parametrize("seed", range(120))
@pytest.mark.filterwarnings("ignore::spyrelang.errors.SpyreWarning")
def test_damaged_json_gives_named_errors_only(tmp_path: Path, seed: int):
    rng = random.Random(seed)
    a = np.ones((8, 128), np.float16)
    if rng.random() < 0.5:
        executable, args = samples.add(), (a, a, a.copy())
    else:
        rows = np.ones((64, 64), np.float16)
        executable, args = samples.fill_rows(64), (rows, rows.copy(), 4)
    write(executable, tmp_path / "k")
    name = rng.choice(("spyrecode.json", "spyrecode.json", "launch_spec.json", "symbol_kinds.json"))
    path = tmp_path / "k" / name
    document = json.loads(path.read_text())
    mutate(document, rng)
    path.write_text(json.dumps(document))
    remanifest(tmp_path / "k")
    with contextlib.suppress(SpyreError):
        prepare(tmp_path / "k").launch(*args)
