"""Names and places where there is no source file: prompts, `python -c`, exec, other consoles."""

import code
import contextlib
import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SETUP = """\
import numpy as np
import spyrelang.language as spy
from spyrelang import frontend
from spyrelang.errors import SpyreError
z = np.zeros((8, 64), np.float16)
"""

KERNEL = """\
def add(x: spy.In, out: spy.Out):
    row = spy.tile_id() * 4
    v = spy.load(x[row:row + 4, :])
    doubled = v + v
    out[row:row + 4, :] = doubled{end}
"""

TRACE = """\
b = frontend.bind(add, (z, z), {})
t = frontend.trace(b.signature, b.arguments, grid=(2,))
"""

CAUGHT = """\
try:
    t = frontend.trace(b.signature, b.arguments, grid=(2,))
except SpyreError as error:
    print(error)
"""


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "PYTHONSTARTUP": ""}


def run_command(text: str) -> str:
    found = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
        timeout=60,
    )
    return found.stdout + found.stderr


def test_command_line_source():
    text = SETUP + KERNEL.format(end=" / 0") + TRACE.split("\n")[0] + "\n" + CAUGHT
    out = run_command(text)
    assert "<string>:10:27" in out
    assert "   10 |     out[row:row + 4, :] = doubled / 0" in out
    assert "      |                           ^^^^^^^^^^^" in out


def test_command_line_columns_count_characters():
    kernel = KERNEL.format(end=" / 0").replace("doubled", "größe")
    out = run_command(SETUP + kernel + TRACE.split("\n")[0] + "\n" + CAUGHT)
    assert "      |                           ^^^^^^^^^\n" in out


CARRIES = """\
def total(x: spy.In, out: spy.Out):
    acc = spy.load(x[0, :])
    for i in spy.range(1, 8):
        acc = acc + x[i, :]
    if spy.tile_id() == 1:
        acc = acc * 2.0
    out[spy.tile_id(), :] = acc
b = frontend.bind(total, (z, z), {})
t = frontend.trace(b.signature, b.arguments, grid=(2,))
print(t.module.text())
"""


def test_command_line_carries_and_branches():
    out = run_command(SETUP + CARRIES)
    assert re.search(r"%acc_\d+ = scf.for %i = ", out)
    assert "iter_args(%acc_" in out
    assert "scf.if %" in out


def test_command_line_names():
    out = run_command(SETUP + KERNEL.format(end="") + TRACE + "print(t.module.text(locs=True))")
    assert "%doubled = linalg.add ins(%v, %v" in out
    assert 'loc("doubled"("<string>":9:15 to :20))' in out


def test_exec_without_source():
    text = SETUP + f"exec({KERNEL.format(end=' / 0')!r})\n" + TRACE.split("\n")[0] + "\n" + CAUGHT
    out = run_command(text)
    assert "--> <string>:5:27-37\n" in out
    assert "^" not in out


def test_piped_script():
    text = SETUP + KERNEL.format(end=" / 0") + TRACE.split("\n")[0] + "\n" + CAUGHT
    found = subprocess.run(
        [sys.executable], input=text, capture_output=True, text=True, env=environment(), timeout=60
    )
    assert "--> <stdin>:10:27-37\n" in found.stdout


def test_import_is_free_of_mlir():
    out = run_command(
        "import spyrelang.language, spyrelang.frontend, sys; print('mlir' in sys.modules)"
    )
    assert out == "False\n"


class Prompt:
    """An interactive Python on a terminal of its own."""

    def __init__(self) -> None:
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execve(sys.executable, [sys.executable, "-q"], environment())
        self.text = ""
        self.wait()

    def wait(self) -> str:
        """Everything up to the next prompt."""
        start, limit = len(self.text), time.monotonic() + 30
        while time.monotonic() < limit:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            self.text += os.read(self.fd, 65536).decode()
            if self.text[start:].endswith((">>> ", "... ")):
                break
        return self.text[start:].replace("\r\n", "\n")

    def type(self, line: str) -> str:
        os.write(self.fd, line.encode() + b"\n")
        return self.wait()

    def close(self) -> None:
        os.write(self.fd, b"\x04")
        with contextlib.suppress(OSError):
            while os.read(self.fd, 65536):
                pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.fixture
def prompt():
    pytest.importorskip("readline")
    session = Prompt()
    for line in SETUP.splitlines():
        session.type(line)
    yield session
    session.close()


def test_prompt_names_and_places(prompt):
    for line in KERNEL.format(end="").splitlines():
        prompt.type(line)
    prompt.type("")
    for line in TRACE.splitlines():
        assert "Error" not in prompt.type(line)
    text = prompt.type("print(t.module.text(locs=True))")
    assert "%doubled = linalg.add ins(%v, %v" in text
    assert re.search(r'loc\("doubled"\("<stdin>(-\d+)?":4:15 to :20\)\)', text)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="prompts keep their source since 3.13")
def test_prompt_source_from_history(prompt):
    for line in KERNEL.format(end="").splitlines():
        prompt.type(line)
    prompt.type("")
    for line in KERNEL.format(end=" / 0").splitlines():
        prompt.type(line)
    prompt.type("")
    prompt.type("b = frontend.bind(add, (z, z), {})")
    text = prompt.type("t = frontend.trace(b.signature, b.arguments, grid=(2,))")
    assert "--> <stdin>:5:27\n    5 |     out[row:row + 4, :] = doubled / 0\n" in text
    text = prompt.type("spy.tile_id()")
    assert "--> <stdin>:1:1\n    1 | spy.tile_id()\n      | ^^^^^^^^^^^^^\n" in text


def test_other_consoles():
    console = code.InteractiveConsole()
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for line in [*SETUP.splitlines(), *KERNEL.format(end=" / 0").splitlines(), ""]:
            console.push(line)
        for line in TRACE.splitlines():
            console.push(line)
    assert "SPY235" in out.getvalue()
    assert "<console>:5:27" in out.getvalue()
