"""What a person sees: IR in colour, differences, reports. Works on text alone, without MLIR."""

from spyrelang.display.diff import show_diff, unified
from spyrelang.display.report import Report, Table
from spyrelang.display.text import IRText, console, show

__all__ = ["IRText", "Report", "Table", "console", "show", "show_diff", "unified"]
