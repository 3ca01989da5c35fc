"""`spyrelang trace`."""

from __future__ import annotations

import argparse

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    common.argument_option(parser)
    parser.add_argument("-o", "--output", required=True, help="the JSON file to write")
    parser.add_argument("--timeline", action="store_true", help="print a timeline too")


def run(args: argparse.Namespace) -> int:
    from spyrelang import display

    values, _ = common.load_arguments(args)
    compiled = common.load_compiled(args, values)
    finished = compiled.execute(values, engine="checked")
    print(f"wrote {finished.trace(args.output)}")
    if args.timeline:
        display.show(finished.timeline())
    return 0
