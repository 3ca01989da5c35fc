"""Every stage of one kernel: what changes from one to the next, and going on from an edited one."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=2)
def scale(x: spy.In[M, N], row: spy.In[N], out: spy.Out[M, N]):
    first = spy.tile_id() * (x.shape[0] // 2)
    rows = slice(first, first + x.shape[0] // 2)
    out[rows, :] = spy.load(x[rows, :]) * spy.load(row[:])


def main() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((10, 200)).astype(np.float16)
    row = rng.standard_normal(200).astype(np.float16)
    out = np.empty_like(x)

    compiled = scale.compile(x, row, out, device="sample_device")
    for stage in compiled.stages:
        print(f"{stage:>10}: {len(compiled.ir(stage).splitlines())} lines")
    print("\n--- from nested to explored")
    compiled.show_ir("explored", diff=True)
    print("\n--- what each step took")
    for record in compiled.passes():
        print(f"{record.name:>24} -> {record.stage:<10} {record.seconds * 1e3:7.2f} ms")

    # The body is part of the text: make it a sum instead of a product, and go on from there.
    text = compiled.ir("explored").replace("arith.mulf", "arith.addf")
    edited = spyre.resume("explored", text, device="sample_device")
    edited.run(x=x, row=row, out=out)
    print("\nedited to a sum, bit-equal to numpy:", np.array_equal(out, x + row))

    # An edit that contradicts the rest of the text is refused, with its line.
    try:
        spyre.resume("explored", text.replace("size [5, 200]", "size [4, 200]", 1), "sample_device")
    except spyre.SpyreError as error:
        print("\nrefused:", str(error).splitlines()[0])


if __name__ == "__main__":
    main()
