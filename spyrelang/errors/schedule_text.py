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
PLACEMENT = define(
    "SPY442",
    "the schedule cannot work",
    "{what}",
    cause="An edited tile size or address makes buffers overlap or leave their memory, or the "
    "FIFO vectors or hand-offs of the units no longer match.",
    example="moving a staging buffer to the address of another one",
    fix="undo the edit, or change the sizes and addresses that depend on it too",
)
LANES = define(
    "SPY443",
    "vectors are too long",
    "the vectors have {lanes} elements of {dtype}; {unit} of device '{device}' has {most} lanes",
    cause="A text moves and computes vectors that are longer than the device's.",
    example="128xf16 in every FIFO slot, on a device with 64 lanes for f16",
    fix="use vectors of at most that many elements",
)
