"""`spyrelang launch`: an artifact alone, without MLIR."""

from __future__ import annotations

import argparse
import json

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="an artifact")
    common.argument_option(parser)
    parser.add_argument("--engine", default="fast", choices=("fast", "checked"))
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    from spyrelang import runtime

    values, files = common.load_arguments(args)
    prepared = runtime.prepare(args.directory)
    finished = prepared.launch(engine=args.engine, **values)
    common.write_outputs(prepared.signature, values, files)
    if args.json:
        print(json.dumps({"kernel": prepared.executable.name, "cycles": finished.cycles}))
    else:
        print(f"{prepared.executable.name}: {finished.cycles} cycles")
    return 0
