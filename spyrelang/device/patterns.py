"""Running the PDL patterns of a device on a module, at one of the checkpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from mlir import ir as mlir
from mlir import rewrite

from spyrelang import ir
from spyrelang.device.device import Device
from spyrelang.device.files import is_ours
from spyrelang.device.natives import NATIVES, Misused
from spyrelang.errors import Location, Note, SpyreError
from spyrelang.errors.device import NATIVE, NO_FIXED_POINT, PATTERN
from spyrelang.ir.context import MLIRError
from spyrelang.ir.guard import ends

CHECKPOINTS = ("pre_mapping", "pre_scheduling", "post_scheduling", "post_lowering")
"""Where patterns run, in the order of the path. Device files may use other names too."""

TRIAL_SECONDS = 15
"""Time that patterns of others may take on a module; ours take milliseconds."""
REWRITES_PER_OP = 200
MAX_ROUNDS = 64
"""Beyond these a set of patterns is taken to go on for ever."""


def apply(module: ir.Module, device: Device, checkpoint: str) -> None:
    """Rewrite `module` in place with the patterns of `device` for `checkpoint`, to a fixed point.

    Ops of the module held elsewhere become invalid. Raises SPY320 for a pattern that does not
    work, SPY321 when there is no fixed point, SPY323 for a native function misused.
    """
    found = device.located_patterns(checkpoint)
    if not found:
        return
    with ir.LOCK, ir.context(), mlir.Location.unknown():
        if not all(_is_ours(place) for _, place in found):
            _try(module, device, checkpoint, found)
        _run(module, device, checkpoint, found)
        _verified(module, device, checkpoint, found)


Located = tuple[tuple[str, Location | None], ...]
"""Patterns as PDL text, with the place of each."""


def _try(module: ir.Module, device: Device, checkpoint: str, found: Located) -> None:
    """Patterns of others may make MLIR abort, with result numbers out of range or ops with wrong
    parts, or take for ever: a child process runs them first. Raises SPY320."""
    how = ends(lambda: _run(module, device, checkpoint, found), TRIAL_SECONDS)
    if how is not None:
        place = _suspect(place for _, place in found)
        why = f"MLIR {how} when it compiles or applies them"
        raise PATTERN.error(place, source=device.name, checkpoint=checkpoint, why=why)


def _run(module: ir.Module, device: Device, checkpoint: str, found: Located) -> None:
    frozen = _frozen(found, device.name, checkpoint)
    config = rewrite.GreedyRewriteConfig()
    config.max_iterations = MAX_ROUNDS
    config.max_num_rewrites = REWRITES_PER_OP * _count(module)
    try:
        rewrite.apply_patterns_and_fold_greedily(module.mlir, frozen, config)
    except Misused as bad:
        raise _misused(found, bad) from None
    except (RuntimeError, MLIRError):
        place = _suspect(place for _, place in found)
        raise NO_FIXED_POINT.error(place, name=device.name, checkpoint=checkpoint) from None


def _misused(patterns: Located, bad: Misused) -> SpyreError:
    """The error at the pattern, where only one calls the function."""
    place = _suspect(place for text, place in patterns if f'"{bad.function}"' in text)
    return NATIVE.error(place, function=bad.function, why=bad.why)


def _suspect(places: Iterable[Location | None]) -> Location | None:
    """The one pattern that does not come with spyrelang; None where there are several."""
    found = [p for p in places if p is not None and not _is_ours(p)]
    return found[0] if len(found) == 1 else None


def _is_ours(place: Location | None) -> bool:
    return place is not None and is_ours(Path(place.file))


def _count(module: ir.Module) -> int:
    """Ops in a module."""
    total = 0

    def visit(_: mlir.Operation) -> mlir.WalkResult:
        nonlocal total
        total += 1
        return mlir.WalkResult.ADVANCE

    module.operation.walk(visit, mlir.WalkOrder.POST_ORDER)
    return total


def _verified(module: ir.Module, device: Device, checkpoint: str, patterns: Located) -> None:
    """What a pattern has made must be legal: nobody else looks before it is compiled."""
    try:
        ir.verify(module, _made(tuple(text for text, _ in patterns)))
    except SpyreError as bad:
        place = _suspect(place for _, place in patterns)
        notes = [Note("what it made stands for this", bad.location)] if place is not None else []
        raise PATTERN.error(
            place or bad.location, notes=notes,
            source=device.name, checkpoint=checkpoint, why=bad.message,
        ) from None  # fmt: skip


@lru_cache(maxsize=64)
def _made(texts: tuple[str, ...]) -> frozenset[str]:
    """Names of the ops that the patterns make (and of some that they only match)."""
    return frozenset(name for text in texts for name in _OPERATION.findall(text))


_OPERATION = re.compile(r'"([^"]*)"')


@lru_cache(maxsize=64)
def _frozen(patterns: Located, source: str, checkpoint: str) -> Any:
    """The compiled patterns; kept, because compiling takes longer than rewriting."""
    _check_calls(patterns, source, checkpoint)
    try:
        return _compiled("\n".join(text for text, _ in patterns))
    except _REFUSALS as bad:
        place = next((where for text, where in patterns if not _compiles(text)), None)
        raise PATTERN.error(place, source=source, checkpoint=checkpoint, why=_first(bad)) from None


_REFUSALS = (RuntimeError, ValueError, MLIRError)


def _compiles(text: str) -> bool:
    try:
        _compiled(text)
    except _REFUSALS:
        return False
    return True


def _compiled(body: str) -> Any:
    module = mlir.Module.parse(f"module @patterns {{\n{body}\n}}")
    patterns = rewrite.PDLModule(module)
    for native in NATIVES.values():
        if native.is_constraint:
            patterns.register_constraint_function(native.name, native.call)
        else:
            patterns.register_rewrite_function(native.name, native.call)
    return patterns.freeze()


def _first(bad: Exception) -> str:
    found = getattr(bad, "error_diagnostics", None)
    return found[0].message if found else str(bad).split("\n")[0]


_CALL = re.compile(
    r'apply_native_(?P<kind>constraint|rewrite)\s+"(?P<name>[^"]*)"\s*'
    r"\((?P<values>[^()]*?)(?::(?P<types>[^()]*))?\)\s*(?::\s*(?P<result>[^{\n]*))?"
)

_EXTERNAL = re.compile(r'\brewrite(?:\s+%[\w$.-]+)?\s+with\s+"')


def _check_calls(patterns: Located, source: str, checkpoint: str) -> None:
    """MLIR aborts on an unknown native function and on one of another shape: look first."""
    for text, place in patterns:
        if _EXTERNAL.search(text):
            why = "a rewrite must have a body: there are no external rewriters"
            raise PATTERN.error(place, source=source, checkpoint=checkpoint, why=why)
        for found in _CALL.finditer(text):
            why = _wrong_call(found)
            if why is not None:
                raise PATTERN.error(place, source=source, checkpoint=checkpoint, why=why)


def _wrong_call(found: re.Match[str]) -> str | None:
    name = found["name"]
    native = NATIVES.get(name)
    if native is None or native.is_constraint != (found["kind"] == "constraint"):
        return f"there is no native {found['kind']} '{name}'"
    types = ", ".join(t.strip() for t in (found["types"] or "").split(","))
    if types not in native.inputs:
        return f"'{name}' takes ({' or '.join(native.inputs)}), not ({types})"
    result = (found["result"] or "").strip() or None
    if result != native.output:
        return f"'{name}' gives {native.output or 'nothing'}, not {result or 'nothing'}"
    return None
