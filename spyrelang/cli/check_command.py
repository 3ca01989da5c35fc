"""`spyrelang check`: kernels with a `check` recipe beside them.

A file offers a recipe by a dictionary `CHECKS = {"kernel name": recipe}`; a recipe is a dictionary
of the keyword arguments of `spyre.check` (`ref`, `inputs`, …), or a function that makes one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.py[:kernel]", help="a file with a CHECKS dictionary")
    parser.add_argument("--device", help="a device name or file")
    parser.add_argument("--engine", default="checked", choices=("fast", "checked"))
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    from spyrelang.errors import usage
    from spyrelang.testing import check

    file, _, only = args.file.rpartition(":") if ".py:" in args.file else (args.file, "", "")
    kernels = common.load_kernels(Path(file))
    recipes = getattr(sys.modules[Path(file).stem], "CHECKS", {})
    chosen = {only: recipes[only]} if only in recipes else ({} if only else dict(recipes))
    strangers = [name for name in chosen if name not in kernels]
    if strangers:
        known = ", ".join(kernels) or "none"
        problem = f"has no kernel '{strangers[0]}'"
        raise usage.WHICH_KERNEL.error(path=file, problem=problem, known=known)
    if not chosen:
        raise usage.NO_CHECKS.error(path=file, name=f"kernel '{only}'" if only else "any kernel")
    results = [check(kernels[name], **_recipe(recipe, args)) for name, recipe in chosen.items()]
    for result in results:
        print(result.to_json() if args.json else result)
    return 0 if all(result.ok for result in results) else 1


def _recipe(recipe: Any, args: argparse.Namespace) -> dict[str, Any]:
    given: Any = recipe() if callable(recipe) else recipe
    found: dict[str, Any] = dict(given)
    found.setdefault("engine", args.engine)
    if args.device:
        found["device"] = args.device
    return found
