"""SPY20x to SPY25x and SPY29x: what a kernel's Python code does while it is traced."""

from __future__ import annotations

from spyrelang.errors.core import ErrorKind, define
from spyrelang.errors.trace_memory import (
    COMBINER,
    DOUBLY_COVERED,
    GENERIC,
    INTRINSIC,
    NEGATIVE_INDEX,
    NOT_A_TILE,
    NOT_COVERED,
    PARTS,
    POINTS,
    POSITIONS,
    SLICE_BACKWARDS,
    SLICE_EXTENT,
    SLICE_STEP,
    SPACE,
    SUBSCRIPT_COUNT,
    SUBSCRIPT_TYPE,
    TILE_PAST_VIEW,
    TILE_SUBSCRIPT,
    UNUSED_OUT,
    VIEW_AS_VALUE,
    VIEW_BASE,
    VIEW_BEYOND,
    VIEW_DTYPE,
    VIEW_SHAPE,
)


def _type(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=TypeError)


def _value(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=ValueError)


# --- Python constructs on traced values -----------------------------------------------------------

OUTSIDE_KERNEL = define(
    "SPY200",
    "used outside a kernel",
    "{what} can only be used inside a kernel",
    cause="Functions of spyrelang.language describe what a kernel does; outside a kernel there is "
    "nothing to describe.",
    example="spy.tile_id()   # at the top of a file",
    fix="call it in a function decorated with @spyre.kernel",
    also=RuntimeError,
)
BOOL_ON_TRACED = _type(
    "SPY201",
    "Python cannot branch on a traced value",
    "{what} has no truth value while the kernel is traced (asked for by {construct})",
    "The kernel is traced once for all data, so Python cannot decide by a value that is known only "
    "when the kernel runs.",
    "v = spy.load(x[0, 0])\nwhile v > 0.5:\n    v = v * 0.5\n    if v < 0.25:\n        break",
    "use spy.where(condition, a, b) to choose element by element, `with spy.when(condition):` for "
    "a part of the kernel, spy.while_ for a loop; plain `if` and `while` work where the source is "
    "known and they are not left by return, break or continue",
)
RANGE_ON_TRACED = _type(
    "SPY202",
    "Python's range needs a plain integer",
    "range() cannot count to {what}, whose value is not known while the kernel is traced",
    "Python's range unrolls a loop, and for that the number of iterations must be known.",
    "rows = list(range(spy.tile_id()))",
    "write `for i in spy.range(…):`, which stays a loop of the kernel",
)
INT_ON_TRACED = _type(
    "SPY203",
    "traced value used as a Python integer",
    "{what} has no Python value while the kernel is traced (used {construct})",
    "Lists, int() and functions of Python need a number now; a traced value is known only when the "
    "kernel runs.",
    "row = [0, 4][spy.tile_id()]",
    "compute with traced integers by + - * // %, choose with spy.where(condition, a, b), or use "
    "Python ints that are known now",
)
ITER_TRACED = _type(
    "SPY204",
    "traced value cannot be iterated",
    "{what} cannot be iterated or unpacked",
    "Iterating needs the elements now; they exist only when the kernel runs.",
    "for row in x:\n    total = total + spy.load(row)",
    "loop over an index with spy.range and load x[i, :]",
)
FLOAT_ON_TRACED = _type(
    "SPY205",
    "traced value used as a Python number",
    "{what} has no Python value while the kernel is traced",
    "float() and the functions of Python's math module need a number now.",
    "math.exp(spy.load(x[0, 0]))",
    "use the function of the language: spy.exp(v)",
)
NUMPY_ON_TRACED = _type(
    "SPY206",
    "numpy cannot compute with a traced value",
    "{function} cannot take {what}",
    "numpy computes now; the elements of a traced value exist only when the kernel runs. Arrays "
    "reach a kernel as its parameters.",
    "out[:, :] = np.exp(spy.load(x[:, :]))",
    "use the function of the language (spy.exp, spy.where, …); pass arrays as parameters",
)
ESCAPED_VALUE = _value(
    "SPY207",
    "value used outside the loop that makes it",
    "{what} was made inside a {where} that has ended",
    "The body of a spy.range loop runs any number of times, and that of spy.when perhaps not at "
    "all, so a value made there alone does not exist afterwards.",
    "for i in spy.range(4): v = spy.load(x[i, :])\nout[0, :] = v",
    "use it inside; or give the variable a value of that shape and type before, which is carried",
)
FOREIGN_VALUE = _value(
    "SPY208",
    "value of another kernel",
    "{what} belongs to another kernel, or to another trace of this one",
    "A traced value was kept in a global or a closure and used by another kernel.",
    "kept.append(spy.load(x[:, :]))   # in one kernel\nout[:, :] = kept[0] + 1   # in another",
    "load the value in the kernel that uses it",
)
LOOP_LEFT = _value(
    "SPY209",
    "loop left before its end",
    "this {what} is left by break, continue, return or an exception that was caught",
    "The body of a spy.range loop is traced once and stands for all iterations, and that of "
    "spy.when is always traced, so neither can be left in the middle.",
    "for i in spy.range(8):\n    out[i, :] = x[i, :]\n    break",
    "compute the bounds of the loop instead, or unroll with Python's range",
)
LOOP_USE = _value(
    "SPY210",
    "loop object not used by a for statement",
    "{what} serves one {statement} statement, and was {use}",
    "The object was used a second time, handed to zip, enumerate or list, or unpacked; the loop "
    "has no elements that Python could pass around.",
    "for n, i in enumerate(spy.range(4)): …",
    "write `for i in spy.range(…):`; the variable of the loop counts by itself",
)
LOOP_STEP = _value(
    "SPY211",
    "loop step must be a positive integer",
    "the step of spy.range is {got}; it must be a positive int",
    "The step is known when the kernel is compiled, and loops count upwards.",
    "spy.range(8, 0, -1)",
    "count upwards and compute the position: (n - 1) - i",
)
LOOP_BOUND = _type(
    "SPY212",
    "loop bound is not an integer",
    "the {which} of spy.range is {got}, not an integer",
    "Bounds are Python ints or traced integers.",
    "spy.range(0, x.shape[0] / 4)",
    "pass an int or a traced integer",
)
LOOP_VARIABLE = _value(
    "SPY213",
    "Python variable changed inside a loop",
    "'{name}' changes from {before} to {after} in the body of this loop",
    "The body is traced once for all iterations, so Python code in it runs once. Tensors and "
    "integers are carried from one iteration to the next; other things of Python are not.",
    "scale = 1.0\nfor i in spy.range(4): scale = scale * 0.5",
    "compute it from the loop variable; start it with a tensor, `spy.full((), 1.0, spy.f32)`, "
    "which is carried; or unroll with Python's range",
)
ENDLESS = _value(
    "SPY269",
    "loop without an end",
    "the condition of this while loop always holds",
    "Whatever the iteration, the condition is true, so the loop would never end.",
    "while spy.tile_id() >= 0: …",
    "let the condition depend on what the body changes",
)
ASSERTED = _value(
    "SPY268",
    "assertion never holds",
    "{message}",
    "The condition of a spy.assert_ is false whatever the kernel is called with; nothing has to "
    "run to know that.",
    'spy.assert_(x.shape[1] % 64 == 0, "rows must be whole sticks")',
    "call the kernel with other sizes or constants, or correct the condition",
)
NOT_YET = define(
    "SPY214",
    "not supported yet",
    "{name} is not supported yet",
    cause="The language has this name or form, and this version cannot compile it.",
    example="spy.memory_view(x, (i, 64))",
    fix="write the computation with what is supported",
    also=NotImplementedError,
)
PLAIN_INTEGERS = "decide with Python ints that are known when the kernel is traced"
RETURNED = _value(
    "SPY215",
    "kernel returns a value",
    "the kernel returned {got}; kernels return nothing",
    "Results of a kernel are what it stores to its Out and InOut parameters.",
    "return spy.load(x[:, :]) * 2",
    "store the value: out[:, :] = value",
)
GRID_AXIS = _value(
    "SPY216",
    "no such grid axis",
    "the grid {grid} has no axis {axis!r}",
    "Axes of the grid count from 0.",
    "@spyre.kernel(grid=32)\ndef k(x: spy.In, out: spy.Out):\n    row = spy.tile_id(1)",
    "use an axis of the grid, or give the kernel a grid of more axes",
)
BLOCK_SIZE = _value(
    "SPY217",
    "sizes of blocks",
    "spy.blocks({extent!r}, {block!r}) needs an int >= 0 and an int > 0",
    "Blocks have a static size, so that every tile has one.",
    "spy.blocks(96, 0)",
    "give the extent and a block of at least 1, both Python ints: spy.blocks(x.shape[0], 32)",
)
INDEX_OPERATION = _type(
    "SPY218",
    "operation that traced integers do not have",
    "traced integers do not have {op}",
    "Traced integers place tiles: they are added, subtracted, multiplied, and divided by positive "
    "constants with // and %.",
    "x[spy.tile_id() / 2, :]",
    "use + - * with integers, and // and % by positive Python ints",
)

CARRIED = _type(
    "SPY219",
    "value that cannot be carried from one iteration to the next",
    "'{name}' enters an iteration of this spy.range loop as {before} and leaves it as {after}",
    "The body is traced once for all iterations, so what it leaves in a variable has the type and "
    "shape that it found there. Tensors and traced integers are carried, also in tuples, lists and "
    "dicts of fixed length.",
    "total = v\nfor i in spy.range(4): total = spy.cast(total + v, spy.f32)",
    "start it with the shape and type that it gets: spy.zeros(shape, dtype) or spy.full(…)",
)

CONDITION = _type(
    "SPY256",
    "not a condition",
    "{what} was given {got}",
    "A part of a kernel runs or does not run as a whole, so its condition is one truth value: a "
    "comparison of traced integers, or a tensor of one boolean.",
    "with spy.when(spy.load(x[0, :]) > 0): …",
    "choose element by element with spy.where, or reduce to one value first",
)
BRANCH_VARIABLE = _value(
    "SPY257",
    "Python variable changed inside a branch",
    "'{name}' changes from {before} to {after} in the body of this spy.when",
    "The body is always traced, whether or not the condition will hold, so Python code in it "
    "always runs.",
    "scale = 1.0\nwith spy.when(spy.tile_id() == 0): scale = 0.5",
    "give it a tensor: spy.full((), 1.0, spy.f32); tensors and integers may differ",
)

INTEGER = _type(
    "SPY258",
    "not one integer",
    "{what} was given {got}",
    "A position is one integer: an int, a traced integer, or an integer tensor of one element, "
    "which is then read out.",
    "x[spy.load(rows[0:4]), :]",
    "take one element: x[rows[i], :]; or gather rows: x[spy.ind(rows[0:4]), :]",
)

# --- values ---------------------------------------------------------------------------------------

SHAPES = _value(
    "SPY230",
    "shapes do not agree",
    "shapes {shapes} do not agree: axis {axis} has sizes {sizes}",
    "Element-wise operations pair the axes from the right; sizes must be equal, or 1.",
    "spy.load(x[0:4, :]) + spy.load(y[0:3, :])",
    "load tiles of one shape, or add an axis of size 1: v[:, None]",
)
MIXED_DTYPES = _type(
    "SPY231",
    "element types differ",
    "{op} was given {first} and {second}",
    "Types are never promoted silently, as that hides where precision is lost and bytes are spent.",
    "spy.load(x[:, :]) * spy.load(y[:, :])   # x holds f16 and y f32",
    "convert one of them: spy.cast(value, spy.f32)",
)
OPERAND_DTYPE = _type(
    "SPY232",
    "operation does not have this element type",
    "{op} is not defined for {dtype}",
    "The operation is for floats, for integers or for booleans only.",
    "spy.exp(spy.load(rows[:]))   # rows holds i32",
    "cast the operand first",
)
SCALAR_TYPE = _type(
    "SPY233",
    "number of another kind",
    "the number {value!r} cannot be a constant of type {dtype}",
    "A Python number takes the type of the tensor it meets, and must be of its kind.",
    "spy.load(rows[:]) * 0.5   # rows holds i32",
    "write a number of the tensor's kind, or cast the tensor",
)
SCALAR_RANGE = _value(
    "SPY234",
    "number out of range",
    "{value!r} does not fit {dtype}: it takes {low} to {high}",
    "The constant cannot be represented in the tensor's type.",
    "spy.where(mask, v, -1e9)   # v is f16",
    "use a number in that range or float('inf'), or cast the tensor to a wider type",
)
DIVISION_BY_ZERO = define(
    "SPY235",
    "division by zero",
    "division by a constant zero",
    cause="The divisor is the constant 0.",
    example="out[:, :] = x[:, :] / 0",
    fix="divide by another number",
    also=ZeroDivisionError,
)
OPERAND = _type(
    "SPY236",
    "operand of another kind",
    "{op} was given {got}",
    "Operands are loaded tensors, tiles and Python numbers.",
    "spy.maximum(spy.load(x[:, :]), np.zeros(64))",
    "load a tile, or pass a number",
)
TRACED_INT_OPERAND = _type(
    "SPY237",
    "traced integer as tensor operand",
    "{op} was given {what} and {dtype}",
    "A traced integer takes the type of the integer tensor that it meets; it does not become a "
    "float silently.",
    "spy.load(x[i, :]) * i   # i is a traced integer, x holds f16",
    "convert it: spy.cast(i, spy.f32)",
)
WRONG_CALL = _type(
    "SPY267",
    "a function of the language called with other parameters",
    "spy.{name} {problem}",
    "Functions of the language check their arguments as all Python functions do.",
    "spy.sum(x[:, :], dim=1)",
    "help(spy.sum) shows the parameters",
)
NO_DTYPE = _type(
    "SPY238",
    "no element type",
    "{op} was given numbers only, so there is no element type",
    "Python numbers take the type of the tensor they meet.",
    "spy.where(spy.load(x[:, :]) > 0, 1.0, 0.0)",
    "give one of them a type: spy.full((), 1.0, spy.f16)",
)
AXIS = _value(
    "SPY239",
    "axis out of range",
    "{op} was given axis {got}, and there are {rank} axes",
    "Axes count from 0, or from the end with negative numbers, and each is named once.",
    "spy.sum(x[:, :], axis=2)",
    "use an axis the value has",
)
STORE_SHAPE = _value(
    "SPY240",
    "stored value of another shape",
    "the tile of '{name}' has shape {want} and the value {got}",
    "A store writes every element of the tile once; only a single number is repeated.",
    "out[0:4, :] = spy.load(x[0, :])",
    "slice a tile of the value's shape, or use spy.broadcast_to",
)
STORE_DTYPE = _type(
    "SPY241",
    "stored value of another type",
    "'{name}' holds {want} and the value is {got}",
    "Values are not converted silently.",
    "out[:, :] = spy.load(y[:, :])   # out holds f16 and y f32",
    "convert it: spy.cast(value, spy.f16)",
)
STORE_TO_IN = _type(
    "SPY242",
    "store to an input",
    "'{name}' is an In parameter and cannot be stored to",
    "The signature says that the kernel only reads it.",
    "def k(x: spy.In, out: spy.Out):\n    x[0, :] = 0.0",
    "declare it spy.Out, or spy.InOut when it is read too",
)
LOAD_FROM_OUT = _type(
    "SPY243",
    "load from an output",
    "'{name}' is an Out parameter and was not stored to before this load",
    "An Out parameter has no defined contents before the kernel writes it.",
    "def k(x: spy.In, out: spy.Out):\n    out[:, :] += spy.load(x[:, :])",
    "declare it spy.InOut",
)
ELEMENT_TYPE = _type(
    "SPY244",
    "not an element type",
    "{dtype!s} is not an element type of the language",
    "Tensors hold f16, bf16, f32, i1, i8, i16, i32, i64 or index.",
    "spy.cast(v, 'f64')",
    "use one of the types of spyrelang.language, such as spy.f32",
)
SHAPE_ARGUMENT = _type(
    "SPY245",
    "not a shape",
    "a shape is a tuple of ints >= 0, not {got}",
    "Shapes are known when the kernel is compiled.",
    "spy.zeros((4, -1), spy.f16)",
    "pass Python ints",
)
SQUEEZE = _value(
    "SPY246",
    "axis of more than one element",
    "axis {axis} has {size} elements and cannot be removed",
    "Only axes of size 1 can be squeezed.",
    "spy.squeeze(spy.load(x[0:2, :]), 0)",
    "name an axis of size 1",
)
BROADCAST_TO = _value(
    "SPY247",
    "cannot be broadcast",
    "a value of shape {shape} cannot be broadcast to {wanted}",
    "Axes of size 1 and new axes on the left are repeated; all others must be equal.",
    "spy.broadcast_to(spy.load(x[:, 0]), (8, 64))",
    "add an axis first: spy.broadcast_to(v[:, None], (4, 64))",
)

RESHAPE = _value(
    "SPY295",
    "cannot be reshaped",
    "a value of shape {shape} cannot get the shape {wanted}",
    "A reshape keeps the number of elements; one size may be -1, which is then computed.",
    "spy.reshape(spy.load(x[0:4, 0:6]), (5, -1))",
    "choose sizes whose product is that of the value",
)
CONCAT = _value(
    "SPY296",
    "cannot be joined",
    "values of shapes {first} and {second} cannot be joined along axis {axis}",
    "Joined values are equal in number and size of all other axes.",
    "spy.concat([x[0:4, 0:32], x[0:4, 0:64]], axis=0)",
    "slice or broadcast one of them first",
)
EMPTY_REDUCTION = _value(
    "SPY248",
    "reduction of no elements",
    "{op} of a value of shape {shape} along axis {axis} has no elements",
    "The largest, the smallest and the mean of nothing are not defined.",
    "spy.max(spy.load(x[:, 0:0]), axis=1)",
    "pass initial=…, or reduce another axis",
)
CONTRACTION = _value(
    "SPY249",
    "shapes of a matrix product",
    "{op} of shapes {first} and {second}: {rule}",
    "Matrices are [M, K] and [K, N]: the last axis of the first is the last but one of the second.",
    "spy.dot(x[0:4, 0:8], y[0:4, 0:8])",
    "transpose an operand: spy.dot(a, spy.transpose(b))",
)
ACCUMULATOR = _type(
    "SPY255",
    "accumulator that does not fit",
    "the accumulator of {op} must have {want} and has {got}",
    "Products are added up in f32 (integers in i32 or i64), in the shape of the result.",
    "spy.dot(x[0:4, :], spy.transpose(y[0:4, :]), acc=spy.zeros((4, 4), spy.f16))",
    "start it with spy.zeros of the result's shape and cast it after the last product",
)

__all__ = [
    "ACCUMULATOR",
    "ASSERTED",
    "AXIS",
    "BLOCK_SIZE",
    "BOOL_ON_TRACED",
    "BRANCH_VARIABLE",
    "BROADCAST_TO",
    "CARRIED",
    "COMBINER",
    "CONCAT",
    "CONDITION",
    "CONTRACTION",
    "DIVISION_BY_ZERO",
    "DOUBLY_COVERED",
    "ELEMENT_TYPE",
    "EMPTY_REDUCTION",
    "ENDLESS",
    "ESCAPED_VALUE",
    "FLOAT_ON_TRACED",
    "FOREIGN_VALUE",
    "GENERIC",
    "GRID_AXIS",
    "INDEX_OPERATION",
    "INTEGER",
    "INTRINSIC",
    "INT_ON_TRACED",
    "ITER_TRACED",
    "LOAD_FROM_OUT",
    "LOOP_BOUND",
    "LOOP_LEFT",
    "LOOP_STEP",
    "LOOP_USE",
    "LOOP_VARIABLE",
    "MIXED_DTYPES",
    "NEGATIVE_INDEX",
    "NOT_A_TILE",
    "NOT_COVERED",
    "NOT_YET",
    "NO_DTYPE",
    "NUMPY_ON_TRACED",
    "OPERAND",
    "OPERAND_DTYPE",
    "OUTSIDE_KERNEL",
    "PARTS",
    "PLAIN_INTEGERS",
    "POINTS",
    "POSITIONS",
    "RANGE_ON_TRACED",
    "RESHAPE",
    "RETURNED",
    "SCALAR_RANGE",
    "SCALAR_TYPE",
    "SHAPES",
    "SHAPE_ARGUMENT",
    "SLICE_BACKWARDS",
    "SLICE_EXTENT",
    "SLICE_STEP",
    "SPACE",
    "SQUEEZE",
    "STORE_DTYPE",
    "STORE_SHAPE",
    "STORE_TO_IN",
    "SUBSCRIPT_COUNT",
    "SUBSCRIPT_TYPE",
    "TILE_PAST_VIEW",
    "TILE_SUBSCRIPT",
    "TRACED_INT_OPERAND",
    "UNUSED_OUT",
    "VIEW_AS_VALUE",
    "VIEW_BASE",
    "VIEW_BEYOND",
    "VIEW_DTYPE",
    "VIEW_SHAPE",
    "WRONG_CALL",
    "ErrorKind",
]
