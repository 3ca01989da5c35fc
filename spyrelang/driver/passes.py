"""What each step of a compilation did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spyrelang.display import Report, Table


@dataclass(frozen=True)
class PassRecord:
    """One step of the ladder: what it reached, how long it took by the clock and in processor time,
    ops before and after (0 where the step works on no text)."""

    name: str
    stage: str
    seconds: float
    ops_before: int = 0
    ops_after: int = 0
    cpu_seconds: float = 0.0


class PassTable(tuple[PassRecord, ...]):
    """The steps in order; shown as a table."""

    __slots__ = ()

    def report(self) -> Report:
        """One row a step."""
        rows = tuple(
            (r.name, r.stage, f"{r.seconds * 1e3:.2f}", r.ops_before or "", r.ops_after or "")
            for r in self
        )
        columns = ("step", "reaches", "ms", "ops before", "ops after")
        total = sum(record.seconds for record in self)
        return Report(f"{total * 1e3:.1f} ms in all", (), (Table("passes", columns, rows),))

    def __repr__(self) -> str:
        return str(self.report())

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield self.report()
