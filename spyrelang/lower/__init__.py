"""Placed programs -> DataflowIR."""

from spyrelang.lower.legalise import legalise
from spyrelang.lower.module import lower

__all__ = ["legalise", "lower"]
