"""Checking kernels against references."""

from spyrelang.testing.check import CheckResult, check
from spyrelang.testing.compare import Comparison, compare

__all__ = ["CheckResult", "Comparison", "check", "compare"]
