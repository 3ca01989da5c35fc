"""The fast engine: whole loops and all cores at once, with the bits of the checked engine.

A program is compiled once: units of one kind with the same control become one class, whose units
are axis 0 of every array; loops whose trips are independent become further axes; FIFO traffic moves
in blocks; transfers and loads are strided copies. What cannot be proved independent runs as a
Python loop, still for all units at once. Transfers complete at once; timing faults are the
business of the checked engine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from spyrelang.engines.fast.session import Session
from spyrelang.engines.memory import DeviceMemory
from spyrelang.engines.outcome import Options, Outcome, Progress
from spyrelang.isa.program import Executable

__all__ = ["run"]


def run(
    executable: Executable,
    memory: DeviceMemory,
    values: Mapping[int, int],
    *,
    seed: int = 0,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run `executable` on `memory`. `values` gives every symbol (also derived ones) by id.

    The outcome's `cycles` are an estimate and its events are empty; of `options` only `numerics`
    and `leftovers` matter here, and neither `seed` nor `progress`. Raises SPY5xx.
    """
    del seed, progress
    options = options or Options()
    session = _session(executable, options.numerics)
    return session.launch(memory, values, options.leftovers)


_KEPT = 8
_SESSIONS: OrderedDict[tuple[int, str], Session] = OrderedDict()
"""Sessions by identity of the executable: a hash would walk all of it at every launch. A session
holds its executable, so no other object can have the same identity while it is here."""


def _session(executable: Executable, numerics: str) -> Session:
    key = (id(executable), numerics)
    found = _SESSIONS.get(key)
    if found is None:
        found = _SESSIONS[key] = Session(executable, numerics)
    _SESSIONS.move_to_end(key)
    while len(_SESSIONS) > _KEPT:
        _SESSIONS.popitem(last=False)
    return found
