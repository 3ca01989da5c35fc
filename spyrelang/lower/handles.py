"""The constants and unit handles at the top of one program's function."""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Value


@dataclass
class BodyFunction:
    """The function of one program: its constants and unit handles, made on demand at the top."""

    top: Emitter
    constants: dict[int, Value] = field(default_factory=dict)
    handles: dict[tuple[str, int, int], Value] = field(default_factory=dict)
    units: Emitter | None = None
    _seats: dict[tuple[str, int, int, bool], Value] = field(
        default_factory=dict[tuple[str, int, int, bool], Value]
    )

    def const(self, number: int) -> Value:
        if number not in self.constants:
            self.constants[number] = self.top.value(
                "arith.constant", attributes={"value": f"{number} : index"}
            )
        return self.constants[number]

    def handle(self, kind: str, core: int, corelet: int, suffix: bool) -> Value:
        """The `get_unit` of an execution unit (`suffix`: it is one of several corelets)."""
        seat = kind, core, corelet, suffix
        if seat not in self._seats:
            self._seats[seat] = self._unit(kind, core, corelet, suffix)
        return self._seats[seat]

    def _unit(self, kind: str, core: int, corelet: int, suffix: bool) -> Value:
        name = f"C{core}-{kind.lower()}" + (f"-CL{corelet}" if suffix else "")
        return self._handle(
            (name, core, corelet),
            {"core": f"{core} : i32", "corelet": f"{corelet} : i32"},
            kind,
        )

    def memory(self, kind: str, core: int) -> Value:
        """The `get_unit` of a memory; core -1 is the one that all cores share."""
        if core < 0:
            return self._handle((kind.lower(), -1, -1), {}, kind)
        name = f"C{core}-{kind.lower()}"
        return self._handle((name, core, -1), {"core": f"{core} : i32"}, kind)

    def _handle(self, key: tuple[str, int, int], extra: dict[str, str], kind: str) -> Value:
        if key not in self.handles:
            emitter = self.units or self.top
            names = {"name": f'"{key[0]}"', "type": f'"{kind.lower()}"'}
            self.handles[key] = emitter.value("dataflow.get_unit", attributes=extra | names)
        return self.handles[key]
