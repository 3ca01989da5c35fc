"""Readable text of an `Executable`: what `ir("spyrecode")` shows."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.affine import Expr
from spyrelang.isa import program as p


def listing(executable: p.Executable) -> str:
    """The whole program as text, one instruction a line."""
    return "\n".join(_Listing(executable).lines()) + "\n"


def _regs(registers: Sequence[int]) -> str:
    return ", ".join(f"r{r}" for r in registers)


def _per_unit(values: Sequence[object]) -> str:
    """One value where all units agree, else the table."""
    return str(values[0]) if len(set(values)) == 1 else "{" + ", ".join(map(str, values)) + "}"


def _expr(expr: Expr, operands: Sequence[int]) -> str:
    return expr.render([f"r{r}" for r in operands])


def _access(access: p.Access) -> str:
    index = ", ".join(_expr(e, access.operands) for e in access.index)
    return f"r{access.view}[{index}]"


def _axes(axes: Sequence[p.Axis], source: bool, target: bool) -> str:
    parts: list[str] = []
    for axis in axes:
        text = f"r{axis.extent}" if axis.dynamic else str(axis.extent)
        if source:
            text += f" from {list(axis.source_step)}"
        if target:
            text += f" to {list(axis.target_step)}"
        parts.append(text)
    return "; ".join(parts)


class _Listing:
    def __init__(self, executable: p.Executable) -> None:
        self.exe = executable

    def lines(self) -> list[str]:
        exe, machine = self.exe, self.exe.machine
        grid = "x".join(map(str, exe.grid))
        out = [f"kernel {exe.name}  grid {grid}  device {machine.name}, {machine.cores} cores"]
        out += [self._argument(a) for a in exe.arguments]
        out += [f"input {s.id}: argument {s.arg} ({s.kind})" for s in exe.inputs]
        for s in exe.symbols:
            text = s.expr.render([f"({i})" for i in s.inputs])
            out.append(f"symbol {s.id} = {text}{' exactly' if s.exact else ''}, {s.bits} bits")
        out.append("orchestrator")
        out += self._body(exe.orchestrator, 1)
        for number, program in enumerate(exe.programs):
            out.append(f"program {number} {program.name}({_regs(range(program.params))})")
            for unit in program.units:
                names = ", ".join(machine.units[u].name for u in unit.units)
                out.append(f"  units {unit.kind}: {names}")
                out += self._body(unit.body, 2)
        return out

    def _argument(self, a: p.Argument) -> str:
        sizes = "x".join(map(str, a.shape))
        return f"argument {a.name}: {a.role} {sizes + ' ' if sizes else ''}{a.dtype}"

    def _body(self, body: Sequence[p.Instr], depth: int) -> list[str]:
        out: list[str] = []
        for instr in body:
            out += [("  " * depth) + line for line in self._instr(instr)]
        return out

    def _instr(self, i: p.Instr) -> list[str]:
        match i:
            case p.For():
                return self._for(i)
            case p.If():
                return self._if(i)
            case _:
                return [self._simple(i)]

    def _for(self, i: p.For) -> list[str]:
        carried = "".join(f", r{a} = r{b}" for a, b in zip(i.args, i.inits, strict=True))
        head = f"for r{i.iv} = r{i.lower} to r{i.upper} step r{i.step}{carried}"
        prefix = f"{_regs(i.results)} = " if i.results else ""
        tail = [f"  yield {_regs(i.yields)}"] if i.yields else []
        return [prefix + head, *self._body(i.body, 1), *tail]

    def _if(self, i: p.If) -> list[str]:
        prefix = f"{_regs(i.results)} = " if i.results else ""
        out = [f"{prefix}if r{i.cond}", *self._body(i.then_body, 1)]
        out += [f"  yield {_regs(i.then_yields)}"] if i.then_yields else []
        if i.else_body or i.else_yields:
            out += ["else", *self._body(i.else_body, 1)]
            out += [f"  yield {_regs(i.else_yields)}"] if i.else_yields else []
        return out

    def _simple(self, i: p.Instr) -> str:
        units, memories = self.exe.machine.units, self.exe.machine.memories
        match i:
            case p.Const():
                return f"r{i.dst} = {i.value}"
            case p.Table():
                return f"r{i.dst} = table {_per_unit(i.values)}"
            case p.Symbol():
                return f"r{i.dst} = symbol {_per_unit(i.ids)}"
            case p.Arith():
                return f"r{i.dst} = {i.op} {_regs(i.operands)}"
            case p.Affine():
                return f"r{i.dst} = {_expr(i.expr, i.operands)}"
            case p.View():
                where = _per_unit([memories[m].name for m in i.memories])
                sizes = "x".join(map(str, i.shape))
                layout = f"strides {list(i.strides)}" + (f" base {i.base}" if i.base else "")
                return f"r{i.dst} = view {where} at r{i.start}*{i.scale} {sizes} {i.dtype} {layout}"
            case p.Load():
                axes = _axes(i.axes, True, False)
                return f"r{i.dst} = load {_access(i.access)} ({axes}) {i.lanes}x{i.dtype}"
            case p.Store():
                axes = _axes(i.axes, False, True)
                return f"store r{i.value} to {_access(i.access)} ({axes}) {i.lanes}x{i.dtype}"
            case p.Transfer():
                axes = _axes(i.axes, True, True)
                return f"transfer {_access(i.source)} to {_access(i.target)} ({axes}) {i.dtype}"
            case p.Compute():
                attrs = "".join(f" {name}={value}" for name, value in i.attrs)
                return f"r{i.dst} = {i.op} {_regs(i.operands)}{attrs} {i.lanes}x{i.dtype}"
            case p.Send():
                return f"send r{i.value} to {_per_unit([units[u].name for u in i.peers])}"
            case p.Receive():
                peers = _per_unit([units[u].name for u in i.peers])
                return f"r{i.dst} = receive from {peers} {i.lanes}x{i.dtype}"
            case p.SyncSend():
                wait = " after transfers" if i.wait else ""
                return f"signal {_per_unit([units[u].name for u in i.peers])}{wait}"
            case p.SyncReceive():
                return f"await {_per_unit([units[u].name for u in i.peers])}"
            case p.Call():
                return f"call {self.exe.programs[i.program].name}({_regs(i.args)})"
            case _:
                return type(i).__name__
