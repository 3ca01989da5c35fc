"""Generated modules over all dialects read back as they were printed, in both forms."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from mlir.ir import WalkOrder, WalkResult
from statements import DEVICE, DIALECTS, filled, function, modules

from spyrelang import ir
from spyrelang.ir import opdef

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
        once = printed(function(body))
        assert printed(once) == once


def test_every_op_of_ours_is_generated() -> None:
    opdef.load_dialects()
    found: set[str] = set()

    def visit(op: Any) -> Any:
        found.add(op.name)
        return WalkResult.ADVANCE

    texts = [function(filled(s, 0)) for statements in DIALECTS.values() for s in statements]
    for text in (*texts, filled(DEVICE, 0)):
        ir.parse(text, "t.mlir", guard=False).operation.walk(visit, WalkOrder.PRE_ORDER)
    assert not set(opdef.REGISTRY) - found
    upstream = {n.partition(".")[0] for n in found}
    assert {"arith", "math", "linalg", "tensor", "scf", "affine", "func"} <= upstream
