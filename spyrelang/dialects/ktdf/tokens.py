"""Tokens of stages: where they come from, who releases them, and that no stage waits for itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spyrelang.dialects import shapes
from spyrelang.ir.opdef import lookup
from spyrelang.ir.opref import OpRef

_STAGE, _PRIVATE = "ktdf.stage", "ktdf.private"


def token_rules(op: OpRef) -> None:
    """The rules of a stage's tokens. A stage must be able to start, and a token has one release."""
    for index, value in enumerate(op.op.operands):
        if _made(value) is None:
            raise op.fail(
                f"token {index} must come from ktdf.create_token, or from a ktdf.private "
                "that yields one"
            )
    for value in op.operands("depends_in"):
        if not _releases(value):
            raise op.fail("waits for a token that no stage releases")
    for value in op.operands("depends_out"):
        if len(_releases(value)) > 1:
            raise op.fail("releases a token that another stage releases too")
    if op.op in _awaited(op.op):
        raise op.fail("waits, over the stages before it, for itself")


def _made(value: Any) -> Any:
    """The result of ktdf.create_token behind a token, or None; followed through privates."""
    while True:
        owner = shapes.defining_op(value)
        if owner is None or owner.name not in ("ktdf.create_token", _PRIVATE):
            return None
        if owner.name != _PRIVATE:
            return value
        value = shapes.yielded(owner, value)
        if value is None:
            return None


def _releases(value: Any) -> list[Any]:
    """The stages that release a token."""
    made = _made(value)
    return [] if made is None else list(_releasing(made))


def _releasing(value: Any) -> Iterator[Any]:
    for use in value.uses:
        user = use.owner.operation
        if user.name == _STAGE and use.operand_number >= len(_waits(user)):
            yield user
        elif user.name == "ktdf.private_yield" and user.parent is not None:
            results = list(user.parent.operation.results)[use.operand_number :][:1]
            for result in results:
                yield from _releasing(result)


def _waits(stage: Any) -> list[Any]:
    definition = lookup(_STAGE)
    sizes = definition.live_sizes(stage) if definition else None
    return list(stage.operands)[: sizes[0]] if sizes else []


def _awaited(stage: Any) -> set[Any]:
    """All stages that must have run before a stage, the one itself if they go round."""
    found: set[Any] = set()
    waiting = [stage]
    while waiting:
        for value in _waits(waiting.pop()):
            new = [s for s in _releases(value) if s not in found]
            found.update(new)
            waiting += new
    return found
