"""ktdf_lowering: units made explicit, on the way from ScheduleIR to DataflowIR (read and print)."""

from __future__ import annotations

from spyrelang.ir import kinds as k
from spyrelang.ir.opdef import Attr, OpDef, Region, many

EXECUTE_ON = OpDef(
    "ktdf_lowering.execute_on",
    operands=[many("units")],
    attributes=[Attr("applicable_units", k.ARRAY, required=False, discardable=True)],
    regions=[Region("body", filled=True)],
    assembly=" $units $body$dict",
)
SIGNAL = OpDef("ktdf_lowering.signal", operands=[many("units")], assembly=" $units$dict")
