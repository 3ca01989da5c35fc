"""Where the time goes: the same kernel on one core, as a timeline and a report."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel
def subtract(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    out[:, :] = spy.load(x[:, :]) - spy.load(y[:, :])


def main() -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal((24, 4097)).astype(np.float16) for _ in range(2))
    out = np.empty_like(x)
    run = subtract(x, y, out, engine="checked", device="sample_device")
    print(run.compiled.report())
    print(run.timeline(90))
    print(run.report())
    with tempfile.TemporaryDirectory() as folder:
        print("trace:", run.trace(Path(folder) / "subtract.json").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
