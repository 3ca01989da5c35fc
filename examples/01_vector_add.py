"""A first kernel: write it, look at it, run it, check it, export it, launch it elsewhere.

Run with `make demo`, or `python examples/01_vector_add.py`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")
ROWS = 3  # rows of one core


@spyre.kernel(grid=32)
def add(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    row = spy.tile_id() * ROWS
    rows = slice(row, row + ROWS)
    out[rows, :] = spy.load(x[rows, :]) + spy.load(y[rows, :])


# What a process that never saw the kernel needs to run it: the artifact's directory.
LAUNCH = """
import sys
import numpy as np
import spyrelang as spyre

prepared = spyre.runtime.prepare(sys.argv[1])
x, y = np.load(sys.argv[2]), np.load(sys.argv[3])
for _ in range(3):                      # every launch at other addresses
    out = np.empty_like(x)
    prepared.launch(x.copy(), y.copy(), out)
    assert np.array_equal(out, x + y)
print("second process: three launches, bit-equal to numpy; MLIR imported:", "mlir" in sys.modules)
"""


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((96, 64)).astype(np.float16)
    y = rng.standard_normal((96, 64)).astype(np.float16)
    out = np.empty_like(x)

    print("--- KTIR: what the function means")
    add.show_ir("ktir", x, y, out)
    print("\n--- placed: how the device will do it, with addresses")
    add.show_ir("placed", x, y, out)

    print("\n--- numbers")
    for engine in ("ktir", "fast", "checked"):
        out[:] = 0
        run = add(x, y, out, engine=engine)
        print(f"{engine:>8}: bit-equal to numpy: {np.array_equal(out, x + y)}, {run.cycles} cycles")

    print("\n--- what it takes")
    print(add.compile(x, y, out).report())

    print("\n--- an artifact, launched from another process")
    with tempfile.TemporaryDirectory() as folder:
        artifact = add.export(Path(folder) / "add.spyrecode", x, y, out)
        print("files:", ", ".join(sorted(p.name for p in artifact.iterdir())))
        for name, array in (("x", x), ("y", y)):
            np.save(Path(folder) / f"{name}.npy", array)
        files = [str(Path(folder) / f"{name}.npy") for name in ("x", "y")]
        subprocess.run([sys.executable, "-c", LAUNCH, str(artifact), *files], check=True)


if __name__ == "__main__":
    main()
