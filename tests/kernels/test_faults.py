"""One fault put into a compiled kernel: the checked engine reports it by name, with its line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from acceptance import data, poisoned, same

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.engines import Options
from spyrelang.isa import program as p
from spyrelang.runtime import execute

DEVICE = "sample_device"
SHAPE = (8, 128)
LOADS, READS, COMPUTES, WRITES, STORES = range(1, 6)  # the program units, in the order of the text


@spyre.kernel
def add(x: spy.In, y: spy.In, out: spy.Out):
    for i in spy.range(0, x.shape[0], 2):
        out[i : i + 2, :] = spy.load(x[i : i + 2, :]) + y[i : i + 2, :]


def healthy() -> str:
    x = data(SHAPE)
    return str(add.compile(x, x, x, device=DEVICE).ir("dataflow"))


def edit(*changes: tuple[int, str, str, int]) -> tuple[str, list[int]]:
    """The text with the nth occurrence of something in one unit replaced, and the lines changed."""
    parts = healthy().split("dataflow.program_unit")
    assert len(parts) == 6
    lines: list[int] = []
    for unit, old, new, nth in changes:
        at = -1
        for _ in range(nth + 1):
            at = parts[unit].find(old, at + 1)
        assert at >= 0, f"{old} is not in unit {unit}"
        before = "dataflow.program_unit".join([*parts[:unit], parts[unit][:at]])
        lines.append(before.count("\n") + 1)
        parts[unit] = parts[unit][:at] + new + parts[unit][at + len(old) :]
    return "dataflow.program_unit".join(parts), lines


def run(compiled: Any, **options: Any) -> tuple[Any, bool]:
    """The run, and whether the result is right."""
    x, y = data(SHAPE), data(SHAPE, seed=1)
    out = poisoned(SHAPE, np.float16)
    outcome = compiled.run(x, y, out, engine="checked", options=Options(**options))
    return outcome, same(out, x + y)


def reported(text: str, *codes: str, line: int | None = None, **options: Any) -> spyre.SpyreError:
    compiled = spyre.resume("dataflow", text, device=DEVICE)
    with pytest.raises(spyre.SpyreError) as caught:
        run(compiled, **options)
    error = caught.value
    assert error.code in codes, str(error)
    assert error.location is not None, str(error)
    if line is not None:
        places = [error.location, *(n.location for n in error.notes if n.location is not None)]
        assert any(abs(place.line - line) <= 3 for place in places), f"line {line}: {error}"
    return error


def test_the_text_is_healthy_before_any_fault() -> None:
    compiled = spyre.resume("dataflow", healthy(), device=DEVICE)
    outcome, right = run(compiled)
    assert right
    assert not outcome.warnings


SIGNAL = " {wait_immediately_for_async_transfers = true} : index\n"


def test_a_signal_removed_is_a_deadlock() -> None:
    text, _ = edit((LOADS, f"dataflow.sync_send %3{SIGNAL}", "", 0))
    error = reported(text, "SPY510")
    assert "C0-l1lu-CL0 waits for a signal from C0-mnilu" in str(error)


def test_a_vector_removed_is_a_deadlock() -> None:
    text, _ = edit((READS, "dataflow.send %16, %19 : vector<64xf16>\n", "", 0))
    error = reported(text, "SPY510")
    assert "waits for a vector" in str(error)


def test_a_signal_and_its_receive_removed_is_a_race() -> None:
    text, lines = edit(
        (READS, "dataflow.sync_recv %0 : index\n", "", 0),
        (LOADS, f"dataflow.sync_send %3{SIGNAL}", "", 0),
        (LOADS, f"dataflow.sync_send %4{SIGNAL}", "", 0),
    )
    error = reported(text, "SPY504", "SPY505")
    assert lines
    assert "mnilu" in str(error)
    assert "l1lu" in str(error)


def test_a_receive_dropped_leaves_a_signal_at_exit() -> None:
    """The last tile's buffer is free again, and nobody takes the news."""
    text, _ = edit((LOADS, "dataflow.sync_recv %3 : index\n", "", 0))
    error = reported(text, "SPY504", "SPY511")
    relaxed = spyre.resume("dataflow", text, device=DEVICE)
    with pytest.raises(spyre.SpyreError) as caught:
        run(relaxed, races="off", poison="off")
    assert caught.value.code == "SPY511", str(caught.value)
    assert "C0-l1lu-CL0" in str(caught.value)
    assert error.hint


def test_a_signal_that_does_not_wait_for_its_transfer_is_a_race() -> None:
    text, _ = edit(
        (LOADS, "async_transfers = true", "async_transfers = false", 0),
        (LOADS, "async_transfers = true", "async_transfers = false", 0),
    )
    reported(text, "SPY504", "SPY505")


def test_the_other_buffer_in_one_iteration() -> None:
    """In iteration 2 the unit reads the buffer that is being filled, not the one that is full."""
    text, (line,) = edit(
        (READS, "%14[%arg1 mod 2, %arg2", "%14[(%arg1 + %arg1 floordiv 2) mod 2, %arg2", 0)
    )
    reported(text, "SPY504", "SPY505", line=line)


def test_two_buffers_exchanged_in_one_unit_are_a_wrong_result_not_a_fault() -> None:
    """x + y is y + x; what x - y would be, only numbers can tell."""
    text, _ = edit((READS, "%14[", "%17[", 0), (READS, "%17[", "%14[", 1))
    outcome, right = run(spyre.resume("dataflow", text, device=DEVICE))
    assert right
    assert not outcome.warnings


def test_a_scratchpad_address_moved_into_another_buffer() -> None:
    text, _ = edit(
        (READS, "get_logical_memory_view %2, %c512", "get_logical_memory_view %2, %c0", 0)
    )
    compiled = spyre.resume("dataflow", text, device=DEVICE)
    outcome, right = run(compiled)
    assert not right  # x + x: no engine knows what was meant, but a reference does
    text, _ = edit(
        (WRITES, "get_logical_memory_view %2, %c1024", "get_logical_memory_view %2, %c512", 0)
    )
    reported(text, "SPY504", "SPY505")
    assert outcome


def test_a_view_that_leaves_its_memory() -> None:
    text, _ = edit((STORES, "%arg1 * 2, 0]", "%arg1 * 2 + 2, 0]", 0))
    assert "coordinate 9" in str(reported(text, "SPY501", "SPY502"))


def test_rows_that_nothing_writes_and_rows_written_twice() -> None:
    text, _ = edit((STORES, "%12[%arg1 * 2, 0]", "%12[%arg1 floordiv 2 * 4, 0]", 0))
    compiled = spyre.resume("dataflow", text, device=DEVICE)
    outcome, right = run(compiled)
    assert not right
    (coverage,) = outcome.outcome.coverage
    assert not coverage.complete
    missing = np.flatnonzero(~coverage.written.reshape(8, 256).all(axis=1))
    assert missing.tolist() == [2, 3, 6, 7]
    assert outcome.warnings or "out" in str(outcome.report())


# --- the machine ----------------------------------------------------------------------------------


def test_a_fifo_smaller_than_the_program_needs_is_a_deadlock() -> None:
    """The store unit is told to begin when a whole row of a tile is computed: two vectors."""
    text, _ = edit(
        (
            COMPUTES,
            "            }\n          }\n        }\n",
            f"            }}\n            dataflow.sync_send %17{SIGNAL}          }}\n        }}\n",
            0,
        ),
        (WRITES, "step %c1 {\n", "step %c1 {\n            dataflow.sync_recv %15 : index\n", 0),
    )
    compiled = spyre.resume("dataflow", text, device=DEVICE)
    _, right = run(compiled)
    assert right
    x = data(SHAPE)
    arrays = {"x": x, "y": x, "out": poisoned(SHAPE, np.float16)}
    with pytest.raises(spyre.SpyreError) as caught:
        execute(with_depth(compiled.executable, 1), arrays, engine="checked")
    assert caught.value.code == "SPY510", str(caught.value)
    assert "C0-sfu-CL0 waits for room" in str(caught.value)


def test_a_fifo_of_one_vector_is_enough_for_what_the_scheduler_makes() -> None:
    x, y = data(SHAPE), data(SHAPE, seed=1)
    compiled = add.compile(x, y, x, device=DEVICE)
    arrays = {"x": x, "y": y, "out": poisoned(SHAPE, np.float16)}
    for engine in ("checked", "fast"):
        execute(with_depth(compiled.executable, 1), arrays, engine=engine)
        assert same(arrays["out"], x + y)


def with_depth(exe: p.Executable, depth: int) -> p.Executable:
    """The same program on a machine with shorter FIFOs."""
    links = tuple(replace(link, depth=min(link.depth, depth)) for link in exe.machine.links)
    return replace(exe, machine=replace(exe.machine, links=links))


def test_an_address_on_the_device_that_is_shifted() -> None:
    """Each row goes one row further down: the first stays unwritten, the last leaves the array."""
    text, _ = edit((STORES, "%12[%arg1 * 2, 0]", "%12[%arg1 * 2 + 1, 0]", 0))
    assert "the view of size 8" in str(reported(text, "SPY502"))


def test_an_op_that_gives_other_lanes_than_its_type_says() -> None:
    x = data(SHAPE)
    exe = add.compile(x, x, x, device=DEVICE).executable

    def shorter(body: tuple[p.Instr, ...]) -> tuple[p.Instr, ...]:
        changed: list[p.Instr] = []
        for instr in body:
            if isinstance(instr, p.For):
                changed.append(replace(instr, body=shorter(instr.body)))
            elif isinstance(instr, p.Compute):
                changed.append(replace(instr, lanes=32))
            else:
                changed.append(instr)
        return tuple(changed)

    (program,) = exe.programs
    units = tuple(replace(u, body=shorter(u.body)) for u in program.units)
    broken = replace(exe, programs=(replace(program, units=units),))
    arrays = {"x": x, "y": x, "out": poisoned(SHAPE, np.float16)}
    with pytest.raises(spyre.SpyreError) as caught:
        execute(broken, arrays, engine="checked")
    assert caught.value.code == "SPY515", str(caught.value)
    assert "it gives 64 lanes, 32 were asked for" in caught.value.message
