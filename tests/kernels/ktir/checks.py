"""What tests of errors and warnings share: running texts that are wrong, and a kernel to break."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pytest

import spyrelang as spyre

from .kit import kernel, load, store, tile, view

IDS = "%id = ktdp.get_compute_tile_id : index\n"


def refused(text: str, arrays: Mapping[str, Any] | None = None, **more: Any) -> spyre.SpyreError:
    """The error of loading and running; it names a line unless it is about the arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(spyre.SpyreError) as caught:
            spyre.load_ktir(text).run(dict(arrays or {}), engine="ktir", **more)
    return caught.value


def placed(text: str, arrays: Mapping[str, Any] | None = None, **more: Any) -> spyre.SpyreError:
    found = refused(text, arrays, **more)
    assert found.location is not None
    assert "^" in found.render()
    return found


def reported(text: str, arrays: Mapping[str, Any], code: str) -> str:
    """The text of the one warning of that code of a run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = spyre.load_ktir(text).run(dict(arrays), engine="ktir")
    (finding,) = [w for w in found.warnings if w.code == code]
    assert f"warning[{code}]: {finding.message[:40]}" in str(found.report())
    return str(finding)


def copy(at: str, rows: int = 4, shape: tuple[int, int] = (8, 64), before: str = "") -> str:
    body = IDS + before + view("x", shape) + view("o", shape)
    extents = [rows, shape[1]]
    body += tile("x", shape, extents, at) + load("x", extents)
    return body + tile("o", shape, extents, at) + store("%x_x", "o", extents)


COPY = kernel(
    "k", "x, o", [2], copy("%r, 0", before="%c4 = index.constant 4\n%r = index.mul %id, %c4\n")
)
"""Rows of x to o, four a tile."""


def loading(code: str, text: str) -> spyre.SpyreError:
    """The error of that code on load; it names a line."""
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(text)
    assert caught.value.code == code, caught.value
    assert caught.value.location is not None
    assert caught.value.location.line
    return caught.value
