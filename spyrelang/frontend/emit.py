"""From recorded nodes to KTIR: one `func.func` with views, tiles, loads, `linalg` and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from spyrelang.dialects import debug, ktdp
from spyrelang.errors import Location
from spyrelang.frontend import (
    emit_control,
    emit_exchange,
    emit_linalg,
    emit_memory,
    emit_shapes,
    emit_structured,
)
from spyrelang.frontend.kernel import Param
from spyrelang.frontend.liveness import live
from spyrelang.ir import Module, build, context, type_of, verify
from spyrelang.ir.build import i64, index, string, tensor
from spyrelang.ir.context import LOCK
from spyrelang.language.domain import interval
from spyrelang.language.graph import (
    Block,
    BoolNode,
    Branch,
    Chosen,
    Compare,
    Concat,
    DistributedNode,
    Empty,
    Exchange,
    Extracted,
    ExtractedBool,
    Fill,
    Handed,
    IndexNode,
    IndexOp,
    IndirectNode,
    LaunchSize,
    Load,
    Logic,
    Loop,
    Map,
    Node,
    Part,
    Reshape,
    Result,
    Scalar,
    Store,
    Structured,
    TileId,
    TileNode,
    ValueNode,
    ViewNode,
)
from spyrelang.language.statements import Assert, Print, While
from spyrelang.language.tracing import Trace


def emit(recorded: Trace, where: Location, params: Sequence[Param]) -> Module:
    """The verified module of a trace; `where` is the kernel's definition."""
    with LOCK, context(), ir.Location.unknown():
        module = Module.empty(where.file)
        function, entry = _function(recorded, module, where, params)
        emitter = Emitter(recorded, function, entry)
        emitter.block(recorded.root, entry)
        build("func.return", loc=emitter.loc, ip=ir.InsertionPoint(entry))
        verify(module)
    return module


def _function(
    recorded: Trace, module: Module, where: Location, params: Sequence[Param]
) -> tuple[ir.Operation, ir.Block]:
    loc = file_location(where)
    types = ", ".join(_argument_type(p) for p in params)
    arguments = [_argument_attributes(p) for p in params]
    function = build(
        "func.func",
        attributes={
            "sym_name": string(recorded.name),
            "function_type": ir.TypeAttr.get(type_of(f"({types}) -> ()")),
            "grid": [i64(n) for n in recorded.grid],
            **({"arg_attrs": ir.ArrayAttr.get(arguments)} if arguments else {}),
        },
        regions=1,
        loc=loc,
        ip=ir.InsertionPoint(module.body),
    )
    entry = function.regions[0].blocks[0]
    for param in params:
        entry.add_argument(type_of(_argument_type(param)), ir.Location.name(param.name, loc))
    return function, entry


def _argument_type(param: Param) -> str:
    if param.bounds is None:
        return "index"
    granularity, largest = param.bounds
    return f"!ktdp.runtime_arg<index, granularity={granularity}, upperbound={largest}>"


def _argument_attributes(param: Param) -> ir.Attribute:
    """What launches and other stages need to know of an argument."""
    return ir.DictAttr.get(
        {
            "spyrelang.name": string(param.name),
            "spyrelang.role": string(param.role),
        }
    )


def file_location(where: Location) -> ir.Location:
    """The MLIR location of a range of the author's text; the end column is exclusive."""
    if where.end_col > where.col > 0:
        return ir.Location.file(where.file, where.line, where.col, where.line, where.end_col)
    return ir.Location.file(where.file, max(where.line, 0), max(where.col, 0))


def location(node: Node) -> ir.Location:
    """The location of a node's op: the place, named after the author's variable."""
    where = file_location(node.place.location)
    return ir.Location.name(node.name, where) if node.name else where


class Emitter:
    """Appends ops. `values` maps nodes to what they became."""

    def __init__(self, recorded: Trace, function: ir.Operation, entry: ir.Block) -> None:
        self.recorded = recorded
        self.loc = function.location
        self.entry = entry
        self.values: dict[Node, ir.Value] = {}
        self.results: dict[Node, Sequence[ir.Value]] = {}
        self.live = live(recorded.root)
        self._constants: dict[int, ir.Value] = {}
        self._emitters: dict[type[Node], Callable[[Any, ir.InsertionPoint], Any]] = {
            TileId: self._tile_id,
            LaunchSize: self._launch_size,
            IndexOp: self._index_op,
            ViewNode: self._view,
            DistributedNode: self._distributed,
            TileNode: self._tile,
            IndirectNode: self._indirect,
            Part: self._part,
            Concat: self._concat,
            Empty: self._empty,
            Exchange: self._exchange,
            Handed: self._handed,
            Load: self._load,
            Store: self._store,
            Fill: self._fill,
            Map: self._map,
            Structured: self._structured,
            Reshape: self._reshape,
            Loop: self._loop,
            Branch: self._branch,
            While: self._while,
            Assert: self._assert,
            Print: self._print,
            Compare: self._condition,
            Logic: self._condition,
            ExtractedBool: self._condition,
            Extracted: self._extracted,
            Chosen: self._chosen,
            Scalar: self._scalar,
        }

    def block(self, block: Block, target: ir.Block) -> None:
        """Append a block's nodes to `target`. Views are always kept: they type the arguments."""
        for node in block.nodes:
            if node in self.live or isinstance(node, ViewNode):
                result = self._emitters[type(node)](node, ir.InsertionPoint(target))
                if result is not None:
                    self.values[node] = result

    def value(self, node: Node) -> ir.Value:
        """What a node became."""
        if isinstance(node, Result):
            return self.results[node.source][node.number]
        return self.values[node]

    # --- integers

    def index(self, value: IndexNode | int) -> ir.Value:
        """The SSA value of an integer; constants stand at the head of the function, each once."""
        if not isinstance(value, int):
            return self.value(value)
        if value not in self._constants:
            self._constants[value] = self._constant(value)
        return self._constants[value]

    def _constant(self, value: int) -> ir.Value:
        """After the constants that are there already."""
        if self._constants:
            previous = list(self._constants.values())[-1].owner
            ip = ir.InsertionPoint.after(previous) if hasattr(ir.InsertionPoint, "after") else None
        else:
            ip = ir.InsertionPoint.at_block_begin(self.entry)
        attributes = {"value": index(value)}
        return build("arith.constant", [], attributes, ["index"], loc=self.loc, ip=ip).results[0]

    def _tile_id(self, node: TileId, ip: ir.InsertionPoint) -> ir.Value:
        """An op of its own for every use: two results of one op cannot stand in one subscript."""
        results = ["index"] * len(self.recorded.grid)
        op = ktdp.GET_COMPUTE_TILE_ID.build(results=results, loc=location(node), ip=ip)
        return op.results[node.axis]

    def _launch_size(self, node: LaunchSize, ip: ir.InsertionPoint) -> ir.Value:
        return ktdp.RUNTIME_ARG_EXTRACT.build(
            arg=self.entry.arguments[node.info.index],
            kind="0 : i32",
            results=["index"],
            loc=location(node),
            ip=ip,
        ).results[0]

    def _index_op(self, node: IndexOp, ip: ir.InsertionPoint) -> ir.Value:
        lhs, rhs = self.index(node.lhs), self.index(node.rhs)
        nonnegative = interval(self.recorded, node.lhs).low >= 0
        if node.op == "mod" and not nonnegative:
            quotient = self._arith("floordivsi", lhs, rhs, node, ip)
            product = self._arith("muli", quotient, rhs, node, ip)
            return self._arith("subi", lhs, product, node, ip)
        name = {
            "add": "addi",
            "sub": "subi",
            "mul": "muli",
            "min": "minsi",
            "max": "maxsi",
            "mod": "remui",
            "floordiv": "divui" if nonnegative else "floordivsi",
        }[node.op]
        return self._arith(name, lhs, rhs, node, ip)

    def _condition(self, node: BoolNode, ip: ir.InsertionPoint) -> ir.Value:
        return emit_control.condition(self, node, ip)

    def _extracted(self, node: Extracted, ip: ir.InsertionPoint) -> ir.Value:
        return emit_control.extracted(self, node, ip)

    def _chosen(self, node: Chosen, ip: ir.InsertionPoint) -> ir.Value:
        operands = [self.value(node.condition), self.index(node.lhs), self.index(node.rhs)]
        return build("arith.select", operands, {}, ["index"], loc=location(node), ip=ip).results[0]

    def _arith(
        self, name: str, lhs: ir.Value, rhs: ir.Value, node: Node, ip: ir.InsertionPoint
    ) -> ir.Value:
        op = build(f"arith.{name}", [lhs, rhs], {}, ["index"], loc=location(node), ip=ip)
        return op.results[0]

    # --- memory

    def _view(self, node: ViewNode, ip: ir.InsertionPoint) -> ir.Value:
        return emit_memory.view(self, node, ip)

    def _distributed(self, node: DistributedNode, ip: ir.InsertionPoint) -> ir.Value:
        return emit_memory.distributed(self, node, ip)

    def _tile(self, node: TileNode, ip: ir.InsertionPoint) -> ir.Value:
        return emit_memory.tile(self, node, ip)

    def _indirect(self, node: IndirectNode, ip: ir.InsertionPoint) -> ir.Value:
        return emit_memory.indirect(self, node, ip)

    def _load(self, node: Load, ip: ir.InsertionPoint) -> ir.Value:
        tile = self.value(node.tile)
        result = tensor(node.shape, node.dtype.mlir)
        return build("ktdp.load", [tile], {}, [result], loc=location(node), ip=ip).results[0]

    def _store(self, node: Store, ip: ir.InsertionPoint) -> None:
        operands = [self.value(node.value), self.value(node.tile)]
        build("ktdp.store", operands, loc=location(node), ip=ip)

    # --- values

    def _scalar(self, node: Scalar, ip: ir.InsertionPoint) -> ir.Value:
        types, loc = [tensor((), node.dtype.mlir)], location(node)
        operands = [self.value(node.value)]
        return build("tensor.from_elements", operands, {}, types, loc=loc, ip=ip).results[0]

    def _fill(self, node: Fill, ip: ir.InsertionPoint) -> ir.Value:
        return emit_linalg.fill(node, location(node), ip)

    def _map(self, node: Map, ip: ir.InsertionPoint) -> ir.Value:
        inputs = [self.value(n) for n in node.inputs]
        return emit_linalg.elementwise(node, inputs, location(node), ip)

    def _structured(self, node: Structured, ip: ir.InsertionPoint) -> None:
        values = [self.value(n) for n in (*node.inputs, *node.inits)]
        loc = location(node)
        self.results[node] = emit_structured.structured(node, values, loc, ip)

    def _part(self, node: Part, ip: ir.InsertionPoint) -> ir.Value:
        dynamic = [self.index(o) for o in node.origin if not isinstance(o, int)]
        return emit_shapes.part(node, self.value(node.input), dynamic, location(node), ip)

    def _concat(self, node: Concat, ip: ir.InsertionPoint) -> ir.Value:
        values = [self.value(n) for n in node.inputs]
        return emit_shapes.concat(node, values, location(node), ip)

    def _empty(self, node: Empty, ip: ir.InsertionPoint) -> ir.Value:
        types, loc = [tensor(node.shape, node.dtype.mlir)], location(node)
        return build("tensor.empty", [], {}, types, loc=loc, ip=ip).results[0]

    def _reshape(self, node: Reshape, ip: ir.InsertionPoint) -> ir.Value:
        return emit_shapes.reshape(node, self.value(node.input), location(node), ip)

    def _exchange(self, node: Exchange, ip: ir.InsertionPoint) -> ir.Value:
        values = self.value(node.value), self.value(node.identity)
        return emit_exchange.exchange(node, *values, location(node), ip)

    def _handed(self, node: Handed, ip: ir.InsertionPoint) -> ir.Value:
        return emit_exchange.handed(node, self.value(node.value), location(node), ip)

    # --- loops and branches

    def _loop(self, node: Loop, ip: ir.InsertionPoint) -> None:
        emit_control.loop(self, node, ip)

    def _while(self, node: While, ip: ir.InsertionPoint) -> None:
        emit_control.while_loop(self, node, ip)

    def _assert(self, node: Assert, ip: ir.InsertionPoint) -> None:
        attributes = {"msg": string(node.message)}
        build("cf.assert", [self.value(node.condition)], attributes, loc=location(node), ip=ip)

    def _print(self, node: Print, ip: ir.InsertionPoint) -> None:
        values = [self.value(value) for value in node.values]
        debug.PRINT.build(values=values, text=string(node.text), loc=location(node), ip=ip)

    def _branch(self, node: Branch, ip: ir.InsertionPoint) -> None:
        emit_control.branch(self, node, ip)


__all__ = ["Emitter", "ValueNode", "emit", "file_location", "location"]
