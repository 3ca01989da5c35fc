"""Aliases, comments, spellings, places and the shape of files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spyrelang import ir
from spyrelang.errors import SpyreError


def printed(text: str, **flags: bool) -> str:
    return ir.print_module(ir.parse(text, "t.mlir", guard=False), **flags)


def refused(text: str) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        ir.parse(text, "t.mlir")
    return caught.value


def test_aliases_of_every_sort_are_expanded() -> None:
    text = printed(
        "#space = #ktdp.memory_space<global>\n!e = !spyreop.df16 !v = vector<8xf16>\n"
        "#line = affine_set<(i) : (i >= 0, 7 - i >= 0)>\n#same = affine_map<(i) -> (i)>\n"
        "func.func @f(%m: memref<8x!e, #space>, %o: memref<8xf16>, %u: index) {\n"
        "  %x = agen.vector_load %o[%u] {load_order = #same, load_set = #line}"
        " : memref<8xf16>, !v\n  return\n}"
    )
    assert "memref<8x!spyreop.df16, #ktdp.memory_space<global>>" in text
    assert "#set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>" in text
    assert "{load_order = #map, load_set = #set} : memref<8xf16>, vector<8xf16>" in text


def test_an_alias_may_use_another() -> None:
    text = printed('#a = "x"\n#b = [#a, 1]\nfunc.func private @f() attributes {k = #b}')
    assert 'attributes {k = ["x", 1]}' in text


def test_unused_aliases_vanish_and_the_rest_is_numbered_anew() -> None:
    text = printed(
        "#map7 = affine_map<(d0) -> (d0 + 1)>\n#map = affine_map<(d0) -> (d0)>\n"
        "func.func private @f() attributes {a = #map7}"
    )
    assert text.startswith("#map = affine_map<(d0) -> (d0 + 1)>\nmodule {")


def test_comments_stand_anywhere() -> None:
    text = printed(
        "// first\nfunc.func @f(%u: index) { // here\n  dataflow.send // there {\n    %u,\n"
        '    %v // }\n    {dbgName = "a // b" // no }\n    } : vector<4xf16>\n'
        "  return // last\n} // end".replace("%u: index", "%u: index, %v: vector<4xf16>")
    )
    assert 'dataflow.send %arg0, %arg1 {dbgName = "a // b"} : vector<4xf16>' in text


def test_a_file_may_hold_modules_functions_or_nothing() -> None:
    assert printed("") == "module {\n}\n"
    assert printed("module @a {}\nmodule @b {}").count("module @") == 2
    assert printed("module attributes {x.y} {}") == "module attributes {x.y} {\n}\n"
    assert printed("func.func private @f()\nfunc.func private @g()").count("func.func") == 2


def test_names_of_ours_in_other_places_are_left_alone() -> None:
    text = printed(
        'func.func private @f() attributes {dataflow.send, agen.x = 1, s = "dataflow.nope"}'
    )
    assert 'agen.x = 1 : i64, dataflow.send, s = "dataflow.nope"' in text


def test_crlf_is_read() -> None:
    assert "sync_send" in printed(
        "func.func @f(%u: index) {\r\n dataflow.sync_send %u : index\r\n return }"
    )


def test_places_behind_rewritten_text() -> None:
    text = (
        "func.func @f(%u: index) { dataflow.sync_send %u : index"
        " dataflow.sync_recv %missing : index return }"
    )
    error = refused(text)
    assert error.code == "SPY106"
    assert error.location is not None
    assert (error.location.line, error.location.col) == (1, text.index("%missing") + 1)


def test_places_of_multi_line_ops() -> None:
    text = (
        "module {\n  func.func @f(%m: memref<4x8xf16>, %x: f16) {\n"
        "    agen.composite_load %m[0, 0]\n     time_symbols()(%v:vector<8xf16>)\n"
        "     {load_order = affine_map<(a, b) -> (a, b)>,\n"
        "      load_set = affine_set<(a, b) : (a == 0)>, time_order = affine_map<(t) -> (t)>,\n"
        "      time_addr_map = affine_map<(t) -> (t, 0)>, time_set = affine_set<(t) : (t == 0)>}\n"
        "    {\n      agen.yield\n    } : memref<4x8xf16>\n    %0 = arith.addi %x, %x : f16\n"
        "    return\n  }\n}\n"
    )
    error = refused(text)
    assert error.location is not None
    assert (error.location.line, error.location.col) == (11, 10)
    assert "arith.addi" in error.render()


def test_errors_of_mlir_in_aliases_have_their_place() -> None:
    error = refused("#a = affine_map<(d0) -> (d1)>\nfunc.func private @f() attributes {k = #a}")
    assert error.code == "SPY106"
    assert error.location is not None
    assert (error.location.line, error.location.col) == (1, 26)


@pytest.mark.parametrize(
    ("text", "code", "line", "col"),
    [
        ("func.func @f(%u: index) {\n  dataflow.sent %u : index\n  return }", "SPY102", 2, 3),
        ('func.func @f(%u: index) {\n  "agen.nope"() : () -> ()\n  return }', "SPY102", 2, 3),
        ("func.func @f(%u: index) {\n  dataflow.sync_send %u\n}", "SPY101", 2, 24),
        ('func.func @f() {\n  dataflow.opaque {a = "x\n}', "SPY101", 2, 24),
        ("func.func @f() {\n  return\n", "SPY101", 3, 1),
        ("func.func @f() { return }\n}", "SPY101", 2, 1),
        ("#a = 1\n#a = 2\n", "SPY101", 2, 1),
        ("module {} \0 garbage", "SPY101", 1, 11),
        ("func.func private @f(!dataflow.custom<mxfp5>)", "SPY109", 1, 22),
        ("func.func private @f(!dataflow.nothing)", "SPY109", 1, 22),
        ("func.func private @f() attributes {a = #dataflow<direction Up>}", "SPY109", 1, 40),
        ("func.func @f() {\n  dataflow.return\n  return }", "SPY101", 2, 3),
        ("((((" * 60, "SPY103", 1, 201),
        ("func.func @f() {\n" + "dataflow.program_unit : {" * 300, "SPY103", 2, 4975),
        ("func.func private @f() attributes {a =\n array<index: 1>}", "SPY107", 2, 2),
        ("func.func private @f() attributes {a =\n array<ui8: 1, 2>}", "SPY106", 2, 2),
        ('func.func private @f() attributes {a = "array<i4>", b = array<bf16>}', "SPY106", 1, 57),
    ],
)
def test_bad_text_has_a_code_and_a_place(text: str, code: str, line: int, col: int) -> None:
    error = refused(text)
    assert (error.code, error.location and error.location.line) == (code, line)
    assert error.location is not None
    assert abs(error.location.col - col) <= (0 if code != "SPY103" else 200)
    assert error.hint


def test_a_hint_names_the_op_that_was_meant() -> None:
    assert "dataflow.send" in refused("func.func @f() { dataflow.sned }").render()


def test_files(tmp_path: Path) -> None:
    good = tmp_path / "good.mlir"
    good.write_text("module @here {}")
    assert "@here" in ir.print_module(ir.parse_file(good))
    bad = tmp_path / "bad.mlir"
    bad.write_bytes(b"module {} // \xff\xfe")
    for path, code in ((bad, "SPY104"), (tmp_path / "none.mlir", "SPY105"), (tmp_path, "SPY105")):
        with pytest.raises(SpyreError) as caught:
            ir.parse_file(path)
        assert caught.value.code == code
        assert caught.value.location is not None
    with pytest.raises(SpyreError) as caught:
        ir.parse("module {} // \udc80")
    assert caught.value.code == "SPY104"


def test_nesting_below_the_cap_is_read() -> None:
    depth = 90
    text = "func.func @f() {" + "dataflow.program_unit : {" * depth + "}" * depth + " return }"
    assert printed(text).count("program_unit") == depth


def test_names_are_kept_on_request() -> None:
    text = (
        "func.func @f(%unit: index, %rows: memref<4xf16>) {\n"
        "  dataflow.program_unit iter_arg : %self -> (%unit) : {\n"
        "    %got = dataflow.receive %self : vector<4xf16>\n"
        "    scf.for %i = %unit to %self step %self { dataflow.send %i, %got : vector<4xf16> }\n"
        '  }\n  %pair:2 = dataflow.get_unit {name = "a", type = "b"} : index, index\n'
        "  %7 = dataflow.create_group(%pair#1 : index) : index\n  return\n}\n"
    )
    module = ir.parse(text, "t.mlir", guard=False, names=True)
    shown = ir.print_module(module)
    assert "iter_arg : %self -> (%unit)" in shown
    assert "dataflow.send %i, %got" in shown
    assert "%pair:2 =" in shown
    assert "%0 = dataflow.create_group(%pair#1" in shown
    assert "iter_arg : %arg2 -> (%arg0)" in ir.print_module(module, names=False)
    where = ir.location_of(module.body.operations[0], module)
    assert where is not None
    assert (where.line, where.col) == (1, 1)


def test_locations_print_and_come_back() -> None:
    text = (
        'func.func @f(%u: index) {\n  dataflow.sync_send %u : index loc("s"("k.py":3:4))\n'
        "  return\n}\n"
    )
    shown = printed(text, locs=True)
    assert 'dataflow.sync_send %arg0 : index loc("s"("k.py":3:4))' in shown
    assert 'loc("s"("k.py":3:4))' in printed(shown, locs=True)


def test_stand_in_types_are_not_taken_from_outside() -> None:
    error = refused("func.func private @f(tensor<4xtf32>,\n  memref<2x4xtf32>)")
    assert error.code == "SPY109"
    assert error.location is not None
    assert (error.location.line, error.location.col) == (2, 3)
    assert "tensor<4xtf32>" in printed("func.func private @f(tensor<4xtf32>)")
    assert '"memref<4xtf32>"' in printed('func.func private @f() attributes {a = "memref<4xtf32>"}')


def test_a_string_that_looks_like_a_set_stays_a_string() -> None:
    text = printed('func.func private @f() attributes {a = "affine_set<(d0) : (d0 >= 0)>"}')
    assert 'a = "affine_set<(d0) : (d0 >= 0)>"' in text
    assert "#set" not in text


def test_sets_inside_types_are_aliased() -> None:
    text = printed(
        "#g = affine_set<(i) : (i >= 0, 3 - i >= 0)>\n"
        "func.func private @f(!ktdp.tile_future<(tensor<4xf16>), groups = #g>)"
    )
    assert text.startswith("#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>\n")
    assert "!ktdp.tile_future<(tensor<4xf16>), groups = #set>" in text
    assert printed(text) == text


def test_an_unknown_alias_inside_a_type_is_named() -> None:
    error = refused("func.func private @f(!ktdp.tile_future<(tensor<4xf16>), groups = #nowhere>)")
    assert error.code == "SPY108"
    assert "#nowhere" in error.message


def test_dictionaries_of_devices_are_named_by_their_kind() -> None:
    text = printed(
        "ktdf_arch.device @d {\n"
        '  %b = memory {kind = "B2", size = 64 : i64}\n  %a = memory {kind = "A"}\n'
        '  %c = memory {kind = "B2", x = {kind = "in ner.1"}}\n'
        '  datapath {kind = "A"} %a to %b : memory, memory\n}\n'
        'func.func private @f() attributes {kind = "plain", k = {kind = "A"}}'
    )
    assert text.split("module {")[0] == (
        '#A = {kind = "A"}\n#B2 = {kind = "B2", size = 64 : i64}\n'
        '#in_ner2E1 = {kind = "in ner.1"}\n#B2_1 = {kind = "B2", x = #in_ner2E1}\n'
    )
    assert "%memory_0 = memory #A" in text
    assert "datapath #A %memory_0 to %memory : memory, memory" in text
    assert 'attributes {k = #A, kind = "plain"}' in text
    assert printed(text) == text


def test_blocks_of_functions_may_stand_in_any_order() -> None:
    text = (
        "func.func @f(%u: index) {\n  cf.br ^bb2\n^bb1:\n  dataflow.sync_send %g : index\n"
        "  return\n^bb2:\n  %g = dataflow.create_group(%u : index) : index\n  cf.br ^bb1\n}\n"
    )
    assert "dataflow.sync_send %0" in printed(text)


def test_aliases_may_be_defined_behind_their_uses() -> None:
    text = printed(
        "func.func @f(%m: memref<8x!e, #s>, %i: index) -> index {\n"
        "  %0 = affine.apply #m(%i)\n  %u = dataflow.get_unit {k = #n, name = #t, type = #t}"
        " : index loc(#l)\n  return %0 : index\n}\n"
        "#s = #g\n!e = !spyreop.df16\n#m = affine_map<(i) -> (i + 1)>\n#n = [#m, #t]\n"
        '#g = #ktdp.memory_space<global>\n#t = "a"\n#l = loc("k.py":3:4)\n'
    )
    assert "%arg0: memref<8x!spyreop.df16, #ktdp.memory_space<global>>" in text
    assert '{k = [#map, "a"], name = "a", type = "a"}' in text


@pytest.mark.parametrize(
    ("text", "alias", "line", "col"),
    [
        ("func.func private @f(i32,\n !t)", "!t", 2, 2),
        ("func.func @f(%i: index) { // #m\n %0 = affine.apply #m(%i)\n return }", "#m", 2, 20),
        (
            "func.func @f(%u: index) {\n dataflow.sync_send %u {a = #m} : index\n return }",
            "#m",
            2,
            29,
        ),
        ("func.func private @f(memref<4xf16, #a>)\n#a = #b\n#b = #a", "#a", 1, 36),
    ],
)
def test_an_alias_without_a_value(text: str, alias: str, line: int, col: int) -> None:
    error = refused(text)
    assert (error.code, error.location.line, error.location.col) == ("SPY108", line, col)
    assert f"'{alias}'" in error.message


def test_an_alias_inside_of_an_op() -> None:
    error = refused("module {\n  #m = affine_map<(d0) -> (d0)>\n}")
    assert (error.code, error.location.line, error.location.col) == ("SPY101", 2, 3)


def test_a_byte_order_mark_is_dropped() -> None:
    assert printed("\ufeffmodule {}") == "module {\n}\n"


@pytest.mark.parametrize("written", ["%row, %col", "%0, %col", "%row // (,\n , %x"])
def test_intermediate_variables_keep_their_names(written: str) -> None:
    """They are arguments of a block that the text does not show."""
    first, second = re.findall(r"%\w+", written)
    text = (
        "func.func @f(%x: memref<20x8xf16>, %ix: memref<16xi32>) {\n  %t = "
        f"ktdp.construct_indirect_access_tile intermediate_variables({written}) "
        f"%x[ind(%ix[{first}]), ({second})] {{variables_space_set = affine_set<(d0, d1) : "
        "(d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 7 >= 0)>, variables_space_order = "
        "affine_map<(d0, d1) -> (d0, d1)>} : memref<20x8xf16>, memref<16xi32> -> "
        "!ktdp.access_tile<16x8xindex>\n  return\n}"
    )
    once = ir.print_module(ir.parse(text, "t.mlir", names=True))
    found = re.search(r"variables\((%\w+), (%\w+)\) %x\[ind\(%ix\[(%\w+)\]\), \((%\w+)\)\]", once)
    assert found is not None, once
    assert found.groups()[:2] == found.groups()[2:]
    for kept, name in zip(found.groups(), (first, second), strict=False):
        assert name in ("%0", "%x") or kept == name
    assert ir.print_module(ir.parse(once, "t.mlir", names=True)) == once


OLD_MAPS = {
    "inputs": ("ins(%t, %u : !t, tensor<4xf16> // (\n) outs(%t : !t)", "%a: f16, %b: f16", "%a"),
    "attributes": ('ins(%t : !t) outs(%t : tensor<4xf16>) {a = "("}', "%a : f16", "%a"),
    "nothing": ("outs(%t : !t)", "", "%c"),
}


@pytest.mark.parametrize("which", OLD_MAPS)
def test_maps_whose_body_does_not_take_the_destination(which: str) -> None:
    operands, arguments, result = OLD_MAPS[which]
    text = (
        "!t = tensor<4xf16>\nfunc.func @f(%t: !t, %u: !t, %c: f16) -> !t {\n"
        f"  %0 = linalg.map {operands}\n  (ARGUMENTS) {{\n    linalg.yield {result} : f16\n  }}\n"
        "  return %0 : !t\n}"
    )
    once = printed(text.replace("ARGUMENTS", arguments))
    assert printed(once) == once
    new = printed(text.replace("ARGUMENTS", f"{arguments}, %z: f16".removeprefix(", ")))
    assert once == new
    line = f"  ({arguments}) {{ linalg.yield %unknown : f16 }}\n"
    wrong = refused(re.sub(r"  \(ARGUMENTS[^}]*\}\n", line, text))
    at = (text.count("\n", 0, text.index("(ARGUMENTS")) + 1, line.index("%unknown") + 1)
    assert (wrong.location.line, wrong.location.col) == at


def test_an_old_map_is_read_in_a_text_that_needs_no_other_edit() -> None:
    kind = "tensor<4xf16>"
    text = (
        f"func.func @f(%t: {kind}) -> {kind} {{\n"
        f"  %0 = linalg.map ins(%t : {kind}) outs(%t : {kind}) (ARGUMENTS) {{\n"
        f"    linalg.yield %a : f16\n  }}\n  return %0 : {kind}\n}}"
    )
    new = printed(text.replace("ARGUMENTS", "%a: f16, %z: f16"))
    assert printed(text.replace("ARGUMENTS", "%a: f16")) == new


@pytest.mark.parametrize(
    "body", ["{ spyreop.exp }", "{ spyreop.softplus {beta = 2.0 : f32, threshold = 9.0 : f32} }"]
)
def test_an_op_of_ours_may_be_the_whole_body_of_a_map(body: str) -> None:
    text = (
        "func.func @f(%t: tensor<4xf16>) -> tensor<4xf16> {\n  %0 = linalg.map // {\n BODY"
        " ins(%t : tensor<4xf16>) outs(%t : tensor<4xf16>)\n  return %0 : tensor<4xf16>\n}"
    )
    once = printed(text.replace("BODY", body))
    assert f"linalg.map {body[:13]}" in once
    assert printed(once) == once
    wrong = refused(text.replace("BODY", body).replace("f16", "bf16"))
    assert (wrong.code, wrong.location.line) == ("SPY121", 2)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("!ktdf<token>", "!ktdf.token"),
        ("!ktdp< access_tile<4xindex> >", "!ktdp.access_tile<4xindex>"),
        ('!ktdf<fifo.slot<"A" -> "B", 4xf16>>', '!ktdf.fifo.slot<"A" -> "B", 4xf16>'),
        ("memref<4x!spyreop<df16>>", "memref<4x!spyreop.df16>"),
        ("memref<4xf16, #ktdp<spyre_memory_space<LX>>>",
         "memref<4xf16, #ktdp.memory_space<ct_local>>"),
        ("!dataflow<custom<mxfp4>>", "!dataflow.custom<mxfp4>"),
    ],
)  # fmt: skip
def test_the_dialect_may_stand_outside_the_brackets(long: str, short: str) -> None:
    assert f"@f({short})" in printed(f"func.func private @f({long})")


@pytest.mark.parametrize("kind", ["!ktdf<tokens>", "!ktdp<>", "!ktdp<access_tile>", "!spyreop"])
def test_nothing_else_may_stand_there(kind: str) -> None:
    assert refused(f"func.func private @f({kind})").code in ("SPY108", "SPY109")


def test_plain_mlir_refuses_the_spaces_that_we_wrap() -> None:
    from mlir import ir as mlir

    text = "func.func private @f(memref<4xf16, #ktdp.memory_space<global>>)"
    with mlir.Context() as context:
        context.allow_unregistered_dialects = True
        with pytest.raises(mlir.MLIRError):
            mlir.Module.parse(text)
    assert "#ktdp.memory_space<global>" in printed(text)
