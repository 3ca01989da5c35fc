"""`spyrelang check`: kernels with a `check` recipe beside them.

A file offers a recipe by a dictionary `CHECKS = {"kernel name": recipe}`; a recipe is a dictionary
of the keyword arguments of `spyre.check` (`ref`, `inputs`, …), or a function that makes one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrelang.cli import common

if TYPE_CHECKING:
    from spyrelang.driver.kernel import Kernel
    from spyrelang.testing import CheckResult


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.py[:kernel]", help="a file with a CHECKS dictionary")
    parser.add_argument("--device", help="a device name or file")
    parser.add_argument("--engine", default="checked", choices=("ktir", "fast", "checked"))
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    from spyrelang.errors import usage

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
    results: list[CheckResult] = []
    for name, recipe in chosen.items():
        results.append(_checked(kernels[name], _recipe(recipe, args)))
        print(results[-1].to_json() if args.json else results[-1])
    return 0 if all(result.ok for result in results) else 1


def _checked(kernel: Kernel, recipe: dict[str, Any]) -> CheckResult:
    """The verdict; a kernel that does not get to run is wrong, and others are looked at."""
    from spyrelang.errors import SpyreError
    from spyrelang.testing import CheckResult, check

    try:
        return check(kernel, **recipe)
    except SpyreError as error:
        if error.code.startswith(("SPY2", "SPY4")):
            return CheckResult(kernel.name, False, None, (), error=error)
        raise


def _recipe(recipe: Any, args: argparse.Namespace) -> dict[str, Any]:
    given: Any = recipe() if callable(recipe) else recipe
    found: dict[str, Any] = dict(given)
    found.setdefault("engine", args.engine)
    if args.device:
        found["device"] = args.device
    return found
