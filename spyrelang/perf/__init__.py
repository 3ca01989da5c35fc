"""Where the time goes: timelines, traces and reports of finished runs."""

from spyrelang.perf.run_report import run_report
from spyrelang.perf.timeline import timeline
from spyrelang.perf.trace import write_trace

__all__ = ["run_report", "timeline", "write_trace"]
