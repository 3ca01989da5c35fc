"""Checking kernels against references."""

from spyrelang.testing.check import CheckResult, check
from spyrelang.testing.compare import Comparison, compare
from spyrelang.testing.evaluate import evaluate

__all__ = ["CheckResult", "Comparison", "check", "compare", "evaluate"]
