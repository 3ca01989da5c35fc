"""Many mutated texts, on all cores: `python tests/fuzz/run.py 100000`.

Worker processes take the numbers in turn. Most texts are read without the guard that tries a text
in a child process first: the workers are such children. When one dies or says nothing for long,
another uses the same text again, guarded as for authors; when that dies too, it is a finding.
`--seed` and `--only` repeat one text.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import random
import resource
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 150.0
"""Seconds until a text that is still being used counts as hanging."""
MEMORY = 6 << 30
"""Bytes of address space of one worker; MLIR and numpy take some 2 GiB of them."""
GUARDED = 20
"""One text in so many is guarded at once."""
LIMITS = {"SPYRELANG_TRIP_LIMIT": "20000", "SPYRELANG_MEMORY_LIMIT": str(256 << 20)}
"""So that what is refused for its length or size is refused early."""

Answer = Callable[[int, bool], str]
"""What is wrong with a numbered text; empty where nothing is. The flag: whether it is guarded."""


@dataclass
class Worker:
    """A process that answers `first`, `first + step`, …"""

    pid: int
    pipe: int
    number: int
    again: bool = False
    heard: float = field(default_factory=time.monotonic)
    rest: bytes = b""


@dataclass
class Pool:
    """Answers for the numbers below `count`, by `jobs` processes."""

    answer: Answer
    count: int
    jobs: int
    patience: float = PATIENCE
    memory: int = MEMORY
    done: int = 0
    failures: dict[int, str] = field(default_factory=dict[int, str])
    tell: Callable[[int, int], None] = lambda done, failures: None
    show: Callable[[int, str], None] = lambda number, what: None

    def run(self) -> dict[int, str]:
        """The failures by number."""
        workers = [self._start(k) for k in range(min(self.jobs, self.count))]
        while workers:
            ready, _, _ = select.select([w.pipe for w in workers], [], [], 1.0)
            for worker in list(workers):
                if worker.pipe in ready:
                    alive = self._hear(worker)
                elif time.monotonic() - worker.heard > self.patience:
                    os.kill(worker.pid, signal.SIGKILL)
                    alive = self._hear(worker)
                else:
                    continue
                if not alive:
                    workers.remove(worker)
                    workers += self._after(worker)
            self.tell(self.done, len(self.failures))
        return self.failures

    def _start(self, first: int, again: bool = False) -> Worker:
        inside, outside = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(inside)
            try:
                self._work(first, again, outside)
            finally:
                os._exit(0)
        os.close(outside)
        return Worker(pid, inside, first, again)

    def _work(self, first: int, again: bool, pipe: int) -> None:
        _limit(self.memory)
        for number in range(first, self.count, self.jobs):
            os.write(pipe, f"{number}\n".encode())
            wrong = self.answer(number, again or number % GUARDED == 0)
            again = False
            if wrong:
                text = f"{number} {wrong}".replace("\n", " ")
                os.write(pipe, text.encode("utf-8", "replace")[:3000] + b"\n")
        os.write(pipe, b"end\n")

    def _hear(self, worker: Worker) -> bool:
        """Take in what a worker says; False when it is gone."""
        data = os.read(worker.pipe, 1 << 16)
        worker.heard = time.monotonic()
        *lines, worker.rest = (worker.rest + data).split(b"\n")
        for line in lines:
            number, _, wrong = line.decode().partition(" ")
            if wrong:
                self._wrong(int(number), wrong)
            elif number == "end":
                worker.number = self.count
            else:
                worker.again &= worker.number == int(number)
                worker.number = int(number)
                self.done += not worker.again
        return bool(data)

    def _wrong(self, number: int, what: str) -> None:
        self.failures[number] = what
        self.show(number, what)

    def _after(self, worker: Worker) -> list[Worker]:
        """Who goes on where a worker stopped."""
        os.close(worker.pipe)
        _, status = os.waitpid(worker.pid, 0)
        if worker.number >= self.count:
            return []
        if not worker.again:
            return [self._start(worker.number, again=True)]
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        killed = number == signal.SIGKILL
        how = f"no answer for {self.patience:.0f} s" if killed else f"died by signal {number}"
        self._wrong(worker.number, f"process: {how}")
        following = worker.number + self.jobs
        return [self._start(following)] if following < self.count else []


def _limit(memory: int) -> None:
    """In a worker: little memory, no output."""
    faulthandler.disable()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def progress(count: int, every: float) -> Callable[[int, int], None]:
    """Shows now and then how far it is."""
    start = last = time.monotonic()

    def tell(done: int, failures: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every or done == count:
            last = now
            rate = done / max(now - start, 1e-9)
            print(f"{done} of {count} texts, {rate:.0f} a second, {failures} wrong", flush=True)

    return tell


def keep(folder: Path, number: int, kind: str, text: str) -> Path:
    """The text of a failure, for looking at it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}-{kind}.mlir"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def main() -> int:
    """The command; the exit code is 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1 << 32)))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kind", action="append", help="texts of this kind only")
    parser.add_argument("--only", type=int, help="this number only, in this process")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="for the texts")
    chosen = parser.parse_args()
    os.environ.update(LIMITS)
    import corpus
    import probes

    kinds = tuple(chosen.kind or corpus.KINDS)
    if chosen.only is not None:
        kind, text = probes.drawn(chosen.seed, chosen.only, kinds)
        print(keep(chosen.keep, chosen.only, kind, text))
        probes.use(kind, text)
        return 0
    print(f"{sum(map(len, corpus.corpus().values()))} texts to start from, seed {chosen.seed}")

    def answer(number: int, guarded: bool) -> str:
        return probes.answer(*probes.drawn(chosen.seed, number, kinds), guarded=guarded)

    def show(number: int, what: str) -> None:
        path = keep(chosen.keep, number, *probes.drawn(chosen.seed, number, kinds))
        print(f"{path}: {what}", flush=True)

    probes.folder()
    try:
        tell = progress(chosen.count, 15.0)
        pool = Pool(answer, chosen.count, chosen.jobs, tell=tell, show=show)
        failures = pool.run()
    finally:
        shutil.rmtree(probes.folder(), ignore_errors=True)
    print(f"{chosen.count} mutated texts, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
