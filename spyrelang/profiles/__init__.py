"""Restriction profiles: what a consumer of KTIR would refuse of a kernel, construct by construct.

A profile is a list of rules over the ops of a kernel. Checking never stops at the first finding.
"""

from spyrelang.profiles.check import PROFILES, check, check_name
from spyrelang.profiles.model import ProfileReport, Violation

__all__ = ["PROFILES", "ProfileReport", "Violation", "check", "check_name"]
