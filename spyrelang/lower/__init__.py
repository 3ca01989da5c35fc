"""Placed programs -> DataflowIR."""

from spyrelang.lower.module import lower

__all__ = ["lower"]
