"""Custom and generic text of every declared op: read, printed, read again."""

from __future__ import annotations

import re

import pytest
from ir_texts import ALL

from spyrelang import ir
from spyrelang.ir import opdef

OURS = ("dataflow", "agen", "vectorchain", "uniform", "symbol")


def printed(text: str, **flags: bool) -> str:
    return ir.print_module(ir.parse(text, "t.mlir", guard=False), **flags)


@pytest.mark.parametrize("name", ALL)
def test_custom_text_is_kept(name: str) -> None:
    assert printed(ALL[name]) == ALL[name]


@pytest.mark.parametrize("name", ALL)
def test_generic_text_is_the_same_module(name: str) -> None:
    generic = printed(ALL[name], generic=True)
    assert not re.search(r"^ *(?:%\S+ = )?(?:dataflow|agen)\.", generic, re.MULTILINE)
    assert printed(generic) == ALL[name]


@pytest.mark.parametrize("name", ALL)
def test_every_op_has_its_place(name: str) -> None:
    module = ir.parse(ALL[name], "t.mlir", guard=False)
    lines = ALL[name].split("\n")
    seen: list[str] = []

    def check(op: ir.build.__class__) -> object:
        from mlir import ir as mlir

        where = ir.location_of(op, module)
        assert where is not None
        if op.name.split(".")[0] in OURS and op.name != "dataflow.return":
            text = lines[where.line - 1][where.col - 1 :]
            if not (op.name == "agen.yield" and not text.startswith("agen")):
                assert text.startswith(op.name)
                seen.append(op.name)
        return mlir.WalkResult.ADVANCE

    module.operation.walk(check)
    assert seen


def test_the_texts_hold_every_op() -> None:
    ir.load_dialects()
    text = "".join(ALL.values())
    declared = [n for n in opdef.REGISTRY if n.split(".")[0] in OURS]
    assert len(declared) >= 60
    rare = {f"vectorchain.{n}" for n in ("fast_exp", "floor", "rec_estimate", "ln_estimate")}
    rare |= {"vectorchain.rsqrt_estimate", "vectorchain.sigmoid_estimate"}
    assert [n for n in declared if n not in text and n not in rare] == []


def test_both_attribute_spellings_are_read() -> None:
    one = 'func.func @f() {{ %0 = "dataflow.get_unit"(){} : () -> index return }}'
    both = printed(one.format(' <{name = "a"}> {type = "b", name = "c"}'))
    assert 'dataflow.get_unit {name = "a", type = "b"}' in both
    assert both == printed(one.format(' {name = "a", type = "b"}'))


def test_defaults_are_filled_in_and_hidden() -> None:
    text = printed(ALL["chains"], generic=True)
    assert "right_shift = true" in text
    assert "sign_extend = false" in text
    assert "right_shift = true" not in ALL["chains"]


def test_a_region_may_be_left_out() -> None:
    text = printed(
        "func.func @f(%m: memref<4xf16>, %v: vector<4xf16>) {\n"
        "  agen.composite_store %m[0] input_vector=%v time_symbols()"
        " {time_addr_map = affine_map<(d0) -> (d0)>, time_order = affine_map<(d0) -> (d0)>,"
        " time_set = affine_set<(d0) : (d0 == 0)>} : memref<4xf16>, vector<4xf16>\n  return }"
    )
    assert "input_vector=%arg1 time_symbols()" in text
    assert printed(text) == text


def test_pages_need_no_commas() -> None:
    text = ALL["views"].replace("= %c0),\n", "= %c0)\n")
    assert text != ALL["views"]
    assert printed(text) == ALL["views"]


def test_shuffle_clauses_in_any_order() -> None:
    text = ALL["chains"].replace(
        "variable(%arg2), pad(%arg3, %arg3), mask(%arg1)",
        "mask(%arg1), pad(%arg3, %arg3), variable(%arg2)",
    )
    assert text != ALL["chains"]
    assert printed(text) == ALL["chains"]
