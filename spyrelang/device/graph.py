"""Every instance of a memory, unit or port of one device, and the datapaths between them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spyrelang.dialects.ktdf_arch.ops import entries_of
from spyrelang.ir.values import inner_ops

Entries = dict[str, "str | None"]


@dataclass
class Node:
    """One instance. `groups` are the groups around it, outermost first, by number."""

    number: int
    what: str
    kind: str
    entries: Entries
    groups: tuple[int, ...]
    parent: Node | None = None
    outputs: list[tuple[Node, Entries]] = field(default_factory=list[Any], repr=False)


@dataclass
class Group:
    """A group: its kind, entries, and the groups around it."""

    number: int
    kind: str
    entries: Entries
    groups: tuple[int, ...]


@dataclass
class Graph:
    """All instances in the order of the text."""

    nodes: list[Node] = field(default_factory=list[Node])
    groups: list[Group] = field(default_factory=list[Group])

    def of_kind(self, kind: str) -> list[Node]:
        """The instances of a kind."""
        return [n for n in self.nodes if n.kind == kind and n.what != "port"]

    def kinds(self, what: str) -> list[str]:
        """The kinds of memories or units, in the order of the text."""
        return list(dict.fromkeys(n.kind for n in self.nodes if n.what == what))

    def path(self, source: str, target: str, through: frozenset[str]) -> tuple[str, ...]:
        """Kinds along the shortest chain of datapaths, both ends included; () when none.

        Between the ends only kinds in `through` and ports; ties go to the datapath that stands
        first in the text.
        """
        before: dict[int, Node | None] = {n.number: None for n in self.of_kind(source)}
        waiting = deque(self.of_kind(source))
        while waiting:
            node = waiting.popleft()
            for following, _ in node.outputs:
                if following.number in before:
                    continue
                before[following.number] = node
                if following.kind == target and following.what != "port":
                    return tuple(self._back(following, before))
                if following.what == "port" or following.kind in through:
                    waiting.append(following)
        return ()

    def _back(self, node: Node, before: dict[int, Node | None]) -> Iterator[str]:
        previous = before[node.number]
        if previous is not None:
            yield from self._back(previous, before)
        if node.what != "port":
            yield node.kind


def kind_name(text: str | None) -> str | None:
    """The name of a kind: the string, or the text of any other attribute."""
    if text is None or not text.startswith('"'):
        return text
    return text[1:-1]


def build(device: Any) -> Graph:
    """The graph of a verified `ktdf_arch.device` op."""
    return _Builder().run(device)


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.values: dict[Any, Node] = {}

    def run(self, device: Any) -> Graph:
        self._enter(inner_ops(device), (), None)
        return self.graph

    def _enter(
        self, ops: Sequence[Any], groups: tuple[int, ...], parent: Node | None
    ) -> list[Node]:
        """Enter all ops of a region; gives the nodes that it yields."""
        for op in ops:
            what = op.name.removeprefix("ktdf_arch.")
            if what == "group":
                self._group(op, groups, parent)
            elif what in ("memory", "exec_unit"):
                node = self._node(what, op, groups, parent)
                self.values[op.results[0]] = node
            elif what == "switch":
                self._switch(op, groups)
            elif what == "datapath":
                self._datapath(op)
            elif what == "neighborhood":
                self._enter(inner_ops(op), groups, parent)
            elif what == "yield":
                return [self.values[v] for v in op.operands if v in self.values]
        return []

    def _node(self, what: str, op: Any, groups: tuple[int, ...], parent: Node | None) -> Node:
        entries = entries_of(op)
        number = len(self.graph.nodes)
        # Without a kind a resource is a kind of its own.
        kind = kind_name(entries.get("kind")) or kind_name(entries.get("id")) or f"{what}{number}"
        node = Node(number, what, kind, entries, groups, parent)
        self.graph.nodes.append(node)
        return node

    def _group(self, op: Any, groups: tuple[int, ...], parent: Node | None) -> None:
        entries = entries_of(op)
        number = len(self.graph.groups)
        kind = kind_name(entries.get("kind")) or f"group{number}"
        self.graph.groups.append(Group(number, kind, entries, groups))
        shared = [self.values[v] for v in op.operands]
        for block in op.regions[0].blocks:
            self.values.update(zip(block.arguments, shared, strict=True))
        yielded = self._enter(inner_ops(op), (*groups, number), shared[0] if shared else parent)
        for value, node in zip(op.results, yielded, strict=True):
            self.values[value] = node

    def _switch(self, op: Any, groups: tuple[int, ...]) -> None:
        ports = [self._node("port", op, groups, None) for _ in op.results]
        for value, node in zip(op.results, ports, strict=True):
            self.values[value] = node
        connected = _connectivity(entries_of(op).get("connectivity") or "", len(ports))
        for i, j in connected:
            if i != j:
                ports[i].outputs.append((ports[j], {}))

    def _datapath(self, op: Any) -> None:
        source, target = (self.values.get(v) for v in op.operands)
        if source is not None and target is not None:  # a path to a neighbor leaves the core
            source.outputs.append((target, entries_of(op)))


def _connectivity(text: str, ports: int) -> list[tuple[int, int]]:
    """The pairs of ports that an elements attribute joins."""
    everything = [(i, j) for i in range(ports) for j in range(ports)]
    if text.startswith("sparse"):
        if "true" not in text:
            return []
        return [(int(a), int(b)) for a, b in re.findall(r"\[(\d+), (\d+)\]", text)]
    bits = re.findall(r"true|false", text)
    if len(bits) == 1:
        return everything if bits[0] == "true" else []
    return [pair for pair, bit in zip(everything, bits, strict=False) if bit == "true"]
