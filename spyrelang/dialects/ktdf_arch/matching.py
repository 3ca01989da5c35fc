"""Whether a provided feature satisfies a required one. Both are texts (None: a unit)."""

from __future__ import annotations

from spyrelang.dialects.ktdf_arch.attributes import FEATURE, dictionary, map_entries
from spyrelang.ir import scan

_EMPTY = "#ktdf_arch.map<>"


def satisfies(name: str, required: str | None, provided: str | None) -> bool:
    """Does the value `provided` of the feature `name` serve the value `required`?"""
    required = None if required == "unit" else required
    provided = None if provided == "unit" else provided
    if required is None or required == provided:
        return True
    check = _CHECKS.get(name.removeprefix(FEATURE))
    return check is not None and check(dictionary(required, name), dictionary(provided, name))


Entries = dict[str, "str | None"]


def _number(text: str | None) -> int:
    return int((text or "0").split()[0])


def _access(required: Entries, provided: Entries) -> bool:
    words = map_entries(provided.get("word_size") or _EMPTY)
    for space, size in map_entries(required.get("word_size") or _EMPTY).items():
        if _number(words.get(space, "1")) != _number(size):
            return False
    offered = map_entries(provided.get("access_granularity") or _EMPTY)
    wanted = map_entries(required.get("access_granularity") or _EMPTY)
    return all(
        _serves(access, offered.get(space, "[]"))
        for space, listed in wanted.items()
        for access in scan.split_list(listed[1:-1])
    )


def _serves(access: str, listed: str) -> bool:
    """Is there an access of at least this size that needs no more alignment?"""
    size, alignment = _fields(access)
    offers = map(_fields, scan.split_list(listed[1:-1]))
    return any(s >= size and a <= alignment for s, a in offers)


def _fields(access: str) -> tuple[int, int]:
    entries = dictionary(access, "access")
    return _number(entries.get("size_in_words")), _number(entries.get("align_in_words") or "1")


def _simd(required: Entries, provided: Entries) -> bool:
    if any(flag in required and flag not in provided for flag in ("splat", "zero_pad")):
        return False
    lanes = map_entries(provided.get("lanes") or _EMPTY)
    wanted = map_entries(required.get("lanes") or _EMPTY)
    return all(_number(lanes.get(dtype)) >= _number(count) for dtype, count in wanted.items())


def _queue(required: Entries, provided: Entries) -> bool:
    if "ordered" in required and "ordered" not in provided:
        return False
    return all(
        key in provided and _number(required[key]) <= _number(provided[key])
        for key in ("size", "depth")
        if key in required
    )


_CHECKS = {"load": _access, "store": _access, "simd": _simd, "queue": _queue}
