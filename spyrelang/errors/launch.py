"""SPY7xx: arguments of a launch, memory of the simulated device, values computed at launch."""

from __future__ import annotations

from spyrelang.errors.core import ErrorKind, SpyreError, define


def _value(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=ValueError)


def _type(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=TypeError)


# --- which value is which argument ---------------------------------------------------------------

UNKNOWN_ARGUMENT = _type(
    "SPY700",
    "no argument of that name",
    "'{kernel}' has no argument '{name}'; its arguments are {known}",
    "A keyword names no argument of the kernel.",
    "p.launch(x, y, o=out)   # of a kernel with arguments x, y and out",
    "use one of the names listed",
)
MISSING_ARGUMENT = _type(
    "SPY701",
    "argument missing",
    "'{kernel}' needs argument #{index} '{name}' ({spec}), which was not given",
    "A launch binds every argument of the kernel.",
    "p.launch(x, y)   # of a kernel with arguments x, y and out",
    "pass the argument by position or name",
)
ARGUMENT_TWICE = _type(
    "SPY702",
    "argument given twice",
    "argument '{name}' of '{kernel}' was given by position and by name",
    "The same argument got two values.",
    "p.launch(x, y, out, x=y)",
    "pass it once",
)
TOO_MANY_ARGUMENTS = _type(
    "SPY703",
    "too many arguments",
    "'{kernel}' takes {expected} arguments ({known}), {given} were given",
    "More positional values than the kernel has arguments.",
    "p.launch(x, y, out, out)   # of a kernel with arguments x, y and out",
    "drop the values the kernel does not take",
)

# --- what an argument may be ----------------------------------------------------------------------

NOT_AN_ARRAY = _type(
    "SPY704",
    "argument is not an array",
    "argument #{index} '{name}' is {found}: it is not on the device and cannot be bound to it",
    "Tensors are numpy arrays, CPU torch tensors or DeviceTensors.",
    'p.launch("x.npy", y, out)',
    "pass a numpy array, a CPU tensor or a DeviceTensor",
)
DTYPE_MISMATCH = _type(
    "SPY705",
    "wrong dtype",
    "argument #{index} '{name}' must be {expected}, got {found}",
    "Arrays are bound as they are: elements are never converted silently.",
    "p.launch(x.astype(np.float32), y, out)   # of an f16 kernel",
    "convert first, for example x.astype(np.float16)",
)
RANK_MISMATCH = _value(
    "SPY706",
    "wrong rank",
    "argument #{index} '{name}' must have {expected} dimensions {shape}, got {found}",
    "The array has more or fewer dimensions than the kernel was compiled for.",
    "p.launch(x.ravel(), y, out)",
    "reshape the array, or compile for its shape",
)
SHAPE_MISMATCH = _value(
    "SPY707",
    "wrong shape",
    "argument #{index} '{name}' must have shape {expected}, got {found}",
    "The kernel was compiled for another shape.",
    "p.launch(np.zeros((4, 65), np.float16), y, out)   # of a kernel for (4, 64)",
    "compile for this shape, or pass an array of the expected one",
)
TOO_SHORT = _value(
    "SPY708",
    "array too short",
    "argument #{index} '{name}' is too short: dimension {dim} needs {expected} elements, has "
    "{found}",
    "The kernel would read or write past the end of the array.",
    "p.launch(x[:3], y, out)   # of a kernel for 4 rows",
    "pass an array of the shape the kernel was compiled for",
)
BIG_ENDIAN = _type(
    "SPY709",
    "big-endian array",
    "{what} is big-endian ({found}); the device is little-endian",
    "The bytes of each element are in the wrong order.",
    'p.launch(x.astype(">f2"), y, out)',
    "convert with x.astype(x.dtype.newbyteorder('<'))",
)
READ_ONLY = _value(
    "SPY710",
    "output is read-only",
    "argument #{index} '{name}' is written by '{kernel}' but the array is read-only",
    "Outputs are filled in place.",
    "p.launch(x, y, np.broadcast_to(out, (4, 64)))",
    "pass a writable array",
)
SELF_OVERLAP = _value(
    "SPY712",
    "output overlaps itself",
    "argument #{index} '{name}' is written, but several of its elements share memory (strides "
    "{strides})",
    "A broadcast view has fewer elements in memory than its shape says.",
    "p.launch(x, y, as_strided(out, (4, 64), (0, 2)))",
    "pass a real array as output",
)
PARTIAL_OVERLAP = _value(
    "SPY713",
    "arguments overlap partly",
    "arguments '{first}' and '{second}' share part of their memory",
    "Arguments may be the same memory with the same layout, or separate memory; a partial "
    "overlap has "
    "no defined order of reads and writes.",
    "p.launch(long[:4], y, long[1:])   # long has 5 rows",
    "copy one of them",
)
MUST_NOT_SHARE = _value(
    "SPY717",
    "arguments must not share memory",
    "arguments '{first}' and '{second}' are the same memory, and kernel '{kernel}' reads and "
    "writes them in an order that is right for separate memory only",
    "The kernel was scheduled for arguments of their own: it reads one of the two, at other places "
    "or later, than it writes the other.",
    "transpose(x, x)   # each core would read what another one has written already",
    "pass a copy of one of them, or make it one parameter of the kernel (`spy.InOut`)",
)
SCALAR_EXPECTED = _type(
    "SPY714",
    "argument must be a number",
    "argument #{index} '{name}' must be {want}, got {found}",
    "Sizes and other scalars are plain Python numbers.",
    "launch(x, out, n=1.5)",
    "pass a number of this kind",
)
FOREIGN_TENSOR = _type(
    "SPY715",
    "tensor cannot be bound",
    "argument #{index} '{name}' cannot be bound to the device: {detail}",
    "Tensors must be dense CPU memory without gradient tracking.",
    "launch(x.cuda(), out)",
    "pass x.detach().cpu(), or a numpy array",
)
RESERVED_ARGUMENT = _type(
    "SPY716",
    "scratch argument given",
    "argument '{name}' of '{kernel}' is scratch memory of the kernel and is allocated at launch",
    "Scratch regions do not belong to the caller.",
    "launch(x, out, scratch=y)",
    "leave it out",
)

# --- device memory --------------------------------------------------------------------------------

MISALIGNED = _value(
    "SPY720",
    "misaligned address",
    "{what} at {address:#x} is not a multiple of {alignment} bytes",
    "Tensors begin at multiples of 128 bytes, and symbols count whole words.",
    'spyre.runtime.execute(compiled.executable, arrays, addresses={"x": 100})',
    "move it to a multiple of 128 bytes",
)
SEGMENT_BOUNDS = _value(
    "SPY721",
    "tensor leaves its segment",
    "{what} takes bytes {address:#x} to {end:#x}, which is not within one of the segments 0 to "
    "{last}",
    "A tensor lies within one 16 GiB segment; segment 7 holds programs.",
    'spyre.runtime.execute(compiled.executable, arrays, addresses={"x": 7 << 34})',
    "choose another address",
)
OUT_OF_MEMORY = define(
    "SPY722",
    "device memory exhausted",
    "no room for {size} bytes on the simulated device ({used} bytes in use)",
    cause="Every segment is full, or the tensor is larger than a segment (16 GiB).",
    example='spyre.runtime.empty((1 << 40,), "f16")',
    fix="free tensors that are no longer needed",
    also=MemoryError,
)


def too_large(size: int) -> SpyreError:
    """SPY722 for what no segment can hold."""
    return OUT_OF_MEMORY.error(
        size=size, used=0, hint="a tensor takes at most a segment of 16 GiB; use a smaller one"
    )


TENSOR_FREED = _value(
    "SPY723",
    "tensor was freed",
    "the DeviceTensor at {address:#x} {shape} was freed and cannot be used",
    "Its memory went back to the device.",
    "t.free(); t.numpy()",
    "keep the tensor until its last use",
)
TENSOR_SPEC = _value(
    "SPY724",
    "invalid tensor specification",
    "cannot make a device tensor: {detail}",
    "Shapes are tuples of non-negative integers, dtypes are those of the device.",
    'spyre.runtime.empty((-1,), "f16")',
    "give sizes >= 0 and one of the device's dtypes",
)
MEMORY_ADDRESS = _type(
    "SPY726",
    "invalid address in memory=",
    "memory={{address: array}}: {detail}",
    "Keys are integers that count elements of the array's dtype, values are arrays.",
    'spyre.load_ktir(text).run(arrays, memory={"a": x})',
    "write memory={0: a, 524288: b}",
)

# --- the prepared kernel --------------------------------------------------------------------------

RELEASED = _value(
    "SPY730",
    "launch after release",
    "'{kernel}' was released and cannot be launched",
    "Release gives the program's memory back.",
    "p.release(); p.launch(x, y, out)",
    "prepare the artifact again",
)
ONE_RECORD = _value(
    "SPY731",
    "not exactly one conversion record",
    "'{kernel}' cannot be launched: its vdci must hold exactly one DCI, it holds {count}",
    "Nothing says where the values of the launch go.",
    '"vdci": {}',
    "export the kernel again",
)
TENSOR_ID = _value(
    "SPY732",
    "symbol of an argument that does not exist",
    "symbol {symbol} refers to argument {arg}: tensor_id out of range, the kernel has {count} "
    "arguments",
    "Symbol table and signature disagree.",
    '{"id": -1, "kind": "address", "arg": 9, …}',
    "export the kernel again",
)
COPY_RANGE = _value(
    "SPY733",
    "copy back from no argument",
    "copy back from {address:#x}: segment {segment} is out of range, the launch has {count} "
    "tensors",
    "The plan copies from a tensor that the launch does not have.",
    "dirn true, dev_ptr 85899345920 with three tensors",
    "export the kernel again",
)
COPY_BOUNDS = _value(
    "SPY734",
    "copy back past the end",
    "copy back of {size} bytes from {address:#x} is out of bounds of the {limit} bytes there",
    "The plan copies more than the tensor or the program region holds.",
    "size 4096 of a tensor of 128 bytes",
    "pass a tensor of the right size, or export again",
)

TOO_MANY_BOUND = _value(
    "SPY735",
    "too many tensors for bound addresses",
    "'{kernel}' has {count} tensors, but only {limit} segments are free for bound ones",
    "With bound addresses each tensor has a segment of its own; segment 7 holds the program, and "
    "segment 6 the scratch memory of kernels that need some.",
    "prepare(path, bound=True) of a kernel with eight arguments",
    "launch with symbolic addresses (bound=False)",
)

# --- values ---------------------------------------------------------------------------------------

DIMENSION_INDEX = _value(
    "SPY740",
    "no such dimension",
    "size '{name}' (kDimension) is dimension {dim} of argument #{index} '{argument}', counted from "
    "0, which has {rank} dimensions",
    "The array has fewer dimensions than the kernel was compiled for.",
    "a size that is dimension 5 of an argument with two dimensions",
    "pass an array of the expected rank",
)
DIMENSION_REFUSED = _value(
    "SPY741",
    "size not admitted",
    "size '{name}' = {value} of {what} is not admitted; it runs from {minimum} to {maximum} in "
    "steps of {granularity}, nearest: {nearest}",
    "A kernel with a symbolic size accepts multiples of its granularity up to its maximum.",
    "100 rows for a kernel with granularity 64",
    "pass one of the nearest legal sizes",
)
DIMENSION_CONFLICT = _value(
    "SPY742",
    "one size, two values",
    "size '{name}' is {first} in argument '{first_argument}' and {second} in '{second_argument}'",
    "Arguments that share a symbolic size must agree on it.",
    "launch(x of 64 rows, out of 128 rows)",
    "pass arrays of equal size",
)
SYMBOL_ARITHMETIC = _value(
    "SPY745",
    "value cannot be computed",
    "symbol {symbol}: {detail}",
    "A divisor is zero, or a result leaves 64-bit signed integers.",
    '["floordiv", {"in": -1}, 0]',
    "export the kernel again",
)
INPUT_COUNT = _value(
    "SPY746",
    "wrong number of launch inputs",
    "the symbol table needs {expected} inputs, {given} were handed over",
    "The vector of launch inputs has the wrong length.",
    "evaluate([4096]) of a table with three inputs",
    "give one value per input, in order",
)
