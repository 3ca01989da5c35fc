"""ScheduleIR: the schedule model as text, and back."""

from spyrelang.schedule.text.read import read
from spyrelang.schedule.text.write import write

__all__ = ["read", "write"]
