"""Ops built in Python: the builder, the accessors, and what the verifier says of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mlir import ir as mlir

from spyrelang import affine, ir
from spyrelang.dialects import agen, dataflow, symbol, uniform, vectorchain
from spyrelang.errors import SpyreError
from spyrelang.ir.build import i32, i32_array, memref, string, unit


def function(fill: Callable[[list[mlir.Value]], None], *types: str) -> ir.Module:
    """A module with one function of those argument types, its body filled by `fill`."""
    module = ir.Module.empty("built")
    signature = f"({', '.join(types)}) -> ()"
    with ir.context(), mlir.Location.file("k.py", 7, 3), mlir.InsertionPoint(module.body):
        func = ir.build(
            "func.func",
            attributes={"sym_name": '"f"', "function_type": signature},
            regions=1,
        )
        block = func.regions[0].blocks[0]
        for text in types:
            block.add_argument(ir.type_of(text), mlir.Location.current)
        with mlir.InsertionPoint(block):
            fill(list(block.arguments))
            ir.build("func.return")
    return module


def code_of(module: ir.Module) -> str:
    with pytest.raises(SpyreError) as caught:
        ir.verify(module)
    assert caught.value.location is not None
    assert str(caught.value.location) == "k.py:7:3"
    return caught.value.code


def test_build_print_and_read_back() -> None:
    def fill(args: list[mlir.Value]) -> None:
        box = affine.Set.between([(0, 0), (0, 31)])
        order = affine.Map.identity(2)
        loaded = agen.VECTOR_LOAD.build(
            mem_ref=args[0],
            map_operands=[args[1]],
            affine_map=affine.Map.parse("affine_map<(d0) -> (d0 + 1, 0)>"),
            load_set=box,
            load_order=order,
            results=["vector<32xf16>"],
            extra={"note": unit()},
        )
        dataflow.SEND.build(unit=args[1], value=loaded.results[0])

    module = function(fill, "memref<4x32xf16>", "index")
    ir.verify(module)
    text = module.text()
    assert "agen.vector_load %arg0[%arg1 + 1, 0] {load_order = #map, load_set = #set, note}" in text
    assert ir.parse(text).text() == text


def test_accessors() -> None:
    seen: list[mlir.Operation] = []

    def fill(args: list[mlir.Value]) -> None:
        seen.append(
            agen.VECTOR_LOAD.build(
                mem_ref=args[0],
                map_operands=[args[1], args[2]],
                multicast_info=args[1],
                affine_map="affine_map<(d0)[s0] -> (d0 + s0, 0)>",
                load_set="affine_set<(d0) : (d0 == 0)>",
                load_order="affine_map<(d0) -> (d0)>",
                results=["vector<32xf16>"],
            )
        )

    module = function(fill, "memref<4x32xf16>", "index", "index")
    op, definition = seen[0], agen.VECTOR_LOAD
    assert ir.of(op) is definition
    assert ir.lookup("agen.vector_load") is definition
    assert ir.lookup("arith.addi") is None
    assert len(definition.operands(op, "map_operands")) == 2
    assert definition.operand(op, "multicast_info") == op.operands[3]
    assert str(definition.attr(op, "load_order")) == "affine_map<(d0) -> (d0)>"
    assert definition.attr(op, "dbgName") is None
    with pytest.raises(SpyreError) as caught:
        definition.operands(op, "nothing")
    assert caught.value.code == "SPY900"
    assert module.text().count("symbol(%arg2)") == 1


def test_defaults_are_built_and_read() -> None:
    def fill(args: list[mlir.Value]) -> None:
        op = vectorchain.ROTATE.build(input=args[0], position=args[1], results=["vector<4xf16>"])
        assert str(op.attributes["right_shift"]) == "true"
        del op.attributes["right_shift"]
        assert str(vectorchain.ROTATE.attr(op, "right_shift")) == "true"

    ir.verify(function(fill, "vector<4xf16>", "index"))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(SpyreError) as caught:
        dataflow.SYNC_SEND.build(peer=None)
    assert caught.value.code == "SPY900"


@pytest.mark.parametrize("text", ["", "#dataflow<direction Up>", "affine_map<(d0) -> (d1)>", "[1"])
def test_bad_attribute_text(text: str) -> None:
    with pytest.raises(SpyreError):
        ir.attribute(text)


@pytest.mark.parametrize("text", ["", "vector<", "!dataflow.custom<mx>", "memref<4x!spyreop.f>"])
def test_bad_type_text(text: str) -> None:
    with pytest.raises(SpyreError):
        ir.type_of(text)


def test_integers_are_not_wrapped() -> None:
    assert str(i32(-5)) == "-5 : i32"
    with pytest.raises(SpyreError):
        i32(2**31)


def test_types_in_the_public_spelling() -> None:
    space = memref([4, None], "!spyreop.df16", "#ktdp.memory_space<global>")
    assert "tf32" in str(space)
    module = function(lambda args: None, str(space).replace("tf32", "!spyreop.df16"))
    assert "memref<4x?x!spyreop.df16, #ktdp.memory_space<global>>" in module.text()


def program(args: list[mlir.Value]) -> mlir.Operation:
    op = dataflow.PROGRAM_UNIT.build(units=[args[0]])
    op.regions[0].blocks[0].add_argument(ir.type_of("index"), mlir.Location.current)
    return op


def test_a_missing_terminator_is_found() -> None:
    assert code_of(function(lambda args: program(args) and None, "index")) == "SPY125"


def test_a_terminator_must_be_last() -> None:
    def fill(args: list[mlir.Value]) -> None:
        body = program(args).regions[0].blocks[0]
        with mlir.InsertionPoint(body):
            dataflow.RETURN.build()
            dataflow.SYNC_SEND.build(unit=args[0])
            dataflow.RETURN.build()

    assert code_of(function(fill, "index")) == "SPY125"


def test_use_before_definition_inside_our_regions() -> None:
    def fill(args: list[mlir.Value]) -> None:
        body = program(args).regions[0].blocks[0]
        with mlir.InsertionPoint(body):
            received = dataflow.RECEIVE.build(unit=args[0], results=["vector<4xf16>"])
            sent = dataflow.SEND.build(unit=args[0], value=received.results[0])
            dataflow.RETURN.build()
        sent.move_before(received)

    assert code_of(function(fill, "index")) == "SPY126"


def test_the_second_block_of_a_region_is_refused() -> None:
    def fill(args: list[mlir.Value]) -> None:
        op = program(args)
        with mlir.InsertionPoint(op.regions[0].blocks[0]):
            dataflow.RETURN.build()
        with mlir.InsertionPoint(op.regions[0].blocks.append()):
            dataflow.RETURN.build()

    assert code_of(function(fill, "index")) == "SPY124"


def test_an_unregistered_op_of_a_dialect_is_refused() -> None:
    assert code_of(function(lambda args: ir.build("symbol.nope") and None)) == "SPY102"


def test_an_unnormalised_type_is_refused() -> None:
    def fill(args: list[mlir.Value]) -> None:
        odd = mlir.Type.parse("!dataflow.custom_vector< 4xf16>", ir.context())
        dataflow.RECEIVE.build(unit=args[0], results=[odd])

    assert code_of(function(fill, "index")) == "SPY109"


def test_broken_ir_still_prints() -> None:
    def fill(args: list[mlir.Value]) -> None:
        ir.build(
            "uniform.def_immutable_mapping",
            [args[0]],
            {"operandSegmentSizes": i32_array([1, 0])},
            ["index"],
        )
        ir.build("agen.vector_load", [args[0]])
        symbol.CREATE_ID.build(value=args[0])

    text = function(fill, "index").text()
    assert '"agen.vector_load"(%arg0)' in text
    assert "symbol.create_id %arg0 : index" in text


def test_clone_and_funcs() -> None:
    module = ir.parse("module { module { func.func @a() { return } } func.func @b() { return } }")
    copy = module.clone()
    next(copy.funcs()).attributes["sym_name"] = string("c")
    assert [str(f.attributes["sym_name"]) for f in module.funcs()] == ['"a"', '"b"']
    assert [str(f.attributes["sym_name"]) for f in copy.funcs()] == ['"c"', '"b"']


def test_uniform_regions_can_be_built() -> None:
    def fill(args: list[mlir.Value]) -> None:
        units = [
            dataflow.GET_UNIT.build(name='"a"', type='"b"', results=["index"]).results[0]
            for _ in range(3)
        ]
        op = uniform.UNIFORMIZE_REGIONS.build(
            units=units, list_sizes="[2 : i32, 1 : i32]", results=["index"], regions=2
        )
        for region in op.regions:
            own = region.blocks[0].add_argument(ir.type_of("index"), mlir.Location.current)
            with mlir.InsertionPoint(region.blocks[0]):
                uniform.YIELD.build(values=[own])

    module = function(fill)
    ir.verify(module)
    assert "(%arg0 -> %0, %1){" in module.text()
    assert ir.parse(module.text()).text() == module.text()
