"""The map attribute, and the rules of properties (`ktdf_arch.*`) and features."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spyrelang.dialects.inner import normal_attribute
from spyrelang.ir import kinds as k
from spyrelang.ir import scan

MapText = dict[str, str]
"""The entries of a map attribute: key text -> value text, in order."""

FEATURE = "ktdf_arch.feature."
PROPERTY = "ktdf_arch."

Entries = Mapping[str, str | None]
"""A dictionary's entries as text; None is a unit."""


class Broken(Exception):
    """A property or feature that breaks a rule; the message says which."""


# --- the map attribute -----------------------------------------------------------------------


def map_entries(text: str) -> MapText:
    """The entries of `#ktdf_arch.map<…>`; raises `Broken` when the text is not one."""
    if not text.startswith("#ktdf_arch.map<"):
        raise Broken(f"'{text}' is not a #ktdf_arch.map")
    found = _entries(text[len("#ktdf_arch.map<") : -1])
    if found is None:
        raise Broken(f"'{text}' is malformed")
    return found


def _entries(body: str) -> MapText | None:
    entries: MapText = {}
    for _, item in scan.pieces(body) if body.strip() else ():
        halves = _halves(item)
        if halves is None or halves[0] in entries:
            return None
        entries[halves[0]] = halves[1]
    return entries


_EVENT = re.compile(rf"{scan.STRING}|->|>=|<=|==|[<({{\[]|[>)}}\]]|=")


def _halves(item: str) -> tuple[str, str] | None:
    """Key and value of `key = value`, split at the first equals sign outside brackets."""
    depth = 0
    for found in _EVENT.finditer(item):
        token = found.group()
        if token == "=" and depth == 0:
            return item[: found.start()].strip(), item[found.end() :].strip()
        depth += (token in "<({[") - (token in ">)}]")
    return None


def _normal_map(body: str | None) -> str | None:
    if body is None:
        return None
    entries = _entries(body)
    if entries is None:
        return None
    shown: list[str] = []
    keys: set[str] = set()
    for key, value in entries.items():
        normal = normal_attribute(key), normal_attribute(value)
        if normal[0] is None or normal[1] is None or normal[0] in keys:
            return None
        keys.add(normal[0])
        shown.append(f"{normal[0]} = {normal[1]}")
    return f"#ktdf_arch.map<{', '.join(shown)}>"


k.declare_opaque("#ktdf_arch.map", _normal_map, '#ktdf_arch.map<"key" = value, …>')
for _name in ("memory", "exec_unit", "port"):
    k.bare(f"!ktdf_arch.{_name}")

# --- features --------------------------------------------------------------------------------

ON_UNIT, ON_LINK, ON_MEMORY, ON_OTHER = "unit", "link", "memory", "other"
"""What kind of op carries a property: exec_unit; datapath; memory; any op of another dialect."""


def dictionary(text: str | None, what: str) -> dict[str, str | None]:
    """The entries of a dictionary's text; a unit has none."""
    if text is None or text == "unit":
        return {}
    if not text.startswith("{"):
        raise Broken(f"{what} must be a unit or a dictionary")
    return scan.split_dict(text[1:-1])


def features_of(attributes: Entries) -> dict[str, str | None]:
    """The entries of `ktdf_arch.features`, as text."""
    if "ktdf_arch.features" not in attributes:
        return {}
    text = attributes["ktdf_arch.features"]
    if text is None or not text.startswith("{"):
        raise Broken("ktdf_arch.features must be a dictionary")
    return scan.split_dict(text[1:-1])


def positive(text: str | None, what: str) -> int:
    """The value of an i64 above zero."""
    if text is None or re.fullmatch(r"-?\d+( : i64)?", text) is None or int(text.split()[0]) < 1:
        raise Broken(f"{what} must be an i64 above 0, not '{text or 'unit'}'")
    return int(text.split()[0])


def _unit(entries: Entries, key: str, what: str) -> None:
    if entries.get(key, "unit") not in (None, "unit"):
        raise Broken(f"{what}.{key} must be a unit")


def _map(entries: Entries, key: str, feature: str) -> MapText:
    """The entries of a field that is a map; none where it is missing."""
    text = entries.get(key, "#ktdf_arch.map<>")
    if text is None or not text.startswith("#ktdf_arch.map<"):
        raise Broken(f"{feature}.{key} must be a #ktdf_arch.map<…>, not '{text or 'unit'}'")
    return map_entries(text)


def _access(feature: str, value: str | None) -> None:
    """`load` and `store`."""
    entries = dictionary(value, feature)
    for space, size in _map(entries, "word_size", feature).items():
        positive(size, f"{feature}.word_size of {space}")
    for space, listed in _map(entries, "access_granularity", feature).items():
        if not listed.startswith("["):
            raise Broken(f"{feature}.access_granularity of {space} must be an array")
        for access in scan.split_list(listed[1:-1]):
            what = f"an access of {feature} to {space}"
            fields = dictionary(access, what)
            positive(fields.get("size_in_words", ""), f"size_in_words of {what}")
            if "align_in_words" in fields:
                positive(fields["align_in_words"], f"align_in_words of {what}")


_TYPE = re.compile(r"index|[su]?i\d+|b?f\d+\w*|tf32|![\w.]+.*|vector<.*", re.DOTALL)


def _simd(feature: str, value: str | None) -> None:
    entries = dictionary(value, feature)
    for key in ("splat", "zero_pad"):
        _unit(entries, key, feature)
    for dtype, count in _map(entries, "lanes", feature).items():
        if _TYPE.fullmatch(dtype) is None or re.fullmatch(r"-?\d+( : i64)?", count) is None:
            raise Broken(f"{feature}.lanes must map types to i64, not {dtype} to {count}")


def _queue(feature: str, value: str | None) -> None:
    entries = dictionary(value, feature)
    _unit(entries, "ordered", feature)
    for key in ("size", "depth"):
        if key in entries:
            positive(entries[key], f"{feature}.{key}")


def _register_file(feature: str, value: str | None) -> None:
    entries = dictionary(value, feature)
    if "word_size" in entries:
        positive(entries["word_size"], f"{feature}.word_size")


def _address_buffer(feature: str, value: str | None) -> None:
    entries = dictionary(value, feature)
    positive(entries.get("num_entries", ""), f"{feature}.num_entries")
    if _TYPE.fullmatch(entries.get("entry_type") or "") is None:
        raise Broken(f"{feature}.entry_type must be a type")


def _anything(feature: str, value: str | None) -> None:
    del feature, value


_FEATURES: dict[str, tuple[str, Callable[[str, str | None], None]]] = {
    "compute": (ON_UNIT, _anything),
    "load": (ON_UNIT, _access),
    "store": (ON_UNIT, _access),
    "simd": (ON_UNIT, _simd),
    "queue": (ON_LINK, _queue),
    "register_file": (ON_MEMORY, _register_file),
    "indirect_address_buffer": (ON_MEMORY, _address_buffer),
}


def _check_feature(key: str, value: str | None, where: str) -> None:
    name = key.removeprefix(FEATURE)
    if name == key:
        return  # of another dialect
    if name not in _FEATURES:
        raise Broken(f"unknown feature '{key}'; the known ones are {', '.join(_FEATURES)}")
    home, check = _FEATURES[name]
    # An op of another dialect may require any feature of the unit it runs on.
    if where not in (home, ON_OTHER):
        raise Broken(f"the feature '{name}' belongs on a {home}")
    check(name, value)


# --- properties ------------------------------------------------------------------------------


def _bandwidth(value: str | None) -> None:
    positive(value, "ktdf_arch.bandwidth")


def _granularity(value: str | None) -> None:
    if value is None or not value.startswith("array<i64"):
        raise Broken("ktdf_arch.transfer_granularity must be a dense i64 array")
    sizes = re.findall(r"-?\d+", value.removeprefix("array<i64"))
    if any(int(size) < 0 for size in sizes) or len(set(sizes)) < len(sizes):
        raise Broken("ktdf_arch.transfer_granularity must hold sizes from 0 up, none twice")


def _overlaps(value: str | None) -> None:
    if value is None or not value.startswith("["):
        raise Broken("ktdf_arch.overlaps must be an array")


_PROPERTIES = ("bandwidth", "features", "maps_to", "overlaps", "transfer_granularity")
_ON_LINKS = {"bandwidth": _bandwidth, "transfer_granularity": _granularity}


def check_properties(attributes: Entries, where: str) -> None:
    """The rules of all `ktdf_arch.*` entries of an op; raises `Broken`."""
    for key, value in attributes.items():
        name = key.removeprefix(PROPERTY)
        if name == key:
            continue
        if name not in _PROPERTIES:
            raise Broken(f"unknown property '{key}'; the known ones are {', '.join(_PROPERTIES)}")
        if name == "maps_to" and where != ON_OTHER:
            raise Broken("ktdf_arch.maps_to stands only on ops of other dialects")
        if name == "overlaps":
            if where == ON_OTHER:
                raise Broken("'ktdf_arch.overlaps' belongs on a resource of a device")
            _overlaps(value)
        if name in _ON_LINKS:
            if where != ON_LINK:
                raise Broken(f"'{key}' belongs on a link")
            _ON_LINKS[name](value)
    for key, value in features_of(attributes).items():
        _check_feature(key, value, where)
