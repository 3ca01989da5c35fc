"""The program binary: round trips, the pool, and damage of every kind."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrelang.affine import Const, Dim, FloorDiv, Mod
from spyrelang.errors import SpyreError
from spyrelang.isa import codec
from spyrelang.isa import program as p
from spyrelang.isa.fields import Reader, Writer
from spyrelang.isa.listing import listing

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))
from handmade import Body, executable, machine, staged_add, word_symbol

EXE = staged_add()
BINARY = codec.encode(EXE)


def fails(code: str, data: bytes) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        codec.decode(data)
    assert caught.value.code == code
    return caught.value


def test_round_trip() -> None:
    assert codec.decode(BINARY) == EXE
    assert len(BINARY) % 128 == 0
    assert codec.encode(codec.decode(BINARY)) == BINARY


def test_every_class_of_the_contract_survives() -> None:
    b = Body()
    a, c = b.const(-(2**62)), b.table(1, -2)
    b.put(p.Affine(3, 90, FloorDiv(Dim(0), Const(3)) + Mod(Dim(1), Const(5)), (a, c)))
    cond = b.arith("cmp_ult", a, c)
    b.put(p.If(0, cond, (p.Const(1, 91, 4),), (), (91,), (a,), (92,)))
    b.compute("vectorchain.constant_bitstream", attrs=(("value", (1, (2.5, "é\ud800", True))),))
    exe = executable(machine(2), [("spload", (2, 3), b.code)])
    exe = replace(
        exe,
        arguments=(p.Argument("x", "in", "f16", (2, 3), (3, 1)),),
        locs=(p.SourceLoc("a.mlir", 1, 2, 3, "text"), p.SourceLoc("b.mlir")),
        grid=(2, 1),
    )
    back = codec.decode(codec.encode(exe))
    assert back == exe
    attrs = dict(back.programs[0].units[0].body[-1].attrs)  # type: ignore[attr-defined]
    assert attrs["value"][1][2] is True


@pytest.mark.parametrize("cut", [0, 1, 7, 100, 128, 255, len(BINARY) - 128, len(BINARY) - 1])
def test_truncation(cut: int) -> None:
    fails("SPY550", BINARY[:cut])


def test_a_flipped_byte_anywhere_but_in_the_pool() -> None:
    pool = range(128, 256)
    for at in range(0, len(BINARY), 7):
        damaged = bytearray(BINARY)
        damaged[at] ^= 0x41
        if at in pool:
            assert codec.decode(damaged) == EXE
        else:
            fails("SPY550", bytes(damaged))


def test_another_version_and_trailing_bytes() -> None:
    newer = bytearray(BINARY)
    newer[8] += 1
    assert "version" in str(fails("SPY550", bytes(newer)))
    fails("SPY550", BINARY + bytes(128))


def test_the_pool_is_patched_in_whole_flits_and_code_stays() -> None:
    layout = codec.pool_layout(EXE)
    assert list(layout) == [-4, -5, -6]
    template = BINARY[128:256]
    for symbol, slot in layout.items():
        field = template[slot.byte : slot.byte + 4]
        assert int.from_bytes(field, "little", signed=True) == symbol
    values = {-4: 64, -5: 2**31, -6: 0}
    patched = codec.patch(BINARY, values)
    assert codec.pool_values(patched) == values
    assert patched[:128] == BINARY[:128]
    assert patched[256:] == BINARY[256:]


def test_an_unpatched_pool_is_refused() -> None:
    with pytest.raises(SpyreError) as caught:
        codec.pool_values(codec.patch(BINARY, {-4: 1, -6: 2}))
    assert caught.value.code == "SPY551"
    assert "-5" in caught.value.message


def test_bits_beyond_a_field_are_refused() -> None:
    damaged = bytearray(codec.patch(BINARY, {-4: 1, -5: 1, -6: 2}))
    damaged[128 + 9] = 1
    with pytest.raises(SpyreError) as caught:
        codec.pool_values(damaged)
    assert caught.value.code == "SPY550"


def test_pool_slots_for_inputs_that_code_reads_and_many_symbols() -> None:
    b = Body()
    b.symbol(-1)
    symbols = [word_symbol(-10 - i, -1) for i in range(17)]
    exe = executable(machine(1), [("spload", (1,), b.code)], inputs=2, symbols=symbols)
    layout = codec.pool_layout(exe)
    assert layout[-1] == codec.PoolSlot(0, 0, 0, 63)
    assert -2 not in layout
    assert layout[-26] == codec.PoolSlot(2, 1, 0, 31)
    assert codec.pool_values(codec.patch(codec.encode(exe), dict.fromkeys(layout, 5)))[-1] == 5


def test_a_program_without_symbols_has_no_pool() -> None:
    exe = executable(machine(1), [("spload", (1,), Body().code)])
    data = codec.encode(exe)
    assert codec.decode(data) == exe
    assert codec.pool_layout(exe) == {}


@pytest.mark.parametrize("value", [np.zeros(2), b"x", None, {"a": 1}])
def test_attributes_without_a_binary_form(value: object) -> None:
    b = Body()
    b.compute("op", attrs=(("value", value),))
    with pytest.raises(SpyreError) as caught:
        codec.encode(executable(machine(1), [("spload", (1,), b.code)]))
    assert caught.value.code == "SPY552"
    assert "attrs[0]" in caught.value.message


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.one_of(
            st.integers(-(2**63), 2**64 - 1), st.booleans(), st.text(), st.floats(allow_nan=False)
        ),
        lambda inner: st.lists(inner, max_size=4).map(tuple),
        max_leaves=12,
    )
)
def test_any_plain_value_survives(value: object) -> None:
    writer = Writer()
    writer.value(value, object, "value")
    back = Reader(writer.finish()).value(object)
    assert back == value
    assert repr(back) == repr(value)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_crash(data: bytes) -> None:
    fails("SPY550", data)
    fails("SPY550", BINARY[:128] + data)


def test_the_listing_shows_every_instruction() -> None:
    text = listing(EXE)
    assert "symbol -4 = (-1) floordiv 64 exactly, 32 bits" in text
    assert "await {C0-spload, C1-spload}" in text
    assert "transfer r2[r0, r12, 0] to r6[r14, 0] (256 from [0, 0, 1] to [0, 1]) f16" in text
    assert "r11 = vectorchain.binary.add r9, r10 64xf16" in text
