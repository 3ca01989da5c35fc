"""Parsing the command line. Nothing heavy is imported before a subcommand runs."""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Any

# name, one line of help; each has a module of this package with `options(parser)` and `run(args)`.
COMMANDS = (
    ("compile", "compile a kernel and print or write a stage of it"),
    ("run", "run a kernel, a KTIR or a DataflowIR text on arrays"),
    ("check", "compare the kernels of a file with their references"),
    ("ir", "print the IR of a kernel at a stage"),
    ("export", "write a kernel's SpyreCode artifact"),
    ("launch", "launch an artifact on arrays"),
    ("trace", "run in the checked engine and write a Chrome trace"),
    ("report", "show what a kernel takes of a device"),
    ("device", "describe a device"),
    ("explain", "explain an error code"),
    ("env", "show settings and versions"),
)

EXIT_WRONG = 1
EXIT_USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 fine, 1 the kernel is wrong, 2 the call is
    wrong or spyrelang is."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words)
    args = parser.parse_args(words)
    if args.command is None:
        parser.print_help()
        return EXIT_USAGE
    module = importlib.import_module(f"spyrelang.cli.{args.command}_command")
    from spyrelang.errors import SpyreError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            return int(module.run(args))
    except SpyreError as error:
        if error.location is not None and _is_ours(error.location.file, inspect.currentframe()):
            # A call that we made for the command line has no line of the author's to show.
            error.location = None
        _print_error(error, as_json=getattr(args, "json", False))
        return _code(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        # The reader of our output went away (`spyrelang ir … | head`); that is no error.
        sys.stderr.close()
        return 0


def _is_ours(file: str, main: FrameType | None) -> bool:
    """Whether a file is part of the command itself, or of what started it."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.abspath(file)
    caller = main.f_back if main is not None else None
    started = caller is not None and caller.f_code.co_filename == file
    started = started or file.startswith("<frozen ")
    return path.startswith(here + os.sep) or path == os.path.abspath(sys.argv[0]) or started


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    from spyrelang import __version__

    parser = argparse.ArgumentParser(
        prog="spyrelang",
        description="Write, schedule, run and export kernels for the Spyre dataflow accelerator.",
        epilog="Exit codes: 0 fine, 1 the kernel is wrong, 2 wrong use or internal error.",
    )
    parser.add_argument("--version", action="version", version=f"spyrelang {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, summary in COMMANDS:
        described = f"{summary[0].upper()}{summary[1:]}."
        sub = commands.add_parser(name, help=summary, description=described)
        if name == chosen:
            importlib.import_module(f"spyrelang.cli.{name}_command").options(sub)
    return parser


def _print_warning(message: Warning | str, category: type[Warning], *where: Any) -> None:
    """A finding of ours says its place itself; others as Python does."""
    from spyrelang.errors import SpyreWarning

    if isinstance(message, SpyreWarning):
        print(message, file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, *where[:2]), end="", file=sys.stderr)


# Codes of how a kernel is called, not of what it does: signature, shapes, grid, device by name.
# SPY104 and SPY105 are about the file, not about what it says.
_CALL_CODES = ("SPY104", "SPY105", "SPY26", "SPY27", "SPY28", "SPY30")


def _code(error: object) -> int:
    """Faults of the kernel or its text are 1; files, arguments and our bugs are 2."""
    code = getattr(error, "code", "SPY900")
    return EXIT_USAGE if code[3] in "789" or code.startswith(_CALL_CODES) else EXIT_WRONG


def _print_error(error: Any, *, as_json: bool) -> None:
    if as_json:
        import json

        place = getattr(error, "location", None)
        print(
            json.dumps(
                {
                    "code": getattr(error, "code", None),
                    "message": getattr(error, "message", str(error)),
                    "file": getattr(place, "file", None),
                    "line": getattr(place, "line", None),
                    "column": getattr(place, "col", None),
                    "fix": getattr(error, "hint", None),
                }
            )
        )
        return
    print(error, file=sys.stderr)
