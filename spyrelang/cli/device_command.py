"""`spyrelang device`."""

from __future__ import annotations

import argparse


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a device name or file")
    parser.add_argument("--text", action="store_true", help="print its description file")


def run(args: argparse.Namespace) -> int:
    from spyrelang.device import Device

    device = Device.load(args.name)
    print(device.text if args.text else device.describe())
    return 0
