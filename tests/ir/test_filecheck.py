"""What each pass makes of small texts: see the RUN and CHECK lines of the .mlir files here."""

from __future__ import annotations

from pathlib import Path

import pytest

from spyrelang.driver.build import resume
from spyrelang.testing.filecheck import check_file, match

FILES = sorted(Path(__file__).parent.rglob("*.mlir"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_file(path: Path) -> None:
    failures = check_file(path)
    assert not failures, "\n".join(failures)


def test_a_missing_line_is_found() -> None:
    """The checks can fail."""
    path = Path(__file__).parent / "split" / "tile_of_three_rows.mlir"
    source = path.read_text().split("// CHECK")[0].replace("linalg.add", "linalg.sub")
    output = resume("ktir", source).ir("programs")
    assert "arith.addf" in match(path, str(output))
