"""Codes that have no case yet. The lists only get shorter; a code with a case is not in them."""

from __future__ import annotations

ONE_TO_THREE = """
SPY301 SPY302 SPY303 SPY304 SPY305 SPY306 SPY307 SPY308 SPY309
SPY310
SPY320 SPY321 SPY323
SPY900
"""

FOUR_TO_EIGHT = """
"""
