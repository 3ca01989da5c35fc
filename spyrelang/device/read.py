"""From the ops of a device description to the plain data of `model`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from spyrelang.device.graph import Entries, Graph, Node, kind_name
from spyrelang.device.model import Access, Datapath, Granule, Memory, PatternSet, Scope, Unit
from spyrelang.dialects.ktdf_arch import FEATURE, features_of, map_entries
from spyrelang.dialects.ktdf_arch.attributes import dictionary
from spyrelang.ir import Module, location_of, scan
from spyrelang.ir.values import inner_ops

COMPUTE = f"{FEATURE}compute"
CORES = "spyrelang.cores"
LATENCY = "spyrelang.latency"


def number(text: str | None, default: int = 0) -> int:
    """The value of an integer attribute's text."""
    found = re.match(r"-?\d+", text or "")
    return int(found.group()) if found else default


def computes(node: Node) -> bool:
    """Whether an instance has the compute feature."""
    return node.what == "exec_unit" and COMPUTE in features_of(node.entries)


class Layout:
    """Where the instances of a graph stand: which group is the core, and what lies below it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.compute = [n for n in graph.nodes if computes(n)]
        self.cores = sorted({n.groups[0] for n in self.compute if n.groups})
        self.core = self.cores[0] if self.cores else None
        # Groups directly below the core that hold a compute unit: its instances.
        self.below = {n.groups[1] for n in self.compute if len(n.groups) > 1}

    def in_core(self, node: Node) -> bool:
        """Whether an instance stands in the (first) core group."""
        return self.core is None or bool(node.groups and node.groups[0] == self.core)

    def scope(self, node: Node) -> Scope:
        """Who has one of its own."""
        if not node.groups:
            return "device"
        return "unit" if len(node.groups) > 1 and node.groups[1] in self.below else "core"

    def per_core(self, kind: str) -> int:
        """How many instances of a kind one core has (at least 1)."""
        return max(1, sum(self.in_core(n) for n in self.graph.of_kind(kind)))


def memories(layout: Layout) -> Iterator[Memory]:
    """The kinds of memories, in the order of the text."""
    for kind in layout.graph.kinds("memory"):
        node = layout.graph.of_kind(kind)[0]
        parent = node.parent.kind if node.parent is not None else None
        size = number(node.entries.get("size"))
        yield Memory(kind, size, layout.scope(node), parent, layout.per_core(kind))


def units(layout: Layout) -> Iterator[Unit]:
    """The kinds of units; the first instance of a kind speaks for all of them."""
    for kind in layout.graph.kinds("exec_unit"):
        node = layout.graph.of_kind(kind)[0]
        yield _unit(node, layout.scope(node), layout.per_core(kind))


def _unit(node: Node, scope: Scope, per_core: int) -> Unit:
    features = features_of(node.entries)
    simd = dictionary(features.get(f"{FEATURE}simd"), "simd")
    lanes = {t: number(n) for t, n in map_entries(simd.get("lanes") or _EMPTY).items()}
    return Unit(
        node.kind,
        scope,
        compute=COMPUTE in features,
        load=_access(features, "load"),
        store=_access(features, "store"),
        lanes=lanes,
        splat="splat" in simd,
        zero_pad="zero_pad" in simd,
        per_core=per_core,
        features={n: v for n, v in features.items() if not n.startswith(FEATURE)},
    )


_EMPTY = "#ktdf_arch.map<>"


def _access(features: Entries, which: str) -> Access | None:
    if FEATURE + which not in features:
        return None
    entries = dictionary(features[FEATURE + which], which)
    words = map_entries(entries.get("word_size") or _EMPTY)
    granules = map_entries(entries.get("access_granularity") or _EMPTY)
    return Access(
        {kind_name(m) or m: number(size) for m, size in words.items()},
        {kind_name(m) or m: tuple(_granules(listed)) for m, listed in granules.items()},
    )


def _granules(listed: str) -> Iterator[Granule]:
    for text in scan.split_list(listed[1:-1]):
        fields = dictionary(text, "access")
        yield Granule(number(fields.get("size_in_words")), number(fields.get("align_in_words"), 1))


# --- datapaths -------------------------------------------------------------------------------


def datapaths(graph: Graph) -> Iterator[Datapath]:
    """The links between kinds; switches are seen through."""
    seen: set[tuple[str, str]] = set()
    for node in graph.nodes:
        if node.what == "port":
            continue
        for target, links in _links(node):
            pair = (node.kind, target.kind)
            if pair not in seen:
                seen.add(pair)
                yield _datapath(pair, links)


def _links(node: Node) -> Iterator[tuple[Node, list[Entries]]]:
    """What is reached over one datapath, or several with ports between them."""
    waiting: list[tuple[Node, list[Entries]]] = [(node, [])]
    passed: set[int] = set()
    while waiting:
        at, links = waiting.pop(0)
        for target, entries in at.outputs:
            if target.what != "port":
                yield target, [*links, entries]
            elif target.number not in passed:
                passed.add(target.number)
                waiting.append((target, [*links, entries]))


def _datapath(pair: tuple[str, str], links: Sequence[Entries]) -> Datapath:
    """One link out of a chain: the narrowest part counts, latencies add up."""
    queues = [
        dictionary(q[f"{FEATURE}queue"], "queue")
        for q in map(features_of, links)
        if f"{FEATURE}queue" in q
    ]
    sizes = [e["ktdf_arch.transfer_granularity"] or "" for e in links if _HAS_SIZES in e]
    return Datapath(
        *pair,
        depth=_least(number(q.get("depth")) for q in queues),
        ordered=bool(queues) and all("ordered" in q for q in queues),
        granularity=tuple(map(int, re.findall(r"\d+", sizes[0][len("array<i64") :])))
        if sizes
        else (),
        bandwidth=_least(number(e.get("ktdf_arch.bandwidth")) for e in links),
        latency=sum(number(e.get(LATENCY)) for e in links),
    )


_HAS_SIZES = "ktdf_arch.transfer_granularity"


def _least(values: Iterator[int]) -> int:
    """The smallest value that is given; 0 when none is."""
    return min((v for v in values if v), default=0)


# --- the device's own entries ----------------------------------------------------------------


def spaces(entries: Entries) -> dict[str, str]:
    """Memory kind by space, from `mem_space_mapping`."""
    text = entries.get("mem_space_mapping")
    found: dict[str, str] = {}
    for space, kind in map_entries(text).items() if text else ():
        name = space.removeprefix("#ktdp.memory_space<").removesuffix(">")
        found[name] = kind_name(kind) or kind
    return found


def pattern_sets(device: Any, module: Module) -> Iterator[PatternSet]:
    """The `patterns` ops of a device."""
    for op in inner_ops(device):
        if op.name == "ktdf_arch.patterns":
            groups = tuple(g.value for g in op.attributes["groups"])
            patterns = inner_ops(op)
            texts = tuple(str(p.get_asm(use_local_scope=True)) for p in patterns)
            yield PatternSet(groups, texts, tuple(location_of(p, module) for p in patterns))
