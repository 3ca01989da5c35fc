"""SPY460 to SPY469: kernels against restriction profiles."""

from __future__ import annotations

from spyrelang.errors.core import define

REFUSED = define(
    "SPY460",
    "construct outside a profile",
    "profile {profile} refuses {construct}: {reason}",
    cause="A consumer of KTIR accepts less than the dialect can say.",
    example='compile(profile="scheduler-v1") of a kernel with linalg.matmul',
    fix="write it with what the profile accepts, or use another consumer",
)
UNKNOWN = define(
    "SPY461",
    "no such profile",
    "there is no profile '{profile}'; there are {known}",
    cause="Profiles are named after the consumers of KTIR.",
    example='spyre.load_ktir(text).compile(profile="v1")',
    fix="use one of the names",
    also=ValueError,
)
