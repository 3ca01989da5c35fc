"""`spyrelang explain`."""

from __future__ import annotations

import argparse


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", metavar="CODE", help="an error code, such as SPY101")
    parser.add_argument("--all", action="store_true", help="list all codes")


def run(args: argparse.Namespace) -> int:
    from spyrelang.errors import load_catalogue, usage

    catalogue = load_catalogue()
    if args.all or args.code is None:
        for code in sorted(catalogue):
            print(f"{code}  {catalogue[code].title}")
        return 0
    code = args.code.upper()
    kind = catalogue.get(code if code.startswith("SPY") else f"SPY{code}")
    if kind is None:
        raise usage.UNKNOWN_CODE.error(code=args.code)
    print(f"{kind.code}: {kind.title}\n")
    print(f"message  {kind.template}")
    print(f"cause    {kind.cause}")
    print(f"example  {_indented(kind.example)}")
    print(f"fix      {_indented(kind.fix)}")
    return 0


def _indented(text: str) -> str:
    return text.replace("\n", "\n         ")
