"""`spyrelang export`."""

from __future__ import annotations

import argparse

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    parser.add_argument("-o", "--output", required=True, help="the artifact's directory")


def run(args: argparse.Namespace) -> int:
    path = common.load_compiled(args).export(args.output)
    print(f"wrote {path}")
    return 0
