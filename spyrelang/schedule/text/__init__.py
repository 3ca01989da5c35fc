"""ScheduleIR: the schedule model as text, and back."""

from spyrelang.schedule.text.write import write

__all__ = ["write"]
