"""Generated modules over all dialects read back as they were printed, in both forms."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from statements import ARGUMENTS, DIALECTS, modules

from spyrelang import ir

COUNT = max(1, int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2)


def printed(text: str, *, generic: bool = False) -> str:
    return ir.print_module(ir.parse(text, "t.mlir", guard=False), generic=generic)


@settings(
    max_examples=COUNT,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(modules())
def test_generated_modules_round_trip(text: str) -> None:
    once = printed(text)
    assert printed(once) == once
    generic = printed(once, generic=True)
    assert printed(generic) == once


FIELDS = {
    "size": 4, "phases": 3, "step": 2, "big": 7, "at": "%i + 1", "space": "global", "old": "HBM",
    "unary": "exp", "relation": "equal", "fold": "max", "real": "0.5", "hex": "0x7C00",
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_reads(dialect: str) -> None:
    """So that no part of the generator is dead."""
    for statement in DIALECTS[dialect]:
        body = statement.format(n=0, rows=3, **FIELDS)
        once = printed(f"func.func @f({ARGUMENTS}) {{\n{body}\nreturn\n}}")
        assert printed(once) == once
