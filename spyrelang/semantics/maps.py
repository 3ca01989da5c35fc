"""Affine maps and sets as attributes of lane ops: MLIR's text, or one entry per lane."""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.affine import Map, Set
from spyrelang.semantics.op import Array, Site


def read_map(site: Site, name: str) -> Map:
    """The attribute as a map of one lane to one lane."""
    value = site.attrs.get(name)
    if isinstance(value, str):
        value = Map.parse(value)
    if not isinstance(value, Map) or (value.n_dims, value.n_syms, value.n_results) != (1, 0, 1):
        raise site.bad(name, "must be a map of one dim to one result")
    return value


def read_set(site: Site, name: str, symbols: int) -> Set:
    """The attribute as a set of lanes with this many symbols."""
    value = site.attrs.get(name)
    if isinstance(value, str):
        value = Set.parse(value)
    if not isinstance(value, Set) or (value.n_dims, value.n_syms) != (1, symbols):
        raise site.bad(name, f"must be a set of one dim and {symbols} symbols")
    return value


def lane_map(site: Site, name: str, lanes: int) -> tuple[int, ...]:
    """The value of the map for each of `lanes` lanes."""
    if isinstance(site.attrs.get(name), (tuple, list)):
        values = site.indices(name)
        if len(values) != lanes:
            raise site.bad(name, f"has {len(values)} entries for {lanes} lanes")
        return values
    (result,) = read_map(site, name).eval([np.arange(lanes)])
    return tuple(int(v) for v in np.broadcast_to(result, (lanes,)))


def lane_set(site: Site, name: str, lanes: int, symbols: int) -> Callable[..., Array]:
    """Function of the symbols to which of `lanes` lanes are in the set, on a last axis."""
    if symbols == 0 and isinstance(site.attrs.get(name), (tuple, list)):
        members = site.indices(name)
        if len(members) != lanes:
            raise site.bad(name, f"has {len(members)} entries for {lanes} lanes")
        return lambda: np.array(members, np.bool_)
    of = read_set(site, name, symbols)
    lane = np.arange(lanes)

    def member(*values: Array) -> Array:
        shape: Any = np.broadcast_shapes(lane.shape, *(v.shape for v in values))
        return np.array(np.broadcast_to(of.contains([lane], values), shape), np.bool_)

    return member


def moves(site: Site, side: str) -> tuple[Array, Array]:
    """For a merge, (result lanes, source lanes) of the points of one side's iteration space."""
    space = read_set(site, f"iteration_space_C{side}", 0)
    box = space.bounding_box()
    if box is not None and box[0][1] - box[0][0] >= 1 << 24:
        raise site.bad(f"iteration_space_C{side}", "has more points than a vector has lanes")
    points = np.array([p for (p,) in space.points()], np.intp)
    ends = [read_map(site, f"access_function_{k}").eval([points]) for k in (f"C{side}", side)]
    target, source = (np.broadcast_to(e, points.shape).astype(np.intp) for (e,) in ends)
    return target, source
