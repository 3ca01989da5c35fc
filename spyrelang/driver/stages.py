"""The names of the stages, without anything that makes them."""

from __future__ import annotations

import difflib

from spyrelang.errors.driver import UNKNOWN_STAGE

SCHEDULE_STAGES = ("programs", "pipeline", "routed", "nested", "explored", "placed")
STAGES = ("ktir", *SCHEDULE_STAGES, "dataflow", "spyrecode")


def check_stage(stage: object) -> None:
    """Raise SPY801 unless `stage` names a stage."""
    if stage not in STAGES:
        close = difflib.get_close_matches(str(stage), STAGES, 1)
        hint = f"did you mean '{close[0]}'?" if close else None
        raise UNKNOWN_STAGE.error(hint=hint, stage=stage, known=", ".join(STAGES))
