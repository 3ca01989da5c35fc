"""Errors of looking at a run's time."""

from spyrelang.errors.core import define

NO_EVENTS = define(
    "SPY840",
    "no events",
    "the run has no events to show: engine '{engine}' records none",
    cause="Only the checked engine records what each unit does and when.",
    example='add(x, y, out).timeline()   # the default engine is "fast"',
    fix='run with engine="checked"',
    also=ValueError,
)
