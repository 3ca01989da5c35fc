"""Generated modules over all dialects read back as they were printed, in both forms."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from statements import ARGUMENTS, DIALECTS, filled, modules

from spyrelang import ir

COUNT = max(1, int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2)


def printed(text: str, *, generic: bool = False) -> str:
    return ir.print_module(ir.parse(text, "t.mlir", guard=False), generic=generic)


@settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=COUNT <= 100,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(modules())
def test_generated_modules_round_trip(text: str) -> None:
    once = printed(text)
    assert printed(once) == once
    generic = printed(once, generic=True)
    assert printed(generic) == once


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_reads(dialect: str) -> None:
    """So that no part of the generator is dead."""
    for statement in DIALECTS[dialect]:
        body = filled(statement, 0)
        once = printed(f"func.func @f({ARGUMENTS}) {{\n{body}\nreturn\n}}")
        assert printed(once) == once
