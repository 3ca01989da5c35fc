"""Codes that have no case yet. The lists only get shorter; a code with a case is not in them."""

from __future__ import annotations

ONE_TO_THREE = """
"""

FOUR_TO_EIGHT = """
"""
