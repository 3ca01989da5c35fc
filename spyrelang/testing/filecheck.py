"""`.mlir` tests: a text, the stages it is taken to, and what must stand there.

The first lines of a file say what to do, one line a run:

    // RUN: --stage placed --device sample_device --prefix PLACED

`--from` names the stage of the file's own text (default ktir), `--prefix` the prefix of its check
lines (default CHECK). Everything runs in this process.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shlex
import tempfile
from pathlib import Path

from spyrelang.driver.build import resume


def _runs(text: str) -> list[argparse.Namespace]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--from", dest="start", default="ktir")
    parser.add_argument("--device", default="spyre")
    parser.add_argument("--prefix", default="CHECK")
    marked = [line.split("RUN:", 1)[1] for line in text.splitlines() if "// RUN:" in line]
    return [parser.parse_args(shlex.split(line)) for line in marked]


def check_file(path: Path) -> list[str]:
    """Run every RUN line of a file; returns the failures, each with filecheck's explanation."""
    text = path.read_text(encoding="utf-8")
    runs = _runs(text)
    if not runs:
        return [f"{path}: no RUN line"]
    failures: list[str] = []
    for run in runs:
        output = resume(run.start, text, device=run.device).ir(run.stage)
        problem = match(path, str(output), run.prefix)
        if problem:
            failures.append(f"{path} (stage {run.stage}):\n{problem}")
    return failures


def match(path: Path, output: str, prefix: str = "CHECK") -> str:
    """What filecheck says of `output` against the check lines of `path`; empty when it fits."""
    from filecheck.matcher import Matcher
    from filecheck.options import Options

    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(output)
        file.flush()
        # The option takes the prefixes as one text, with commas, and splits it.
        options = Options(
            match_filename=str(path),
            input_file=file.name,
            check_prefixes=prefix,  # pyright: ignore[reportArgumentType]
        )
        said = io.StringIO()
        matcher = Matcher.from_opts(options)
        matcher.stderr = said
        with contextlib.redirect_stderr(said):
            code = matcher.run()
    return "" if code == 0 else said.getvalue() or f"filecheck ended with {code}"
