"""The one MLIR context of the process, and the lock around it."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

from mlir import ir

# The stubs of the wheels leave it out: an exception with `error_diagnostics`, each of which has
# `message`, `location` and `notes`.
MLIRError: Any = getattr(ir, "MLIRError")  # noqa: B009

LOCK = threading.RLock()
"""Held around parsing, printing and passes: the context is used by one thread at a time."""


@lru_cache(maxsize=1)
def _create() -> ir.Context:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    context.enable_multithreading(False)
    return context


def context() -> ir.Context:
    """The process's context: unregistered dialects allowed, multithreading off."""
    with LOCK:
        return _create()
