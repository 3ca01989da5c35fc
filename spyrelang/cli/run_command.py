"""`spyrelang run`."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys

from spyrelang.cli import common


def options(parser: argparse.ArgumentParser) -> None:
    common.file_option(parser)
    common.device_option(parser)
    common.argument_option(parser)
    common.memory_option(parser)
    common.engine_option(parser)
    common.json_option(parser)


def run(args: argparse.Namespace) -> int:
    from spyrelang.errors import SpyreWarning

    values, files = common.load_arguments(args)
    compiled = common.load_compiled(args, values)
    memory = common.load_memory(args.memory)
    aside = contextlib.redirect_stdout(sys.stderr) if args.json else contextlib.nullcontext()
    with aside:  # what the kernel prints is no JSON
        finished = compiled.execute(
            values,
            engine=args.engine,
            seed=args.seed,
            memory={at: array for at, (array, _) in memory.items()} or None,
        )
    common.write_outputs(compiled.signature(args.engine), values, files)
    for array, path in memory.values():
        common.write_array(path, array)
    if args.json:
        print(json.dumps({"kernel": compiled.name, "cycles": finished.cycles}))
        return 0
    for finding in finished.warnings:
        print(SpyreWarning(finding), file=sys.stderr)
    # The KTIR interpreter has no model of time.
    time = "" if args.engine == "ktir" else f"{finished.cycles} cycles, "
    print(f"{compiled.name}: {time}engine {args.engine}")
    return 0
