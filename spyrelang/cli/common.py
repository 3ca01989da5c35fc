"""What several subcommands share: options, loading a FILE, loading arguments."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import traceback
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrelang.errors import Location, usage

if TYPE_CHECKING:
    from spyrelang.driver.compiled import Compiled
    from spyrelang.driver.kernel import Kernel
    from spyrelang.runtime.signature import Signature

FILE_HELP = "a .mlir file of any stage, or module.py:kernel; FILE.mlir:kernel of several in KTIR"


def file_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help=FILE_HELP)


def device_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", help="a device name or file (default: from the settings)")
    parser.add_argument("--grid", help="the grid, such as 32 or 2,4 (default: the kernel's own)")
    parser.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="NAME=DTYPE[SHAPE]",
        help="shape and type of a tensor parameter, such as x=f16[96,64]",
    )
    parser.add_argument(
        "--const", action="append", default=[], metavar="NAME=VALUE", help="a constant parameter"
    )


def argument_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=FILE.npy|NUMBER",
        help="an array (outputs are written back to their file) or a number",
    )
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="NAME=DTYPE[SHAPE]:FILE.npy",
        help="allocate an output and write it to FILE.npy",
    )


def memory_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="ADDRESS=FILE.npy",
        help="an array at a constant address of the text, in elements; written back to its file",
    )


def engine_option(parser: argparse.ArgumentParser, default: str = "fast") -> None:
    parser.add_argument(
        "--engine", default=default, choices=("ktir", "fast", "checked"), help="which engine"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the checked engine's order")


def json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


# --- arguments ------------------------------------------------------------------------------------


def pairs(items: Sequence[str], option: str) -> dict[str, str]:
    """`NAME=VALUE` options as a dictionary; raises SPY850."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise usage.OPTION.error(option=option, got=item, want="NAME=VALUE")
        found[name] = value
    return found


def parse_spec(text: str, option: str) -> Any:
    """`f16[96,64]` as a spec; raises SPY850."""
    from spyrelang.frontend import tensor_spec

    dtype, bracket, rest = text.partition("[")
    if not bracket or not rest.endswith("]"):
        raise usage.OPTION.error(option=option, got=text, want="DTYPE[SIZE,…]")
    sizes = [part.strip() for part in rest[:-1].split(",") if part.strip()]
    if not all(size.isdigit() for size in sizes):
        raise usage.OPTION.error(option=option, got=text, want="DTYPE[SIZE,…]")
    return tensor_spec(tuple(int(size) for size in sizes), dtype.strip())


def number(text: str) -> Any:
    """An int, a float, or the text itself."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)


def load_arguments(args: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Path]]:
    """Arrays and numbers by name, and the files that outputs go back to."""
    import numpy as np

    values: dict[str, Any] = {}
    files: dict[str, Path] = {}
    for name, text in pairs(args.arg, "--arg").items():
        if text.endswith(".npy"):
            files[name] = Path(text)
            values[name] = read_array(files[name])
        else:
            values[name] = number(text)
    for name, text in pairs(args.out, "--out").items():
        shape, colon, file = text.rpartition(":")
        if not colon:
            raise usage.OPTION.error(option="--out", got=text, want="DTYPE[SHAPE]:FILE.npy")
        spec = parse_spec(shape, "--out")
        values[name] = np.zeros(spec.shape, spec.dtype.numpy)
        files[name] = Path(file)
    return values, files


def load_memory(items: Sequence[str]) -> dict[int, tuple[Any, Path]]:
    """`ADDRESS=FILE.npy` options: each array and its file by address; raises SPY850, SPY851."""
    found: dict[int, tuple[Any, Path]] = {}
    for item in items:
        address, equals, file = item.partition("=")
        if not equals or not address.isdigit() or not file:
            raise usage.OPTION.error(option="--memory", got=item, want="ADDRESS=FILE.npy")
        found[int(address)] = read_array(Path(file)), Path(file)
    return found


def read_array(path: Path) -> Any:
    """A .npy file; raises SPY851. Raw 16-bit arrays of bfloat16 come back as bfloat16."""
    import ml_dtypes
    import numpy as np

    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise usage.ARRAY_FILE.error(path=path, reason=reason_of(error)) from None
    if not isinstance(array, np.ndarray):
        raise usage.ARRAY_FILE.error(path=path, reason="it holds several arrays")
    if array.dtype == np.dtype("V2"):
        return array.view(ml_dtypes.bfloat16)
    return array


def write_outputs(signature: Signature, values: dict[str, Any], files: dict[str, Path]) -> None:
    """Write what the kernel may have changed back to the files that it came from."""
    for param in signature.given:
        if param.writes and param.name in files:
            write_array(files[param.name], values[param.name])


def write_array(path: Path, array: Any) -> None:
    """Write a .npy file, whole or not at all."""
    import os

    import numpy as np

    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            np.save(file, array)
        os.replace(partial, path)
    except OSError as error:
        raise usage.ARRAY_FILE.error(path=path, reason=reason_of(error)) from None


def reason_of(error: Exception) -> object:
    """What went wrong with a file, without its name, which the message has already."""
    return (isinstance(error, OSError) and error.strerror) or error


# --- kernels --------------------------------------------------------------------------------------


def load_kernels(path: Path) -> dict[str, Kernel]:
    """The kernels of a Python file, by name; raises SPY852."""
    from spyrelang.driver.kernel import Kernel

    if not path.is_file():
        raise usage.NO_FILE.error(path=path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise usage.NO_FILE.error(path=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        from spyrelang.errors import SpyreError

        if isinstance(error, SpyreError):
            raise
        said = error.msg if isinstance(error, SyntaxError) else error
        reason = f"{type(error).__name__}: {said}"
        raise usage.IMPORT.error(_place(error, path), path=path, reason=reason) from error
    return {k: v for k, v in vars(module).items() if isinstance(v, Kernel)}


def _place(error: Exception, path: Path) -> Location | None:
    """The line of the file that an exception came through last."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return Location(str(path), error.lineno or 0, error.offset or 0)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return Location(str(path), lines[-1] or 0) if lines else None


def load_kernel(text: str) -> Kernel:
    """`module.py:kernel`, or `module.py` where it has one kernel."""
    file, colon, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    kernels = load_kernels(Path(file))
    if not colon and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name not in kernels:
        known = ", ".join(kernels) or "none"
        problem = f"has no kernel '{name}'" if name else "has several kernels and none was named"
        raise usage.WHICH_KERNEL.error(path=file, problem=problem, known=known)
    return kernels[name]


def is_python(text: str) -> bool:
    return text.endswith(".py") or ".py:" in text


def grid_of(args: argparse.Namespace) -> Any:
    """`--grid 2,4` as a tuple; None where not given."""
    if args.grid is None:
        return None
    parts = args.grid.replace("x", ",").split(",")
    if not all(part.strip().isdigit() for part in parts):
        raise usage.OPTION.error(option="--grid", got=args.grid, want="a number or numbers: 2,4")
    return tuple(int(part) for part in parts)


def load_compiled(args: argparse.Namespace, values: dict[str, Any] | None = None) -> Compiled:
    """FILE compiled: a kernel with `--spec`s (or arrays), or text of the stage it looks like."""
    if is_python(args.file):
        kernel = load_kernel(args.file)
        named = {n: parse_spec(t, "--spec") for n, t in pairs(args.spec, "--spec").items()}
        named |= {n: number(t) for n, t in pairs(args.const, "--const").items()}
        return kernel.compile(**{**named, **(values or {})}, grid=grid_of(args), device=args.device)
    return load_text(args.file, args.device)


def load_text(file: str, device: str | None) -> Compiled:
    """A text or an artifact compiled; `FILE.mlir:name` chooses one of several KTIR kernels."""
    from spyrelang.driver.build import resume
    from spyrelang.driver.load import load_ktir

    text, colon, name = file.rpartition(":") if ".mlir:" in file else (file, "", "")
    path = Path(text)
    if path.is_dir():
        return resume("spyrecode", path)
    stage = guess_stage(path)
    if stage != "ktir":
        return resume(stage, path, device=device)
    module = load_ktir(path)
    return (module[name] if colon else module).compile(device=device)


def guess_stage(path: Path) -> str:
    """The stage of a text, by what it contains."""
    from spyrelang.ir import read_text

    text = read_text(path)
    marks = (
        ("dataflow.program_unit", "dataflow"),
        ("builtin.unrealized_conversion_cast", "placed"),
        ("ktdf.tiling.reserve_size", "nested"),
    )
    for mark, stage in marks:
        if mark in text:
            return stage
    if "ktdf.pipeline" in text:
        tiled = 'loop_role = "tile"' in text or "ktdf.parallel" in text
        if tiled or text.count("ktdf.pipeline {") > 1:
            return "explored"
        return "routed" if text.count("applicable_units") > 1 else "pipeline"
    return "programs" if "spyrelang.operand" in text else "ktir"
