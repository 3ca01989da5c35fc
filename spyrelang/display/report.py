"""Reports: titled tables and lines, as text, in colour, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderResult


@dataclass(frozen=True)
class Table:
    """Rows under a title; numbers are aligned right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Report:
    """A title, lines of text, tables. `data` is what `to_json` gives beside them."""

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    data: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        from rich.console import Console

        out = StringIO()
        Console(file=out, width=120, no_color=True, highlight=False).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())

    __repr__ = __str__

    def __rich_console__(self, console: Console, options: Any) -> RenderResult:
        from rich.text import Text

        yield Text(self.title, style="bold")
        for line in self.lines:
            yield Text(line)
        for table in self.tables:
            yield _rich_table(table)

    def to_json(self) -> str:
        """Everything the report says, for tools."""
        return json.dumps(asdict(self), default=str, indent=1)


def _rich_table(table: Table) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable

    made = RichTable(title=table.title, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for number, name in enumerate(table.columns):
        numeric = all(_is_number(row[number]) for row in table.rows)
        made.add_column(name, justify="right" if numeric and table.rows else "left")
    for row in table.rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def rows(items: Sequence[Sequence[object]]) -> tuple[tuple[object, ...], ...]:
    """Rows from any sequences."""
    return tuple(tuple(item) for item in items)
