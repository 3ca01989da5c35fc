"""`spyrelang run`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spyrelang.cli import common

if TYPE_CHECKING:
    from spyrelang.isa.program import Argument


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    common.argument_option(parser)
    common.engine_option(parser)
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    values, files = common.load_arguments(args)
    compiled = common.load_compiled(args, values)
    finished = compiled.execute(values, engine=args.engine, seed=args.seed)
    for name, path in files.items():
        if role_of(compiled.executable.arguments, name) != "in":
            common.write_array(path, values[name])
    if args.json:
        print(json.dumps({"kernel": compiled.name, "cycles": finished.cycles}))
    else:
        print(f"{compiled.name}: {finished.cycles} cycles, engine {args.engine}")
    return 0


def role_of(arguments: Sequence[Argument], name: str) -> str:
    """The role of an argument; "out" where nothing says."""
    for argument in arguments:
        if argument.name == name:
            return argument.role
    return "out"
