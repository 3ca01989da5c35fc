"""Texts in the printer's own spelling, by subject: reading and printing must keep them."""

from pathlib import Path

ALL = {
    path.stem: path.read_text() for path in sorted((Path(__file__).parent / "texts").glob("*.mlir"))
}
