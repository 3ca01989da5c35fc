"""Joining short inner dims: a box of 4096 x 2 points whose operands are all contiguous is a row of
8192, which fills the lanes of the compute unit where 2 would leave most of them idle."""

from __future__ import annotations

from dataclasses import replace

from spyrelang import affine
from spyrelang.affine import Expr
from spyrelang.schedule.model import Dim, Operand, Program
from spyrelang.schedule.target import Target


def collapse(program: Program, device: Target) -> Program:
    """Join the innermost dims, as long as the last one is shorter than a vector and every operand
    either runs through both without a gap or varies along neither."""
    lanes = _lanes(program, device)
    while len(program.dims) > 1 and program.dims[-1].extent < lanes:
        joined = [_joined(operand, program) for operand in program.operands]
        operands = tuple(operand for operand in joined if operand is not None)
        if len(operands) != len(joined):
            break
        *outer, first, last = program.dims
        dim = Dim(first.extent * last.extent, first.kind, first.name)
        program = replace(program, dims=(*outer, dim), operands=operands)
    return program


def _lanes(program: Program, device: Target) -> int:
    """The narrowest vector of the operands' types; 0 where nothing is known of them."""
    unit = next(iter(device.compute_units), "")
    return min((device.lanes(unit, operand.dtype) for operand in program.operands), default=0)


def _joined(operand: Operand, program: Program) -> Operand | None:
    """The operand with its last two program dims as one; None when they cannot be."""
    last = len(program.dims) - 1
    first = last - 1
    inner, outer = _position(operand, last), _position(operand, first)
    used = {dim for index in operand.index for dim in index.dims()}
    if not used & {first, last}:
        return operand
    if inner is None or outer is None or not _gapless(operand, outer, inner, program.dims[last]):
        return None
    length = operand.shape[inner]
    kept = [i for i in range(len(operand.shape)) if i != outer]
    shape, origin = list(operand.shape), list[Expr](operand.origin)
    index = list[Expr](operand.index)
    shape[inner], origin[inner] = operand.shape[outer] * length, operand.origin[outer] * length
    index[inner] = affine.Dim(first)
    return replace(
        operand,
        shape=tuple(shape[i] for i in kept),
        strides=tuple(operand.strides[i] for i in kept),
        origin=tuple(origin[i] for i in kept),
        index=tuple(index[i] for i in kept),
    )


def _position(operand: Operand, dim: int) -> int | None:
    """The view dim that is indexed by just this program dim."""
    found = [i for i, index in enumerate(operand.index) if index == affine.Dim(dim)]
    return found[0] if len(found) == 1 else None


def _gapless(operand: Operand, outer: int, inner: int, last: Dim) -> bool:
    """Whether the next row starts where one ends, and rows are taken whole."""
    row = operand.shape[inner]
    whole = last.extent == row and operand.origin[inner].constant == 0
    return whole and operand.strides[outer] == operand.strides[inner] * row
