"""The blob of a launch: worked bytes, the symbol language, and malformed metadata."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrecode import plans
from spyrelang.errors import SpyreError
from spyrelang.spyrecode import correction_json
from spyrelang.spyrecode.correction import (
    BlobField,
    Correction,
    load_field,
    make_template,
    store_field,
    targets_in,
)
from spyrelang.spyrecode.fields import Where
from spyrelang.spyrecode.symtab import DimensionInput, SymbolTable, kinds_of
from spyrelang.spyrecode.symtab_json import from_json, to_json

WHERE = Where("spyrecode.json")


def parse(hcm: Any) -> Correction:
    return correction_json.from_json(WHERE, hcm)


def table(values: list[Any], inputs: list[Any] | None = None, **more: Any) -> SymbolTable:
    if inputs is None:
        inputs = [{"id": -1, "kind": "address", "arg": 0, "name": "a"}]
    document = {"version": 1, "unit_bytes": 128, "inputs": inputs, "values": values, **more}
    return from_json(WHERE, document)


def value(expr: Any, bits: int = 64, symbol: int = -10) -> dict[str, Any]:
    return {"id": symbol, "expr": expr, "bits": bits}


def dimension(**more: Any) -> dict[str, Any]:
    base = {"id": -2, "kind": "dimension", "arg": 0, "dim": 0, "granularity": 64, "max": 4096}
    return {**base, "name": "s0", **more}


# --- the worked launch ----------------------------------------------------------------------------


def test_blob_of_the_two_core_add():
    correction = parse(plans.two_core_hcm())
    values = correction.table.evaluate([0x1000, 0x400020000, 0x800000000])
    assert {i: values[i] for i in plans.IDS} == {
        -4: 0x20,
        -5: 0x08000400,
        -6: 0x10000000,
        -7: 0x220,
        -8: 0x08000600,
        -9: 0x10000200,
    }
    blob = correction.blob(values)
    assert len(blob) == correction.size == 384
    assert blob[0:4] == bytes.fromhex("20000000")
    assert blob[16:20] == bytes.fromhex("00040008")
    assert blob[32:36] == bytes.fromhex("00000010")
    assert blob[128:132] == bytes.fromhex("20020000")
    assert blob[256:264] == bytes.fromhex("040000380c000038")
    assert blob[264:] == b"\xff" * 120
    untouched = bytearray(blob)
    for field in correction.locations:
        store_field(untouched, field, field.symbol)
    assert bytes(untouched[:256]) == correction.template
    assert targets_in(blob, 2) == (0x38000004, 0x3800000C)


def test_metadata_round_trip():
    correction = parse(plans.two_core_hcm())
    written = correction_json.to_json(correction)
    assert parse(written) == correction
    assert written["symtab"] == plans.two_core_hcm()["symtab"]
    vdci: Any = written["vdci"]
    assert vdci["variableDefs_"] == plans.two_core_hcm()["vdci"]["variableDefs_"]
    assert written["senConstants"] == plans.two_core_hcm()["senConstants"]


def test_a_value_may_have_several_places():
    hcm = plans.two_core_hcm()
    rows = hcm["vdci"]["data_conversion_info_group_"][0]["dci"]["ssi_"]["value_and_locs_"]
    rows[0] += [-1, 1, 7, 32, 63]
    blob = parse(hcm).blob(dict.fromkeys(plans.IDS, 0x11223344))
    assert blob[128 + 112 + 4 : 128 + 112 + 8] == bytes.fromhex("44332211")


@settings(deadline=None)
@given(
    st.integers(0, 3),
    st.integers(0, 7),
    st.integers(0, 127),
    st.integers(0, 127),
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**128 - 1),
)
def test_fields_hold_what_was_stored(
    flit: int, word: int, one: int, two: int, number: int, noise: int
):
    field = BlobField(-1, flit, word, min(one, two), max(one, two))
    data = bytearray(noise.to_bytes(16, "little") * 32)
    before = bytes(data)
    width = field.high - field.low + 1
    store_field(data, field, number)
    assert load_field(data, field) == number % (1 << width)
    store_field(data, field, load_field(before, field))
    assert bytes(data) == before


def test_template_holds_ids():
    field = BlobField(-4, 0, 1, 0, 31)
    assert make_template(1, (field,))[16:20] == bytes.fromhex("fcffffff")


# --- expressions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (["add", {"in": -1}, 5], 1029),
        (["sub", {"in": -1}, 24], 1000),
        (["mul", {"in": -1}, 3], 3072),
        (["floordiv", {"in": -1}, 128], 8),
        (["ceildiv", ["add", {"in": -1}, 0], 512], 2),
        (["mod", {"in": -1}, 1000], 24),
        (["min", {"in": -1}, 7], 7),
        (["max", {"in": -1}, 7], 1024),
        (["floordiv", ["sub", 0, 1], -1], 1),
        (["ceildiv", -7, -2], 4),
        (["mod", -7, 4], 1),
        (12, 12),
    ],
)
def test_operators(expr: Any, expected: int):
    assert table([value(expr)]).evaluate([1024])[-10] == expected


def test_values_build_on_earlier_ones():
    symbols = table([value({"in": -1}, symbol=-2), value(["add", {"sym": -2}, 1], symbol=-3)])
    assert symbols.evaluate([7])[-3] == 8


EVALUATION = [
    (value(["floordiv", {"in": -1}, 0]), 4, "SPY745", "by zero"),
    (value(["mod", {"in": -1}, 0]), 4, "SPY745", "by zero"),
    (value(["mul", {"in": -1}, 1 << 62]), 4, "SPY745", "64-bit"),
    (value(["floordiv", {"in": -1}, 128]), 100, "SPY521", "not exact"),
    (value(["floordiv", ["add", {"in": -1}, 64], 128]), 128, "SPY521", "192 / 128"),
    (value(["ceildiv", {"in": -1}, 128]), 100, "SPY521", "not exact"),
    (value({"in": -1}, 32), 1 << 32, "SPY522", "outside 0 to 4294967295"),
    (value(["sub", {"in": -1}, 8], 32), 4, "SPY522", "is -4"),
]


@pytest.mark.parametrize(("item", "given_value", "code", "words"), EVALUATION)
def test_evaluation_errors(item: Any, given_value: int, code: str, words: str):
    with pytest.raises(SpyreError) as caught:
        table([item]).evaluate([given_value])
    assert caught.value.code == code
    assert words in caught.value.message


def test_inexact_division_where_it_is_allowed():
    rounding = {**value(["floordiv", {"in": -1}, 128]), "exact": False}
    assert table([rounding]).evaluate([100])[-10] == 0
    of_size = value(["floordiv", {"in": -2}, 128])
    assert table([of_size], [dimension()]).evaluate([192])[-10] == 1


def test_largest_values():
    assert table([value({"in": -1}, 32)]).evaluate([(1 << 32) - 1])[-10] == (1 << 32) - 1
    assert table([value({"in": -1}, 1)]).evaluate([1])[-10] == 1


def test_wrong_number_of_inputs():
    with pytest.raises(SpyreError) as caught:
        table([value({"in": -1})]).evaluate([])
    assert caught.value.code == "SPY746"


def test_what_depends_on_what():
    symbols = table(
        [value({"in": -1}, symbol=-5), value({"sym": -5}, symbol=-6)],
        [{"id": -1, "kind": "address", "arg": 0}, dimension()],
    )
    assert kinds_of(symbols) == {
        "address": frozenset({-1, -5, -6}),
        "dimension": frozenset({-2}),
    }


def test_table_round_trip():
    symbols = table(
        [
            {**value(["floordiv", ["add", {"in": -1}, 64], 128]), "exact": False},
            value(["min", {"in": -2}, 9], 17, symbol=-11),
        ],
        [{"id": -1, "kind": "address", "arg": 0, "name": "a"}, dimension()],
    )
    assert from_json(WHERE, to_json(symbols)) == symbols


def test_admitted_sizes():
    size = table([], [dimension(min=128)]).inputs[0]
    assert isinstance(size, DimensionInput)
    assert [n for n in range(0, 400, 32) if size.admits(n)] == [128, 192, 256, 320, 384]
    assert size.nearest(200) == (192, 256)
    assert size.nearest(3) == (128,)
    assert size.nearest(9999) == (4096,)


TABLES = [
    ({"version": 2}, "SPY653", "version 2"),
    ({"version": True}, "SPY653", "version true"),
    ({"unit_bytes": 0}, "SPY652", "'unit_bytes'"),
    ({"inputs": {}}, "SPY652", "'inputs' must be an array"),
    ({"inputs": [3]}, "SPY652", "must be objects"),
    ({"inputs": [{"id": 1, "kind": "address", "arg": 0}]}, "SPY652", "negative"),
    ({"inputs": [{"id": -1, "kind": "tensor", "arg": 0}]}, "SPY652", "unknown kind"),
    ({"inputs": [{"id": -1, "kind": "address", "arg": -1}]}, "SPY652", "'arg'"),
    ({"inputs": [{"id": -1, "kind": "address", "arg": 0, "name": 1}]}, "SPY652", "'name'"),
    ({"inputs": [dimension(granularity=0)]}, "SPY652", "'granularity'"),
    ({"inputs": [dimension(max=100)]}, "SPY652", "multiple of 64"),
    ({"inputs": [dimension(min=8192)]}, "SPY652", "at least 8192"),
    ({"inputs": [dimension(min=0)]}, "SPY652", "'min'"),
    ({"inputs": [dimension(), dimension()]}, "SPY652", "used twice"),
    ({"values": [value({"in": -1}, symbol=-1)]}, "SPY652", "used twice"),
    ({"values": [{"id": -9, "bits": 32}]}, "SPY652", "missing 'expr'"),
    ({"values": [value({"in": -1}, bits=65)]}, "SPY652", "1 to 64"),
    ({"values": [value({"in": -1}, bits=0)]}, "SPY652", "'bits'"),
    ({"values": [{**value(1), "exact": 1}]}, "SPY652", "'exact'"),
    ({"values": [value({"in": -7})]}, "SPY652", "no input"),
    ({"values": [value({"sym": -10})]}, "SPY652", "no earlier value"),
    ({"values": [value({"sym": -1})]}, "SPY652", "no earlier value"),
    ({"values": [value({"arg": -1})]}, "SPY652", "not a reference"),
    ({"values": [value({"in": -1, "sym": -1})]}, "SPY652", "not a reference"),
    ({"values": [value(["pow", {"in": -1}, 2])]}, "SPY652", "unknown operator 'pow'"),
    ({"values": [value(["add", {"in": -1}])]}, "SPY652", "not an expression"),
    ({"values": [value("x")]}, "SPY652", "not an expression"),
    ({"values": [value(True)]}, "SPY652", "not an expression"),
    ({"values": [value(1 << 63)]}, "SPY652", "64-bit"),
]


@pytest.mark.parametrize(("change", "code", "words"), TABLES)
def test_malformed_tables(change: Any, code: str, words: str):
    inputs = [{"id": -1, "kind": "address", "arg": 0}]
    document = {"version": 1, "unit_bytes": 128, "inputs": inputs, "values": [], **change}
    with pytest.raises(SpyreError) as caught:
        from_json(WHERE, document)
    assert caught.value.code == code
    assert words in caught.value.message


def test_deep_expressions_are_refused():
    expr: Any = {"in": -1}
    for _ in range(200):
        expr = ["add", expr, 1]
    with pytest.raises(SpyreError, match="nested deeper"):
        table([value(expr)])


def test_addresses_do_not_depend_on_sizes():
    both = [{"id": -1, "kind": "address", "arg": 0}, dimension()]
    with pytest.raises(SpyreError) as caught:
        table([value(["add", {"in": -1}, {"in": -2}])], both)
    assert caught.value.code == "SPY654"
    hidden = [value({"in": -2}, symbol=-5), value(["add", {"in": -1}, {"sym": -5}], symbol=-6)]
    with pytest.raises(SpyreError, match="symbol -6 mixes"):
        table(hidden, both)


# --- malformed metadata ---------------------------------------------------------------------------


def change(path: tuple[Any, ...], new: Any) -> Any:
    hcm = copy.deepcopy(plans.two_core_hcm())
    target: Any = hcm
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return hcm


RECORD = ("vdci", "data_conversion_info_group_", 0)
ROWS = (*RECORD, "dci", "ssi_", "value_and_locs_")
HCM = [
    (("senConstants",), [], "SPY650", "two hexadecimal strings"),
    (("senConstants", 0), {}, "SPY650", "senconst_"),
    (("senConstants", 0, "senconst_"), "zz", "SPY650", "not hexadecimal"),
    (("senConstants", 0, "senconst_"), "", "SPY650", "whole flits"),
    (("senConstants", 0, "senconst_"), "00" * 100, "SPY650", "whole flits"),
    (("senConstants", 1, "senconst_"), "00" * 128, "SPY650", "more targets"),
    (("senConstants", 1, "senconst_"), "ff" * 256, "SPY650", "64 target words"),
    (("vdci",), None, "SPY651", "must be an object"),
    (("vdci", "data_conversion_info_group_"), {}, "SPY651", "must be an array"),
    (RECORD, [], "SPY651", "no object 'dci'"),
    ((*RECORD, "dci"), {}, "SPY651", "no object 'ssi_'"),
    (ROWS, None, "SPY651", "no array 'value_and_locs_'"),
    ((*ROWS, 0), [-4], "SPY651", "groups of 5"),
    ((*ROWS, 0), [-4, -1, 0, 0, 0], "SPY651", "groups of 5"),
    ((*ROWS, 0), [-4, -1, 0, 0, 0, "31"], "SPY651", "groups of 5"),
    ((*ROWS, 0), [-4, 0, 0, 0, 0, 31], "SPY651", "outside the 2 flits"),
    ((*ROWS, 0), [-4, -1, 2, 0, 0, 31], "SPY651", "outside the 2 flits"),
    ((*ROWS, 0), [-4, -1, 0, 8, 0, 31], "SPY651", "outside the 2 flits"),
    ((*ROWS, 0), [-4, -1, 0, 0, 31, 0], "SPY651", "outside the 2 flits"),
    ((*ROWS, 0), [-4, -1, 0, 0, 97, 128], "SPY651", "outside the 2 flits"),
    ((*ROWS, 0), [-40, -1, 0, 0, 0, 31], "SPY651", "symbol -40"),
    ((*ROWS, 0), [-4, -1, 0, 0, 0, 15], "SPY651", "16 bits, its value has 32"),
    ((*ROWS, 0), [-4, -1, 0, 1, 16, 47], "SPY655", "symbol -5 and symbol -4 overlap"),
    (("symtab",), [], "SPY652", "must be an object"),
]


@pytest.mark.parametrize(("path", "new", "code", "words"), HCM)
def test_malformed_hcm(path: tuple[Any, ...], new: Any, code: str, words: str):
    with pytest.raises(SpyreError) as caught:
        parse(change(path, new))
    assert caught.value.code == code
    assert words in caught.value.message


def test_empty_vdci_is_read_but_holds_no_record():
    hcm = change(("vdci",), {})
    assert parse(hcm).records == 0


FOREIGN = [
    (["V-4", -7, "V-1", "128"], "no known operator"),
    (["V-4", -5, "V-1", "4", "128"], "no known operator"),
    (["X-4", -5, "V-1", "128"], "new name"),
    (["V-1", -5, "V-1", "128"], "new name"),
    (["V-4", -5, "V-30", "128"], "not known"),
    (["V-4", -5, "V-1", 128], "not known"),
    ("V-4", "no known operator"),
]


@pytest.mark.parametrize(("row", "words"), FOREIGN)
def test_definitions_of_other_exporters(row: Any, words: str):
    hcm = change(("vdci", "variableDefs_"), [row])
    del hcm["symtab"]
    with pytest.raises(SpyreError) as caught:
        parse(hcm)
    assert caught.value.code == "SPY651"
    assert words in caught.value.message
