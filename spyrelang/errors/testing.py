"""Errors of calling `spyre.check` wrongly."""

from spyrelang.errors.core import define

INPUTS = define(
    "SPY830",
    "inputs do not fit the kernel",
    "'{kernel}' reads {want}; given: {got}",
    cause="`inputs` must give every In and InOut parameter, by position or by name.",
    example="spyre.check(add, ref=np.add, inputs=[x])   # add reads x and y",
    fix="give one array for each of the names listed",
    also=TypeError,
)
NOT_A_KERNEL = define(
    "SPY836",
    "not a kernel",
    "spyre.check takes a kernel, not {got}",
    cause="The first argument was not made by `@spyre.kernel`.",
    example="spyre.check(np.add, ref=np.add, inputs=[x, y])",
    fix="pass the decorated function",
    also=TypeError,
)
REFERENCE = define(
    "SPY831",
    "the reference returns another number of outputs",
    "'{kernel}' writes {want}; the reference returned {got}",
    cause="`ref` must return one array for each Out and InOut parameter, in order.",
    example="spyre.check(add, ref=lambda x, y: (x, y), inputs=[x, y])   # add writes one",
    fix="return a tuple with one array for each output",
    also=TypeError,
)
STAGE = define(
    "SPY832",
    "no such stage to compare",
    "numbers can be compared at {known}, not at '{stage}'",
    cause="`stages` names a stage that has no numbers of its own.",
    example='spyre.check(add, ref=np.add, inputs=[x, y], stages=["placed"])',
    fix="use the names listed",
    also=ValueError,
)
REFERENCE_SHAPE = define(
    "SPY833",
    "the reference has another shape",
    "'{name}' of '{kernel}' is {want}; the reference returned {got}",
    cause="`ref` must return each output in the shape that the kernel writes.",
    example="spyre.check(add, ref=lambda x, y: (x + y)[:3], inputs=[x, y])",
    fix="return the whole output",
    also=ValueError,
)
REFERENCE_CALL = define(
    "SPY834",
    "the reference cannot be called",
    "the reference of '{kernel}' must take {want}: {reason}",
    cause="`ref` is called with the In and InOut arrays by position.",
    example="spyre.check(add, ref=lambda x: x, inputs=[x, y])   # add reads two arrays",
    fix="give a function of as many arrays as the kernel reads",
    also=TypeError,
)
TOLERANCE = define(
    "SPY835",
    "not a tolerance",
    "a tolerance is a number of ulp or a Tolerance, not {got}",
    cause="`tolerance` was given something else.",
    example='spyre.check(add, ref=np.add, inputs=[x, y], tolerance="tight")',
    fix="give a number, or leave it out",
    also=TypeError,
)
