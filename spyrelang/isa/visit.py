"""Walking instructions."""

from __future__ import annotations

from collections.abc import Iterator

from spyrelang.isa.program import For, If, Instr


def blocks(instr: Instr) -> tuple[tuple[Instr, ...], ...]:
    """The instruction lists nested in `instr`."""
    if isinstance(instr, For):
        return (instr.body,)
    if isinstance(instr, If):
        return (instr.then_body, instr.else_body)
    return ()


def instructions(body: tuple[Instr, ...]) -> Iterator[Instr]:
    """Every instruction of `body` and of what is nested in it, in text order."""
    for instr in body:
        yield instr
        for block in blocks(instr):
            yield from instructions(block)
