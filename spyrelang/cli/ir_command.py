"""`spyrelang ir`."""

from __future__ import annotations

import argparse

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    parser.add_argument("--stage", help="the stage to print (default: the first there is)")
    parser.add_argument("--diff", action="store_true", help="what changed since the stage before")
    parser.add_argument("--locs", action="store_true", help="with places in the author's file")


def run(args: argparse.Namespace) -> int:
    compiled = common.load_compiled(args)
    compiled.show_ir(args.stage or compiled.stages[0], diff=args.diff, locs=args.locs)
    return 0
