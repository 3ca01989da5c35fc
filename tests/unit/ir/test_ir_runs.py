"""What one pattern reads at once is what its pieces read one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from spyrelang.errors import SpyreError
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.pieces import Draft, Run
from spyrelang.ir.reader import convert

TEXTS = sorted((Path(__file__).parents[2]).rglob("*.mlir"))


def outcome(text: str) -> str:
    try:
        return convert(text, "t.mlir").text(False)
    except SpyreError as error:
        return str(error)


def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no run match."""

    def read(self: Run, c: Cursor, d: Draft) -> None:
        for piece in self.pieces:
            piece.read(c, d)

    monkeypatch.setattr(Run, "read", read)


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_texts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text()
    together = outcome(text)
    apart(monkeypatch)
    assert outcome(text) == together


TILE = "!ktdp.access_tile<4xindex>"


@pytest.mark.parametrize(
    "line",
    [
        "%x = ktdp.load %t : <4xindex> -> tensor<4xf16>",
        '%x = ktdp.load // the tile\n %t {a = 1, b = "}"} : <4xindex>\n  -> tensor<4xf16>',
        f"%x = ktdp.load %t : {TILE} -> tensor<4xf16>",
        "%x = ktdp.load %t#1 : <4xindex> -> tensor<4xf16>",
        "%x = ktdp.load %t : <4xindex> tensor<4xf16>",
        "%x = ktdp.load %t {a = [1} : <4xindex> -> tensor<4xf16>",
        "%x = ktdp.load %t {a = 1, a = 2} : <4xindex> -> tensor<4xf16>",
        "%x = ktdp.load : <4xindex> -> tensor<4xf16>",
        "ktdp.store %v, %t : tensor<4xf16>, <4xindex>",
        "ktdp.store %v, %t : tensor<4xf16, #a>, <4xindex>",
        "ktdp.store %v %t : tensor<4xf16>, <4xindex>",
        "ktdp.store %v, %t : tensor<4xf16>",
    ],
)
def test_lines(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = outcome(line)
    apart(monkeypatch)
    assert outcome(line) == together


def test_runs_are_there() -> None:
    from spyrelang.ir import opdef

    opdef.load_dialects()
    op = opdef.lookup("ktdp.load")
    assert op is not None
    assert op.assembly is not None
    assert [type(step) for step in op.assembly.steps] == [Run]
