"""Everything `split` refuses, each by its own code and with its place."""

from __future__ import annotations

import pytest

from spyrelang import ir
from spyrelang.errors import SpyreError
from spyrelang.schedule.split import split

from .ktir import identity, kernel, load, programs, store, tile, view
from .samples import FakeDevice

S = (4, 64)
T = "tensor<4x64xf16>"


def lines(*body: str, result: str = "z") -> str:
    """out = f(a): `body` defines %z from %x."""
    return kernel(
        "a n out",
        view("av", "%a", S),
        view("ov", "%out", S),
        load("x", "av", S, "%c0, %c0", S),
        f"%e = tensor.empty() : {T}",
        *body,
        store(result, "ov", S, "%c0, %c0", S),
    )


def tiled(*text: str) -> str:
    """A kernel that loads and stores %t."""
    return kernel(
        "a n out",
        view("av", "%a", S),
        *text,
        "%x = ktdp.load %t : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>",
        "ktdp.store %x, %t : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>",
    )


VIEW = "memref<4x64xf16>"
MATMUL = (
    "%b = tensor.empty() : tensor<64x64xf16>\n"
    f"    %z = linalg.matmul ins(%x, %b : {T}, tensor<64x64xf16>) outs(%e : {T}) -> {T}"
)
REDUCE = (
    "%r = tensor.empty() : tensor<4xf16>\n"
    f"    %s = linalg.reduce {{ arith.addf }} ins(%x : {T}) outs(%r : tensor<4xf16>) "
    "dimensions = [1]\n"
    f"    %z = linalg.broadcast ins(%s : tensor<4xf16>) outs(%e : {T}) dimensions = [1]"
)
CARRIED = (
    f"%z = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> ({T}) {{\n"
    f"      %w = arith.addf %v, %v : {T}\n      scf.yield %w : {T}\n    }}"
)
IF = (
    "%t = arith.cmpi eq, %c0, %c1 : index\n"
    f"    %z = scf.if %t -> ({T}) {{\n      scf.yield %x : {T}\n    }} else {{\n"
    f"      scf.yield %e : {T}\n    }}"
)


def generic(maps: str, body: str, ins: str = f"%x : {T}", kinds: str = "parallel") -> str:
    iterators = ", ".join(f'"{kind}"' for kind in ("parallel", kinds))
    return (
        f"%z = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
        f"ins({ins}) outs(%e : {T}) {{\n    ^bb0(%p: f16, %o: f16):\n{body}\n    }} -> {T}"
    )


ID = identity(2)
YIELD = "      linalg.yield %p : f16"
DISTRIBUTED = (
    f"%d = ktdp.construct_distributed_memory_view (%av, %av : {VIEW}, {VIEW}) : {VIEW}\n    "
    + tile("t", "d", S, "%c0, %c0", S)
)
GATHER = (
    view("iv", "%n", (4,), dtype="i32")
    + "\n    %t = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
    "%av[ind(%iv[%m]), (%k)] {variables_space_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, "
    "d1 >= 0, -d1 + 63 >= 0)>, variables_space_order = affine_map<(d0, d1) -> (d0, d1)>} "
    f": {VIEW}, memref<4xi32> -> !ktdp.access_tile<4x64xindex>"
)
DYNAMIC_VIEW = (
    "%dv = ktdp.construct_memory_view %a, sizes: [%n, 64], strides: [64, 1] {coordinate_set = "
    "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, "
    "memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>\n    "
    "%t = ktdp.construct_access_tile %dv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : "
    "(d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = "
    "affine_map<(d0, d1) -> (d0, d1)>} : memref<?x64xf16> -> !ktdp.access_tile<4x64xindex>"
)

CASES = {
    "SPY400 unknown op": ("SPY400", lines('%z = "other.thing"(%x) : (' + T + ") -> " + T)),
    "SPY400 concat": (
        "SPY400",
        lines(
            f"%y = tensor.extract_slice %x[0, 0] [2, 64] [1, 1] : {T} to tensor<2x64xf16>",
            f"%z = tensor.concat dim(0) %y, %y : (tensor<2x64xf16>, tensor<2x64xf16>) -> {T}",
        ),
    ),
    "SPY401 reduce": ("SPY401", lines(REDUCE)),
    "SPY401 generic": (
        "SPY401",
        lines(generic(f"{ID}, {ID}", YIELD, kinds="reduction")),
    ),
    "SPY402 matmul": ("SPY402", lines(MATMUL)),
    "SPY403 carried": ("SPY403", lines(CARRIED)),
    "SPY424 assert": (
        "SPY424",
        lines("%t = arith.cmpi eq, %c0, %c1 : index", 'cf.assert %t, "no"', result="x"),
    ),
    "SPY424 print": ("SPY424", lines('spyrelang.print "{}" %c0 : index', result="x")),
    "SPY404 if": ("SPY404", lines(IF)),
    "SPY405 gather": ("SPY405", tiled(GATHER)),
    "SPY406 distributed": ("SPY406", tiled(DISTRIBUTED)),
    "SPY407 view": ("SPY407", tiled(DYNAMIC_VIEW)),
    "SPY408 product": (
        "SPY408",
        kernel(
            "a",
            "%i, %j = ktdp.get_compute_tile_id : index, index",
            "%q = arith.muli %i, %j : index",
            view("av", "%a", S),
            load("x", "av", S, "%q, %c0", S),
            store("x", "av", S, "%c0, %c0", S),
            grid=(2, 3),
        ),
    ),
    "SPY409 triangle": (
        "SPY409",
        tiled(
            tile(
                "t",
                "av",
                S,
                "%c0, %c0",
                S,
                points="affine_set<(d0, d1) : (d0 >= 0, 3 - d0 >= 0, d1 - d0 >= 0, 63 - d1 >= 0)>",
            )
        ),
    ),
    "SPY410 order": (
        "SPY410",
        tiled(tile("t", "av", S, "%c0, %c0", S, order="affine_map<(d0, d1) -> (d1, d0)>")),
    ),
    "SPY411 diagonal": (
        "SPY411",
        kernel(
            "a out",
            view("av", "%a", (64, 64)),
            view("ov", "%out", (64,)),
            load("x", "av", (64, 64), "%c0, %c0", (64, 64)),
            "%e = tensor.empty() : tensor<64xf16>",
            "%z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, "
            'affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} '
            "ins(%x : tensor<64x64xf16>) outs(%e : tensor<64xf16>) {\n"
            f"    ^bb0(%p: f16, %o: f16):\n{YIELD}\n    }} -> tensor<64xf16>",
            store("z", "ov", (64,), "%c0", (64,)),
        ),
    ),
    "SPY412 index": (
        "SPY412",
        lines(
            generic(
                f"{ID}, {ID}",
                "      %i = linalg.index 1 : index\n      %k = arith.index_cast %i : index to i32\n"
                "      %f = arith.sitofp %k : i32 to f16\n"
                "      %q = arith.addf %p, %f : f16\n      linalg.yield %q : f16",
            )
        ),
    ),
    "SPY412 run-time number": (
        "SPY412",
        lines(
            "%id = ktdp.get_compute_tile_id : index",
            "%i = arith.index_cast %id : index to i32",
            "%f = arith.sitofp %i : i32 to f16",
            f"%s = tensor.splat %f : {T}",
            f"%z = arith.addf %x, %s : {T}",
        ),
    ),
    "SPY412 mean": (
        "SPY412",
        lines(
            generic(
                f"{ID}, {ID}",
                "      %m, %q = spyreop.exx2 %p : f16\n      linalg.yield %m : f16",
            )
        ),
    ),
    "SPY413 empty": ("SPY413", lines(result="e")),
    "SPY414 dense": (
        "SPY414",
        lines(
            "%k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>",
            f"%w = linalg.broadcast ins(%k : tensor<4xf16>) outs(%e : {T}) dimensions = [1]",
            f"%z = arith.addf %x, %w : {T}",
        ),
    ),
    "SPY415 base": (
        "SPY415",
        tiled(
            "%b = arith.addi %a, %c64 : index",
            view("bv", "%b", S),
            tile("t", "bv", S, "%c0, %c0", S),
        ),
    ),
    "SPY416 argument as number": ("SPY416", tiled(tile("t", "av", S, "%n, %c0", S))),
    "SPY555 empty grid": ("SPY555", kernel("a", grid=())),
    "SPY555 rank": (
        "SPY555",
        kernel("a", "%i, %j = ktdp.get_compute_tile_id : index, index", grid=(4,)),
    ),
    "SPY421 local argument": (
        "SPY421",
        tiled(view("lv", "%a", S, space="ct_local"), tile("t", "lv", S, "%c0, %c0", S)),
    ),
    "SPY423 reshape": (
        "SPY423",
        kernel(
            "a out",
            view("av", "%a", S),
            view("ov", "%out", (256,)),
            load("x", "av", S, "%c0, %c0", S),
            f"%z = tensor.collapse_shape %x [[0, 1]] : {T} into tensor<256xf16>",
            store("z", "ov", (256,), "%c0", (256,)),
        ),
    ),
    "SPY426 step": (
        "SPY426",
        kernel(
            "a",
            view("av", "%a", S),
            "%minus = arith.constant -1 : index",
            "scf.for %i = %c4 to %c0 step %minus {",
            load("x", "av", S, "%i, %c0", (1, 64)),
            store("x", "av", S, "%c0, %c0", (1, 64)),
            "}",
        ),
    ),
    "SPY558 rank": (
        "SPY558",
        kernel(
            "a",
            view("av", "%a", S),
            load("x", "av", S, "%c0", (4,)),
            store("x", "av", S, "%c0", (4,)),
        ),
    ),
    "SPY427 argument": (
        "SPY427",
        kernel("a").replace("%a: index", "%a: tensor<4xf16>"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str) -> None:
    code, text = CASES[case]
    with pytest.raises(SpyreError) as caught:
        programs(text)
    assert caught.value.code == code, caught.value.render()
    assert caught.value.location is not None
    assert caught.value.location.line > 0
    assert caught.value.hint


def test_unknown_space() -> None:
    text = tiled(view("lv", "%c0", S, space="ct_local"), tile("t", "lv", S, "%c0, %c0", S))
    with pytest.raises(SpyreError) as caught:
        programs(text, FakeDevice(spaces={"global": "DDR"}))
    assert caught.value.code == "SPY420"


def test_unknown_kernel() -> None:
    module = ir.parse(kernel("a", name="add"), "k.mlir")
    with pytest.raises(SpyreError) as caught:
        split(module, "ad", FakeDevice())
    assert caught.value.code == "SPY826"
    assert "add" in caught.value.message


def test_module_is_unchanged() -> None:
    module = ir.parse(
        lines(f"%z = linalg.add ins(%x, %x : {T}, {T}) outs(%e : {T}) -> {T}"), "k.mlir"
    )
    before = str(module)
    split(module, "k", FakeDevice())
    assert str(module) == before
