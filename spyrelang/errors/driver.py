"""Errors of the stage ladder and of running what it made."""

from collections.abc import Sequence

from spyrelang.errors.core import SpyreError, define

UNKNOWN_STAGE = define(
    "SPY820",
    "unknown stage",
    "there is no stage '{stage}'; the stages are {known}",
    cause="A stage was asked for by a name that is none.",
    example='add.show_ir("pipelines", x, y, out)',
    fix="use one of the names listed",
    also=ValueError,
)
NO_STAGE = define(
    "SPY821",
    "stage before the start",
    "stage '{stage}' is not there: this was made from text of stage '{start}'",
    cause="A kernel resumed from a later stage has no earlier ones.",
    example='spyre.resume("dataflow", compiled.ir("dataflow")).ir("ktir")',
    fix="ask for the stage of the text or a later one",
    also=ValueError,
)
UNKNOWN_ENGINE = define(
    "SPY822",
    "unknown engine",
    "there is no engine '{engine}'; the engines are {known}",
    cause="An engine was asked for by a name that is none.",
    example='add(x, y, out, engine="quick")',
    fix="use one of the names listed",
    also=ValueError,
)
NUMERICS = define(
    "SPY823",
    "unknown numeric mode",
    "there is no numeric mode '{numerics}'; the modes are {known}",
    cause="A numeric mode was asked for that does not exist: 'ieee' computes f16 as IEEE half "
    "precision, 'df16' as DLFloat16, as the hardware does.",
    example='add(x, y, out, numerics="bf16")',
    fix='leave numerics out, or write numerics="df16"',
    also=ValueError,
)


def unknown_numerics(mode: object, modes: Sequence[str]) -> SpyreError:
    """SPY823 for a mode that is none of `modes`."""
    return NUMERICS.error(numerics=mode, known=" and ".join(f"'{known}'" for known in modes))


NO_SPECIALISATION = define(
    "SPY824",
    "shapes are not known",
    "'{kernel}' has no shapes yet: its annotations do not give them all and it was not called",
    cause="Text of a kernel was asked for without arguments before any call.",
    example="double.show_ir()   # with bare spy.In parameters, before the first call",
    fix="pass arrays or spyre.spec(shape, dtype), or call the kernel once",
    also=TypeError,
)
AMBIGUOUS_KERNEL = define(
    "SPY825",
    "which kernel",
    "the text has {count}, and one is needed",
    cause="A text with several kernels, or with none, was used where one is needed.",
    example='spyre.load_ktir("two.mlir").run({})',
    fix='pick one: module["name"]',
    also=KeyError,
)
NO_KERNEL = define(
    "SPY826",
    "no such kernel",
    "there is no kernel '{name}' in {file}; it has {names}",
    cause="A kernel was asked for by a name that the text does not have.",
    example='spyre.load_ktir("add.mlir")["sub"]',
    fix="use one of the names listed",
    also=KeyError,
)


def not_one_kernel(names: Sequence[str]) -> SpyreError:
    """SPY825 for a text with these kernels."""
    if not names:
        hint = "give it a func.func with a body and a grid"
        return AMBIGUOUS_KERNEL.error(count="no kernel", hint=hint)
    hint = f'pick one of them: module["{names[0]}"]'
    return AMBIGUOUS_KERNEL.error(count=f"{len(names)} kernels, {', '.join(names)}", hint=hint)


SPYRECODE_RUNS = define(
    "SPY827",
    "an artifact has no other stages",
    "an artifact shows its disassembly only; it has no stage '{stage}'",
    cause="An artifact was asked for the text of an earlier stage.",
    example='spyre.resume("spyrecode", "add.spyrecode").ir("ktir")',
    fix='ask for ir("spyrecode"), or resume from the text of an earlier stage',
    also=ValueError,
)
NOT_TEXT = define(
    "SPY828",
    "neither text nor a path",
    "expected a path or the text itself, got {got}",
    cause="A text is given as a string, or as the path of a file that holds it.",
    example='spyre.load_ktir(open("add.mlir", "rb").read())',
    fix="pass a str or a pathlib.Path",
    also=TypeError,
)
BASES = define(
    "SPY837",
    "addresses that a kernel cannot be compiled for",
    "bases of '{kernel}': {problem}",
    cause="`bases` gives tensors the byte addresses at which they will lie: a dict by parameter, "
    "or 'segments' for one of 16 GiB each. Addresses are whole elements within seven segments.",
    example='add.compile(x, y, out, bases={"x": 1})',
    fix='write bases={"x": address in bytes, …} or bases="segments"',
    also=ValueError,
)
NOT_A_MAPPING = define(
    "SPY829",
    "not a mapping",
    "{what} must be a mapping, {form}, got {got}",
    cause="The kernel of a text takes its arguments by name, and arrays at constant addresses by "
    "address.",
    example="spyre.load_ktir(text).run([x, y])",
    fix="pass a dict of this form",
    also=TypeError,
)
