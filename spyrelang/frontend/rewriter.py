"""The changes to an author's syntax tree: each form decides by value, so plain Python stays so."""

from __future__ import annotations

import ast
from typing import TypeVar

from spyrelang.frontend.jumps import without_continues, without_returns
from spyrelang.language import alternatives
from spyrelang.language.alternatives import branches
from spyrelang.language.leaving import leaves
from spyrelang.language.place import OURS
from spyrelang.language.repetition import Statement

PLACEHOLDERS: dict[object, object] = {
    "spyrelang: branches": branches,
    "spyrelang: while": Statement,
    "spyrelang: both": alternatives.both,
    "spyrelang: either": alternatives.either,
    "spyrelang: opposite": alternatives.opposite,
    "spyrelang: chosen": alternatives.chosen,
    "spyrelang: counted": alternatives.counted,
    "spyrelang: extreme": alternatives.extreme,
}
Node = TypeVar("Node", bound=ast.AST)
_SIMPLE = (ast.Name, ast.Constant, ast.Attribute)


class Rewriter(ast.NodeTransformer):
    """Rewrites a function's body; `changed` says whether there was anything to do."""

    def __init__(self) -> None:
        self.changed = False
        self._count = 0

    def function(self, node: ast.FunctionDef) -> None:
        """Rewrite one function in place."""
        node.body = without_returns(node.body)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.function(node)
        return node

    # --- statements

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._condition(node.test)
        if any(leaves(statement) for statement in (*node.body, *node.orelse)):
            return node
        name = self._name("branch")
        inner = ast.If(ast.Name(name, ast.Load()), node.body, node.orelse)
        loop = ast.For(ast.Name(name, ast.Store()), _call("branches", node.test), [inner], [], None)
        return _placed(loop, node.test)

    def visit_While(self, node: ast.While) -> ast.AST:
        node.body = without_continues(node.body)
        self.generic_visit(node)
        node.test = self._condition(node.test)
        if any(leaves(statement) for statement in node.body):
            return node
        name = self._name("while")
        asking = ast.Attribute(ast.Name(name, ast.Load()), "asking", ast.Load())
        answer = ast.Attribute(ast.Name(name, ast.Load()), "answer", ast.Store())
        inner = ast.If(asking, [ast.Assign([answer], node.test)], node.body)
        loop = ast.For(ast.Name(name, ast.Store()), _call("while"), [inner], node.orelse, None)
        return _placed(loop, node.test)

    def visit_For(self, node: ast.For) -> ast.AST:
        node.body = without_continues(node.body)
        self.generic_visit(node)
        call = node.iter
        if isinstance(call, ast.Call) and _is_plain(call, ("range",)):
            self.changed = True
            node.iter = _placed(_call("counted", call.func, *call.args), call)
        return node

    # --- expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if any(_binds(part) for part in (node.body, node.orelse)):
            return node
        self.changed = True
        test = self._condition(node.test)
        return _placed(_call("chosen", test, _later(node.body), _later(node.orelse)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not _is_plain(node, ("min", "max")) or len(node.args) < 2:
            return node
        self.changed = True
        return _placed(_call("extreme", node.func, *node.args), node)

    def _condition(self, node: ast.expr) -> ast.expr:
        """A test with `and`, `or`, `not` and chains of comparisons as calls."""
        if isinstance(node, ast.BoolOp) and not any(_binds(v) for v in node.values[1:]):
            self.changed = True
            name = "both" if isinstance(node.op, ast.And) else "either"
            values = [self._condition(v) for v in node.values]
            found = values[-1]
            for value in reversed(values[:-1]):
                found = _placed(_call(name, value, _later(found)), node)
            return found
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.changed = True
            return _placed(_call("opposite", self._condition(node.operand)), node)
        middle = node.comparators[:-1] if isinstance(node, ast.Compare) else []
        if isinstance(node, ast.Compare) and middle and all(isinstance(m, _SIMPLE) for m in middle):
            sides = [node.left, *node.comparators]
            pairs = zip(sides, node.ops, sides[1:], strict=False)
            parts: list[ast.expr] = [_placed(ast.Compare(a, [op], [b]), node) for a, op, b in pairs]
            return self._condition(_placed(ast.BoolOp(ast.And(), parts), node))
        return node

    def _name(self, what: str) -> str:
        self.changed = True
        self._count += 1
        return f"{OURS}{what}{self._count}"


def _is_plain(call: ast.Call, names: tuple[str, ...]) -> bool:
    """Whether one of these functions is called with single arguments by position."""
    func = call.func
    plain = not call.keywords and not any(isinstance(a, ast.Starred) for a in call.args)
    return plain and isinstance(func, ast.Name) and func.id in names


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of ours; the constant becomes the function when the code is compiled."""
    return ast.Call(ast.Constant(f"spyrelang: {name}"), list(arguments), [])


def _later(value: ast.expr) -> ast.Lambda:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, value)


def _binds(node: ast.expr) -> bool:
    """Whether an expression does what a function of its own cannot do for the one around it."""
    kinds = ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await
    return any(isinstance(n, kinds) for n in ast.walk(node))


def _placed(made: Node, like: ast.AST) -> Node:
    """New nodes stand where the author's does."""
    for node in ast.walk(made):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, like)
    return made
