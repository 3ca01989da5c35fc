"""`spyrelang report`."""

from __future__ import annotations

import argparse

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    from spyrelang import display

    report = common.load_compiled(args).report()
    if args.json:
        print(report.to_json())
    else:
        display.show(report)
    return 0
