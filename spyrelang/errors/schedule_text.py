"""Errors of reading ScheduleIR back."""

from spyrelang.errors.core import define

NOT_SCHEDULE_IR = define(
    "SPY440",
    "not ScheduleIR of this stage",
    "this is no ScheduleIR of stage '{stage}': {what}",
    cause="Text of another stage, or of another program, was given as a schedule.",
    example='spyre.resume("explored", text_of_ktir)',
    fix="give the text that kernel.ir(stage) printed for that stage, edited or not",
)
NOT_EXPRESSIBLE = define(
    "SPY441",
    "an edit that the schedule cannot express",
    "after reading, stage '{stage}' would say `{want}` where the text says `{got}`",
    cause="The text was edited in a way that its other lines, or the schedule model, contradict: a "
    "tile size changed in one place only, a subscript that no tile size gives.",
    example="changing the size of one data_transfer, but not the loop it belongs to",
    fix="make the same change everywhere it shows, or undo it",
)
