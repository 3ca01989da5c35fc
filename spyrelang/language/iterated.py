"""What a for statement of the kernel iterates over: it makes one loop, and holds no elements."""

from __future__ import annotations

from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language import tracing
from spyrelang.language.place import CodeInfo
from spyrelang.language.tracing import fail

_BLOCKS = "write `for rows in spy.blocks(…):`; rows.start // block is the block's number"


class Iterated:
    """Base: refuses by name every use but the one of a for statement. `written` is how the author
    wrote it."""

    def __init__(self, written: str) -> None:
        self.written = written

    def misused(self, use: str, hint: str | None = None) -> NoReturn:
        """It was used otherwise."""
        what = f"a {self.written} object"
        if hint is None and self.written == "spy.blocks":
            hint = _BLOCKS
        fail(errors.LOOP_USE, what=what, statement="for", use=use, hint=hint)

    def check_statement(self) -> None:
        """Refuse an iteration that a function asks for: what enumerate, zip or list would make of
        it is no loop."""
        found = tracing.finder().current()
        if found is not None and found[0].opname(found[1]) not in ("GET_ITER", "FOR_ITER"):
            self.handed_on(*found)

    def handed_on(self, info: CodeInfo, lasti: int) -> NoReturn:
        """Refuse the function that iterates."""
        self.misused(f"handed to {info.callee(lasti) or 'something else'}")

    def __reversed__(self) -> NoReturn:
        self.misused("reversed", "count upwards, and use `stop - 1 - i` in the body")

    def __len__(self) -> NoReturn:
        self.misused("asked for its length", "compute it from the bounds")

    def __getitem__(self, key: Any) -> NoReturn:
        self.misused("subscripted")

    def __contains__(self, value: Any) -> NoReturn:
        self.misused("asked whether it contains something", "compare with the bounds")
