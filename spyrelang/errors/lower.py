"""Errors of lowering to DataflowIR."""

from spyrelang.errors.core import define

NO_VECTOR_FORM = define(
    "SPY450",
    "no vector form on this device",
    "{op} on {dtype} has no vector form on device '{device}'",
    cause="The body uses an op that vectorchain has no op for, and the device description has no "
    "post_lowering pattern that expresses it.",
    example="spy.generic with math.atan in its body, on a device without a pattern for it",
    fix="write it with operations the device has, or add a pattern to the device description",
)
