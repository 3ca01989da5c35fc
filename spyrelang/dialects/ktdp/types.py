"""Types and memory spaces of ktdp, and questions about their text."""

from __future__ import annotations

import re
from functools import lru_cache

from spyrelang.affine import Set
from spyrelang.dialects.inner import is_number, is_type
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds as k
from spyrelang.ir import scan


def _normal_tile(body: str | None) -> str | None:
    text = re.sub(r"\s+", "", body or "")
    if re.fullmatch(r"(?:(?:\?|\d+)x)*index", text) is None:
        return None
    dims = [d if d == "?" else str(int(d)) for d in re.findall(r"(\?|\d+)x", text)]
    return f"!ktdp.access_tile<{''.join(f'{d}x' for d in dims)}index>"


def _normal_runtime_arg(body: str | None) -> str | None:
    items = scan.split_list(body or "")
    if not items or not is_number(items[0]):
        return None
    bounds: dict[str, int] = {}
    for item in items[1:]:
        found = re.fullmatch(r"(granularity|upperbound)\s*=\s*(\d+)", item)
        if found is None or found[1] in bounds or int(found[2]) < 1:
            return None
        bounds[found[1]] = int(found[2])
    shown = [f"{name}={bounds[name]}" for name in sorted(bounds)]
    return f"!ktdp.runtime_arg<{', '.join([items[0], *shown])}>"


def _normal_future(body: str | None) -> str | None:
    found = re.fullmatch(r"\s*\((?P<types>.*)\)\s*,\s*groups\s*=\s*(?P<set>.*)", body or "", re.S)
    types = scan.split_list(found["types"]) if found else []
    if found is None or not types or not all(TENSOR.accepts(t) and is_type(t) for t in types):
        return None
    groups = _set(found["set"].strip().strip('"'))
    if groups is None or groups.n_dims != 1 or groups.n_syms:
        return None
    return f"!ktdp.tile_future<({', '.join(types)}), groups = {groups}>"


def _set(text: str) -> Set | None:
    try:
        return Set.parse(text) if text.startswith("affine_set<") else None
    except SpyreError:
        return None


_OLD_SPACES = {"HBM": "global", "LX": "ct_local"}


def _normal_space(body: str | None) -> str | None:
    return _space(body, "ct_id", {"global": False, "ct_local": True})


def _old_space(body: str | None) -> str | None:
    """The spelling before the rename: HBM is `global`, LX is `ct_local`, `core` is `ct_id`."""
    text = body or ""
    for old, new in _OLD_SPACES.items():
        text = re.sub(rf"^\s*{old}\b", new, text)
    return _space(text, "core", {"global": False, "ct_local": True})


def _space(body: str | None, key: str, kinds: dict[str, bool]) -> str | None:
    found = re.fullmatch(rf"\s*(\w+)\s*(?:,\s*{key}\s*=\s*(-?\d+)\s*)?", body or "")
    if found is None or found[1] not in kinds:
        return None
    tile = int(found[2]) if found[2] else -1
    if tile < -1 or tile >= 2**31 or (tile >= 0 and not kinds[found[1]]):
        return None
    return f"#ktdp.memory_space<{found[1]}{f', ct_id = {tile}' if tile >= 0 else ''}>"


TENSOR = k.matching("a ranked tensor", r"tensor<(?!\*).*")

k.declare_opaque("!ktdp.access_tile", _normal_tile, "!ktdp.access_tile<4x64xindex>")
k.declare_opaque("!ktdp.runtime_arg", _normal_runtime_arg, "!ktdp.runtime_arg<index>")
k.declare_opaque("!ktdp.tile_future", _normal_future, "!ktdp.tile_future<(types), groups = set>")
_SPACES = "#ktdp.memory_space<global> or #ktdp.memory_space<ct_local>"
k.declare_opaque("#ktdp.memory_space", _normal_space, _SPACES)
k.declare_opaque("#ktdp.spyre_memory_space", _old_space, _SPACES)

TILE = k.matching("an access tile", r"!ktdp\.access_tile<.*")
RUNTIME_ARG = k.matching("a runtime argument", r"!ktdp\.runtime_arg<.*")
FUTURE = k.matching("a tile future", r"!ktdp\.tile_future<.*")
SPACE = k.matching("a ktdp memory space", r"#ktdp\.memory_space<.*")
BASE = k.MEMREF | k.TENSOR


def tile_shape(text: str) -> list[int | None]:
    """The extents of an access tile type; None is dynamic."""
    return [*_tile_extents(text)]


@lru_cache(maxsize=4096)
def _tile_extents(text: str) -> tuple[int | None, ...]:
    dims = re.findall(r"(\?|\d+)x", text.removeprefix("!ktdp.access_tile<"))
    return tuple(None if d == "?" else int(d) for d in dims)


def tile_type(shape: list[int | None]) -> str:
    """The text of an access tile type."""
    dims = "".join("?x" if n is None else f"{n}x" for n in shape)
    return f"!ktdp.access_tile<{dims}index>"


def space_text(kind: str, tile: int | None = None) -> str:
    """The text of a memory space: `global` or `ct_local`, of compute tile `tile`."""
    return f"#ktdp.memory_space<{kind}{'' if tile is None else f', ct_id = {tile}'}>"
