"""What a check against a profile gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import profiles as errors


@dataclass(frozen=True)
class Violation:
    """One construct that the consumer refuses: its op (or "grid" and the like) and why."""

    construct: str
    reason: str
    location: Location | None = None

    def error(self, profile: str) -> SpyreError:
        """The same as an entry of the catalogue."""
        return errors.REFUSED.error(
            self.location, profile=profile, construct=self.construct, reason=self.reason
        )

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location is not None else ""
        return f"{where}{self.construct}: {self.reason}"


@dataclass(frozen=True)
class ProfileReport:
    """A kernel against a profile; prints as one line a violation, in the order of the text."""

    profile: str
    kernel: str
    violations: tuple[Violation, ...]

    @property
    def ok(self) -> bool:
        """Whether the consumer takes the kernel as it is."""
        return not self.violations

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        count = len(self.violations)
        if not count:
            return f"'{self.kernel}' fits profile {self.profile}"
        what = "construct" if count == 1 else "constructs"
        head = f"profile {self.profile} refuses {count} {what} of '{self.kernel}'"
        return "\n".join([head, *(f"  {v}" for v in self.violations)])

    __repr__ = __str__

    def to_json(self) -> str:
        """Everything the report says, for tools."""
        rows = [
            {
                "construct": v.construct,
                "reason": v.reason,
                "file": v.location.file if v.location is not None else None,
                "line": v.location.line if v.location is not None else None,
            }
            for v in self.violations
        ]
        named = {"profile": self.profile, "kernel": self.kernel, "ok": self.ok}
        return json.dumps({**named, "violations": rows}, indent=1)
