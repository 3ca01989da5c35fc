"""Affine maps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from spyrelang.affine import errors, text
from spyrelang.affine.expr import Const, Dim, Expr, Sym, as_expr
from spyrelang.errors import Location, SpyreError


def header(n_dims: int, n_syms: int) -> str:
    """`(d0, d1)[s0]` as MLIR prints it."""
    dims = ", ".join(f"d{i}" for i in range(n_dims))
    syms = ", ".join(f"s{i}" for i in range(n_syms))
    return f"({dims})" + (f"[{syms}]" if n_syms else "")


def check_used(exprs: Sequence[Expr], n_dims: int, n_syms: int) -> None:
    """SPY111 where an expression uses a dim or symbol past the counts."""
    for expr in exprs:
        if any(i >= n_dims for i in expr.dims()) or any(i >= n_syms for i in expr.syms()):
            raise errors.not_affine(expr, f"only {n_dims} dims and {n_syms} symbols exist")


@dataclass(frozen=True)
class Map:
    """`affine_map<(d0, …)[s0, …] -> (results)>`."""

    n_dims: int
    n_syms: int
    results: tuple[Expr, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", tuple(as_expr(r) for r in self.results))
        check_used(self.results, self.n_dims, self.n_syms)

    @staticmethod
    def parse(source: str, location: Location | None = None) -> Map:
        """Read MLIR's text, with or without `affine_map<…>` round it; SPY110 on bad text."""
        try:
            return _parsed(source)
        except SpyreError:  # once more, for an error with its place
            return Map(*text.parse_map(source, location))

    @staticmethod
    def identity(n_dims: int) -> Map:
        """`(d0, …) -> (d0, …)`."""
        return Map(n_dims, 0, tuple(Dim(i) for i in range(n_dims)))

    @staticmethod
    def permutation(order: Sequence[int]) -> Map:
        """`(d0, …) -> (d_order[0], …)`."""
        return Map(len(order), 0, tuple(Dim(i) for i in order))

    @property
    def n_results(self) -> int:
        """How many results there are."""
        return len(self.results)

    @property
    def is_identity(self) -> bool:
        """Whether result i is dim i, for all dims."""
        return self.results == tuple(Dim(i) for i in range(self.n_dims))

    def as_permutation(self) -> tuple[int, ...] | None:
        """The dim each result is, when the results are all the dims once each; else None."""
        order = tuple(r.index for r in self.results if isinstance(r, Dim))
        complete = len(order) == self.n_results and sorted(order) == list(range(self.n_dims))
        return order if complete else None

    @property
    def is_permutation(self) -> bool:
        """Whether the results are all the dims, each once."""
        return self.as_permutation() is not None

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> tuple[Any, ...]:
        """The results at `dims` and `syms`: ints, or numpy arrays that broadcast."""
        return tuple(r.eval(dims, syms) for r in self.results)

    def compose(self, inner: Map) -> Map:
        """`self(inner(dims))`; the symbols are those of `self`, then those of `inner`."""
        if inner.n_results != self.n_dims:
            raise errors.not_affine(self, f"composed with a map of {inner.n_results} results")
        shifted = [Sym(self.n_syms + i) for i in range(inner.n_syms)]
        middle = [r.substitute((), shifted) for r in inner.results]
        results = tuple(r.substitute(middle) for r in self.results)
        return Map(inner.n_dims, self.n_syms + inner.n_syms, results)

    def substitute(
        self, dims: Sequence[Expr | int], syms: Sequence[Expr | int] = ()
    ) -> tuple[Expr, ...]:
        """The results with expressions put for the dims and symbols."""
        return tuple(r.substitute(dims, syms) for r in self.results)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        inner = ", ".join(str(r) for r in self.results)
        return f"affine_map<{header(self.n_dims, self.n_syms)} -> ({inner})>"


_DIM = "d[0-9]+"
_LEAF = rf"(?:{_DIM}|-?[0-9]{{1,18}})"
_PLAIN = re.compile(rf"affine_map<\(({_DIM}(?:, {_DIM})*)?\) -> \(({_LEAF}(?:, {_LEAF})*)?\)>")


@lru_cache(maxsize=4096)
def _parsed(source: str) -> Map:
    return _plain(source) or Map(*text.parse_map(source, None))


def _plain(source: str) -> Map | None:
    """The map of a text as MLIR prints it, where each result is a dim or a number: most are."""
    found = _PLAIN.fullmatch(source)
    if found is None:
        return None
    dims = found[1].split(", ") if found[1] else []
    numbers = {f"d{i}": i for i in range(len(dims))}
    leaves = found[2].split(", ") if found[2] else []
    if list(numbers) != dims or any(leaf[0] == "d" and leaf not in numbers for leaf in leaves):
        return None
    results = (Dim(numbers[leaf]) if leaf[0] == "d" else Const(int(leaf)) for leaf in leaves)
    return Map(len(dims), 0, tuple(results))
