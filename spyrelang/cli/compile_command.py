"""`spyrelang compile`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spyrelang.cli import common

if TYPE_CHECKING:
    from spyrelang.driver.compiled import Compiled


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    common.json_option(parser)
    parser.add_argument("--stage", default="dataflow", help="the stage to print (default dataflow)")
    parser.add_argument(
        "--profile",
        choices=("scheduler-v1", "ours", "interpreter"),
        help="list what this consumer of KTIR refuses, instead of printing a stage",
    )
    parser.add_argument("-o", "--output", help="write to this file instead")
    parser.add_argument(
        "--print-after-all", action="store_true", help="print every stage, to the error stream"
    )


def run(args: argparse.Namespace) -> int:
    from spyrelang import display

    compiled = common.load_compiled(args)
    if args.profile is not None:
        found = compiled.check_profile(args.profile)
        print(found.to_json() if args.json else found)
        return 0 if found.ok else 1
    if args.print_after_all:
        for stage in compiled.stages:
            print(f"// ----- {stage}", file=sys.stderr)
            print(compiled.ir(stage), file=sys.stderr)
    text = compiled.ir(args.stage)
    if args.json:
        _print_json(compiled)
    elif args.output:
        write_text(Path(args.output), text)
    else:
        display.show(text)
    return 0


def _print_json(compiled: Compiled) -> None:
    import json
    from dataclasses import asdict

    records = [asdict(record) for record in compiled.passes()]
    print(json.dumps({"kernel": compiled.name, "passes": records}))


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    import os

    from spyrelang.errors import usage

    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise usage.WRITE.error(path=path, reason=common.reason_of(error)) from None
