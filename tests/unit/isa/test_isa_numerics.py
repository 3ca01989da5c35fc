"""Programs written for f16, rewritten for DLFloat16."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spyrelang.isa import program as p
from spyrelang.isa.numerics import as_df16
from spyrelang.semantics import df16

CONSTANT = "vectorchain.constant_bitstream"
ATTRS = (("repetition", 1), ("value", (0x3C00, 0xBC00, 0x0001, 0xFC00, 0x7C00, 0x7E00)))


def executable(*body: p.Instr) -> p.Executable:
    unit = p.ProgramUnit("alu", (0,), body, 0)
    machine = p.Machine("m", (), (p.Unit("u", "alu"),), (), 1)
    argument = p.Argument("x", "in", "f16", (4,), (1,))
    program = p.Program("k", 0, (unit,))
    return p.Executable("k", machine, (argument,), (), (), (program,), (), ())


def body(made: p.Executable) -> tuple[p.Instr, ...]:
    return made.programs[0].units[0].body


def compute(op: str, dtype: str, *attrs: tuple[str, object]) -> p.Compute:
    return p.Compute(0, 0, op, (), dtype, 6, attrs)


def test_types_of_all_instructions_at_any_depth():
    access = p.Access(0, (), ())
    inner: tuple[p.Instr, ...] = (
        p.View(0, 0, (0,), 0, 1, (4,), (1,), 0, "f16"),
        p.Load(0, 1, access, (), "f16", 4),
        p.Receive(0, 2, (0,), "f32", 4),
        p.Store(0, 1, access, (), "f16", 4),
        p.Transfer(0, access, access, (), "f16"),
        compute("vectorchain.binary.add", "f16"),
    )
    nested = p.If(0, 0, (p.For(0, 1, 2, 3, 4, inner),), inner)
    (made,) = body(as_df16(executable(nested)))
    assert isinstance(made, p.If)
    (loop,) = made.then_body
    assert isinstance(loop, p.For)
    assert loop.body == made.else_body
    found = [getattr(i, "dtype", "") for i in loop.body]
    assert found == ["df16", "df16", "f32", "df16", "df16", "df16"]


def test_constants_become_codes():
    half, single = compute(CONSTANT, "f16", *ATTRS), compute(CONSTANT, "f32", *ATTRS)
    found, other = body(as_df16(executable(half, single)))
    assert other == single
    assert isinstance(found, p.Compute)
    assert found.dtype == "df16"
    attrs = dict(found.attrs)
    assert attrs["repetition"] == 1
    values = attrs["value"]
    assert isinstance(values, tuple)
    numbers = df16.decode(np.array(values, np.uint16))
    want = [1.0, -1.0, 2.0**-24, -df16.LARGEST, df16.LARGEST, np.nan]  # no literal is infinite
    np.testing.assert_array_equal(numbers, np.array(want, np.float32))


def test_masks_of_bits_stay():
    masks = (0x8000, 0x7FFF, 0xFFFF, 0)
    (found,) = body(as_df16(executable(compute(CONSTANT, "f16", ("value", masks)))))
    assert isinstance(found, p.Compute)
    assert dict(found.attrs)["value"] == masks


def test_it_is_done_once_and_leaves_the_program_alone():
    given = executable(compute(CONSTANT, "f16", *ATTRS))
    kept = replace(given)
    made = as_df16(given)
    assert as_df16(given) is made
    assert given == kept
    assert made.arguments == given.arguments
