"""Products of tiles that share the left side: one product where the right ones lie side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from spyrelang import interp, ir
from spyrelang.interp.contraction import Contraction
from spyrelang.interp.values import Array
from spyrelang.semantics import dtypes

F32 = dtypes.REGISTRY["f32"]
PRODUCT = Contraction((), (0,), (1,), (2,), 0, 1, np.dtype(np.float32), F32)
RNG = np.random.default_rng(0)
LEFT = RNG.integers(-4, 5, (3, 6)).astype(np.float32)
MATRIX = RNG.integers(-4, 5, (6, 20)).astype(np.float32)
PLACES = {
    "beside": MATRIX.reshape(6, 4, 5).transpose(1, 0, 2),
    "in two axes": MATRIX.reshape(6, 2, 2, 5).transpose(1, 2, 0, 3),
    "apart": MATRIX.reshape(6, 4, 5).transpose(1, 0, 2)[::2],
    "backwards": MATRIX.reshape(6, 4, 5).transpose(1, 0, 2)[::-1],
    "overlapping": np.lib.stride_tricks.as_strided(MATRIX, (4, 6, 5), (0, 80, 4)),
    "behind": np.ascontiguousarray(MATRIX.reshape(6, 4, 5).transpose(1, 0, 2)),
    "transposed": np.ascontiguousarray(MATRIX.reshape(6, 4, 5).transpose(1, 2, 0)).swapaxes(1, 2),
}


@pytest.mark.parametrize("place", PLACES)
def test_shared_left_side(place: str) -> None:
    right = PLACES[place]
    spread = right.swapaxes(-1, -2)[..., None, :, :]
    found = PRODUCT.run([LEFT[:, None, :], spread], 3, [3, 5, 6])
    np.testing.assert_array_equal(found, np.einsum("mk,...kn->...mn", LEFT, right))


TEXT = """
module {
  func.func @tiles(%a: index, %b: index, %o: index) attributes {grid = [8]} {
    %zero = arith.constant 0 : index
    %width = arith.constant 256 : index
    %id = ktdp.get_compute_tile_id : index
    %c = arith.muli %id, %width : index
VIEWS    %e = arith.constant dense<0.0> : tensor<8x256xf32>
    %p = linalg.matmul ins(%ax, %bx : tensor<8x512xf16>, tensor<512x256xf16>)
      outs(%e : tensor<8x256xf32>) -> tensor<8x256xf32>
    ktdp.store %p, %ot : tensor<8x256xf32>, <8x256xindex>
    return
  }
}
"""


def view(name: str, shape: tuple[int, int], part: tuple[int, int], at: str, dtype: str) -> str:
    rows, columns = shape
    memref = f"memref<{rows}x{columns}x{dtype}>"
    box = "affine_set<(d0, d1) : (d0 >= 0, -d0 + {} >= 0, d1 >= 0, -d1 + {} >= 0)>"
    kind = f"{part[0]}x{part[1]}x"
    load = f"%{name}x = ktdp.load %{name}t : <{kind}index> -> tensor<{kind}{dtype}>\n"
    return (
        f"%{name}v = ktdp.construct_memory_view %{name}, sizes: [{rows}, {columns}], strides: "
        f"[{columns}, 1] {{coordinate_set = {box.format(rows - 1, columns - 1)}, memory_space = "
        f"#ktdp.memory_space<global>}} : {memref}\n%{name}t = ktdp.construct_access_tile "
        f"%{name}v[%zero, {at}] {{access_tile_set = {box.format(part[0] - 1, part[1] - 1)}, "
        f"access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}} : {memref} -> "
        f"!ktdp.access_tile<{kind}index>\n{'' if name == 'o' else load}"
    )


def test_tiles_run_together_for_one_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value may have the elements of one right side, but two of these are multiplied at once."""
    views = view("a", (8, 512), (8, 512), "%zero", "f16")
    views += view("b", (512, 2048), (512, 256), "%c", "f16")
    views += view("o", (8, 2048), (8, 256), "%c", "f32")
    program = interp.compile(ir.parse(TEXT.replace("VIEWS", views), "t.mlir", names=True))
    shapes: list[tuple[int, ...]] = []
    run = Contraction.run

    def noted(self: Contraction, inputs: Sequence[Array], *rest: Any) -> Array:
        shapes.append(inputs[1].shape[:-3])
        return run(self, inputs, *rest)

    monkeypatch.setattr(Contraction, "run", noted)
    monkeypatch.setattr("spyrelang.interp.program.BATCH_ELEMENTS", 512 * 256)
    a, b = (RNG.integers(-4, 5, s).astype(np.float16) for s in ((8, 512), (512, 2048)))
    o = np.zeros((8, 2048), np.float32)
    program.run({"a": a, "b": b, "o": o})
    np.testing.assert_array_equal(o, a.astype(np.float32) @ b.astype(np.float32))
    assert shapes == [(2,)] * 4
