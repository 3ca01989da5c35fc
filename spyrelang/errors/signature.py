"""SPY26x to SPY28x: signatures of kernels, the arguments they are called with, and grids."""

from __future__ import annotations

from spyrelang.errors.core import ErrorKind, define


def _type(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=TypeError)


def _value(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=ValueError)


# --- declarations ---------------------------------------------------------------------------------

ANNOTATION = _type(
    "SPY260",
    "unknown annotation",
    "parameter '{name}' of '{kernel}' is annotated {got}, which says nothing to a kernel",
    "Parameters of a kernel are declared as spy.In, spy.Out, spy.InOut, spy.Ptr, spy.Const or "
    "spy.Dim.",
    "def k(x: spy.In, factor: float): …",
    "write spy.In[…], spy.Out[…] or spy.InOut[…] for a tensor, spy.Const for a number",
)
UNANNOTATED = _type(
    "SPY261",
    "parameter without annotation",
    "parameter '{name}' of '{kernel}' has no annotation",
    "The annotation says whether the kernel reads or writes a tensor, or that a parameter is a "
    "constant.",
    "def k(x, out): …",
    "write x: spy.In (or spy.Out, spy.InOut, spy.Const)",
)
PARAMETER_KIND = _type(
    "SPY262",
    "parameter list of variable length",
    "'{kernel}' has the parameter '{name}'; kernels have a fixed list of parameters",
    "Every parameter becomes one argument of the compiled kernel.",
    "def k(*tensors): …",
    "name every parameter",
)
BAD_DIM = _type(
    "SPY263",
    "not a size",
    "{got} is not a size of an annotation",
    "Sizes are ints >= 0, names (strings, or made by spy.dims), spy.Dim and `...`; the element "
    "type comes last.",
    "def k(x: spy.In[M, N], out: spy.Out[M, N / 2]): …",
    "write spy.In[M, 64, spy.f16] with M, N = spy.dims('M N')",
)
COMPUTE_SIZES = "compute with sizes inside the kernel, where they are ints: N // 2"
DEFAULT = _type(
    "SPY264",
    "default value of a tensor",
    "parameter '{name}' of '{kernel}' is a tensor and has a default value",
    "A default array would be shared by all calls.",
    "def k(x: spy.In, out: spy.Out, bias: spy.In = np.zeros(64)): …",
    "pass the tensor in each call; defaults are for spy.Const",
)
KERNEL_NAME = _value(
    "SPY265",
    "not a kernel name",
    "{name!r} cannot be the name of a kernel",
    "The name becomes a symbol of the program: letters, digits and underscores, at most 100.",
    '@spyre.kernel(name="my kernel")',
    "use a name like my_kernel",
)
NOT_A_FUNCTION = _type(
    "SPY266",
    "not a Python function",
    "{got} is not a Python function, so it cannot be a kernel",
    "A kernel is traced by calling its Python function.",
    "spyre.kernel(32)",
    "decorate a function written with def or lambda",
)

# --- arguments ------------------------------------------------------------------------------------

MISSING_ARGUMENT = _type(
    "SPY270",
    "argument missing",
    "'{kernel}' needs '{name}' ({declared}), which was not given",
    "Every parameter without a default needs a value.",
    "add(x, y)   # def add(x: spy.In, y: spy.In, out: spy.Out)",
    "pass it by position or by name",
)
UNKNOWN_ARGUMENT = _type(
    "SPY271",
    "no parameter of that name",
    "'{kernel}' has no parameter '{name}'; it has {known}",
    "A keyword names no parameter of the kernel.",
    "add(x, y, ouput=out)",
    "use one of the parameters' names",
)
TOO_MANY_ARGUMENTS = _type(
    "SPY272",
    "too many arguments",
    "'{kernel}' takes {expected} arguments ({known}) and was given {given}",
    "There are more positional arguments than parameters.",
    "add(x, y, out, 1.0)",
    "drop what the kernel does not take",
)
ARGUMENT_TWICE = _type(
    "SPY273",
    "argument given twice",
    "'{name}' of '{kernel}' was given by position and by name",
    "The same parameter got two values.",
    "add(x, y, x=y)",
    "pass it once",
)
NOT_A_TENSOR = _type(
    "SPY274",
    "argument is not a tensor",
    "'{name}' of '{kernel}' is a tensor parameter and was given {got}",
    "Tensors are numpy arrays, torch CPU tensors, device tensors and specs.",
    "add([1.0, 2.0], y, out)",
    "pass an array, for example np.asarray(values, np.float16)",
)
ARGUMENT_DTYPE = _type(
    "SPY275",
    "argument of another element type",
    "'{name}' of '{kernel}' holds {want} and was given {got}",
    "The annotation fixes the element type, and arrays are not converted silently.",
    "double(np.ones((3, 64), np.float32), out)   # def double(x: spy.In[M, N, spy.f16], …)",
    "convert the array: x.astype(…)",
)
ARGUMENT_RANK = _value(
    "SPY276",
    "argument of another rank",
    "'{name}' of '{kernel}' has {want} axes ({dims}) and was given shape {got}",
    "The annotation fixes the number of axes.",
    "k(np.ones(64, np.float16), out)   # def k(x: spy.In[M, N], out: spy.Out)",
    "reshape the array, or change the annotation",
)
ARGUMENT_SIZE = _value(
    "SPY277",
    "argument of another size",
    "axis {axis} of '{name}' of '{kernel}' is declared {want} and has {got}",
    "The annotation fixes the size.",
    "double(np.ones((4, 32), np.float16), out)   # def double(x: spy.In[M, 64], …)",
    "pass an array of that size, or declare the size by name",
)
DIM_CONFLICT = _value(
    "SPY278",
    "one size, two values",
    "size {dim} of '{kernel}' is {first} in '{first_name}' {first_shape} and {second} in "
    "'{second_name}' {second_shape}",
    "A named size is the same in all parameters that use it.",
    "add(x[0:3], x[0:4], out)   # def add(x: spy.In[M, N], y: spy.In[M, N], …)",
    "pass arrays whose sizes agree, or use two names",
)
DIM_VALUE = _value(
    "SPY279",
    "size not admitted",
    "size {dim} of '{kernel}' is {value}: it must be {rule}",
    "The declaration spy.Dim limits the size.",
    'k(x, 100, out)   # def k(x: spy.In, n: spy.Dim("K", granularity=64), out: spy.Out)',
    "pass an admitted size",
)
UNHASHABLE = _type(
    "SPY280",
    "constant that can change",
    "constant '{name}' of '{kernel}' is a {got}, which can change after the call",
    "Compiled kernels are kept by the values of their constants, so these must be immutable.",
    "k(x, out, sizes=[1, 2])   # def k(x: spy.In, out: spy.Out, sizes: spy.Const)",
    "pass a tuple instead of a list, a number, a string or a function",
)
STRIDES = _value(
    "SPY281",
    "strides that cannot be used",
    "'{name}' of '{kernel}' has strides {strides} {reason}",
    "The device steps in whole elements, and every element of an output has a place of its own.",
    "k(x, np.broadcast_to(x[0], (8, 64)))   # def k(x: spy.In, out: spy.Out)",
    "pass a copy: x.copy()",
)
NOT_A_CONSTANT = _type(
    "SPY282",
    "tensor given for a constant",
    "'{name}' of '{kernel}' is a constant and was given {got}",
    "Constants are compiled into the kernel; arrays are parameters declared spy.In.",
    "k(x, out, scale=np.ones(64))   # def k(x: spy.In, out: spy.Out, scale: spy.Const)",
    "declare the parameter spy.In, or pass a Python value",
)
ARGUMENT_TYPE = _type(
    "SPY283",
    "element type that cannot be used",
    "'{name}' of '{kernel}' cannot be bound: {reason}",
    "Kernels compute with f16, bf16, f32, i1, i8, i16, i32, i64 and index.",
    "k(np.ones((3, 64), np.complex64), out)   # def k(x: spy.In, out: spy.Out)",
    "convert the array: x.astype(np.float32)",
)
NOT_AN_ADDRESS = _type(
    "SPY285",
    "argument is not an address",
    "'{name}' of '{kernel}' is an address and was given {got}",
    "Addresses are brought by arrays and device tensors, or are ints >= 0.",
    "k('x', out)   # def k(p: spy.Ptr[spy.f16], out: spy.Out)",
    "pass an array or a device tensor",
)
NESTED_KERNEL = _type(
    "SPY286",
    "kernel called inside a kernel",
    "'{kernel}' is a kernel and was called while another kernel is traced",
    "A kernel is launched from outside. What kernels share is written as plain functions, which "
    "are traced with the kernel that calls them.",
    "def k(x: spy.In, out: spy.Out):\n    add(x, x, out)   # add is a @spyre.kernel",
    "take the decorator off and call the plain function",
)
SPEC = _value(
    "SPY284",
    "not a tensor specification",
    "a tensor cannot have {what} {got!r}",
    "Shapes are ints >= 0, strides one int per axis, both counting elements.",
    "spyre.spec((4, -1), 'f16')",
    "give a tuple of ints >= 0 and one of the element types",
)

# --- grids ----------------------------------------------------------------------------------------

GRID = _value(
    "SPY287",
    "not a grid",
    "the grid of '{kernel}' is {got!r}; a grid is a positive int or a tuple of one to three",
    "The grid says how many compute tiles run the kernel.",
    "@spyre.kernel(grid=0)",
    "write grid=32 or grid=(4, 8)",
)
GRID_FUNCTION = _value(
    "SPY288",
    "grid function failed",
    "the grid function of '{kernel}' {problem}",
    "A callable grid gets the specs of the tensors, the constants and the named sizes by parameter "
    "name and returns the grid.",
    "@spyre.kernel(grid=lambda a: a.shape[0])\ndef k(x: spy.In, out: spy.Out): …",
    "name its parameters like the kernel's: lambda x: x.shape[0] // 4",
)

NO_ATTRIBUTE = define(
    "SPY289",
    "a traced value has no such attribute",
    "{what} has no attribute '{name}'",
    cause="Values of a kernel are no arrays: what arrays have as methods, spy has as functions.",
    example="spy.load(x[:, :]).astype(spy.f32)",
    fix="look for a function of that meaning in spyrelang.language",
    also=AttributeError,
)
