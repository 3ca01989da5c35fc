"""`split`: a KTIR kernel becomes an orchestrator and programs, each one fused computation."""

from spyrelang.schedule.split.formats import refuse_df16
from spyrelang.schedule.split.kernel import split

__all__ = ["refuse_df16", "split"]
