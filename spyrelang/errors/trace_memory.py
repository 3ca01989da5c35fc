"""SPY22x, SPY25x and SPY29x: views, tiles, and what is found about stores."""

from __future__ import annotations

from spyrelang.errors.core import ErrorKind, define


def _type(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=TypeError)


def _value(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=ValueError)


def _index(code: str, title: str, template: str, cause: str, example: str, fix: str) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=IndexError)


# --- tiles ----------------------------------------------------------------------------------------

SUBSCRIPT_COUNT = _index(
    "SPY220",
    "wrong number of subscripts",
    "'{name}' takes one subscript per axis, {rank} in all, and was given {given}",
    "There are more subscripts than axes, or `...` stands twice. Axes at the end without a "
    "subscript are whole; where a function gives the subscripts, there is one for each axis.",
    "out[0, :] = x[0, :, 0]",
    "write at most one subscript per axis; `:` takes a whole axis",
)
NEGATIVE_INDEX = _index(
    "SPY221",
    "negative subscript",
    "subscript {value} of axis {axis} of '{name}' is negative",
    "Positions count from the start of the view; traced positions cannot wrap around, so constant "
    "ones do not either.",
    "x[-1, :]",
    "count from the start",
)
SLICE_STEP = _index(
    "SPY222",
    "slice with a step",
    "the slice of axis {axis} of '{name}' has a step",
    "Tiles are boxes of neighbouring elements.",
    "x[::2, :]",
    "make a view with strides by spy.memory_view, and slice that",
)
SLICE_EXTENT = _index(
    "SPY223",
    "slice of unknown extent",
    "the extent of the slice of axis {axis} of '{name}' differs between tiles or iterations",
    "The size of a tile is known when the kernel is compiled: stop - start must be a constant, "
    "wherever the slice begins.",
    "x[0:spy.tile_id(), :]",
    "slice from a traced start for a constant length: x[start:start + 4, :]",
)
TILE_PAST_VIEW = _index(
    "SPY224",
    "tile past its view",
    "the tile takes {covered} of axis {axis} of '{name}', which has size {size}{when}",
    "Some tile or iteration reads or writes outside the tensor.",
    "row = spy.tile_id() * 4   # on 3 tiles\n"
    "out[row : row + 4, :] = x[row : row + 4, :]   # x has 8 rows",
    "change the grid, the loop bounds or the block size; spy.blocks handles the rest of a division",
)
SUBSCRIPT_TYPE = _index(
    "SPY225",
    "not a subscript",
    "axis {axis} of '{name}' cannot be subscripted with {got}",
    "Subscripts are integers, traced integers, slices of them, None and `...`.",
    "x[x.shape[0] / 2, :]",
    "use an integer or a slice",
)
SLICE_BACKWARDS = _index(
    "SPY226",
    "slice ends before it starts",
    "the slice of axis {axis} of '{name}' has extent {extent}",
    "The stop of a slice lies before its start.",
    "x[8:4, :]",
    "swap start and stop",
)
VIEW_AS_VALUE = _type(
    "SPY227",
    "view used as a value",
    "'{name}' is a tensor in memory and cannot be used in {op}",
    "A view names memory; its elements have to be loaded to compute with them, and how many is the "
    "author's decision.",
    "out[:, :] = x + y",
    "load what you need, for example spy.load(x[:, :])",
)
TILE_SUBSCRIPT = _type(
    "SPY228",
    "subscript of a tile",
    "a tile of '{name}' cannot be subscripted again",
    "A tile is the result of subscripting a view.",
    "x[0:4, :][0, :]",
    "subscript the view once with the final position",
)
NOT_A_TILE = _type(
    "SPY229",
    "not a tile",
    "{what} takes a tile and was given {got}",
    "Loads and stores work on tiles, which are made by subscripting a view.",
    "spy.load(spy.load(x[0, :]))",
    "subscript a tensor parameter: spy.load(x[0, :])",
)

# --- views ----------------------------------------------------------------------------------------

VIEW_SHAPE = _value(
    "SPY250",
    "memory view",
    "the {what} of a memory view cannot be {got}",
    "Sizes and strides are sequences of Python ints, one for each axis.",
    "spy.memory_view(x, (4, 64), strides=(64,))",
    "give one int per axis",
)
VIEW_BEYOND = _index(
    "SPY251",
    "view past its tensor",
    "the view touches elements {low} to {high} of '{name}', whose last is {limit}",
    "A view of a tensor parameter stays inside the tensor.",
    "spy.memory_view(x, (8, 64), strides=(128, 1))   # x has shape (8, 64)",
    "give smaller sizes, strides or offset",
)
SPACE = _type(
    "SPY252",
    "not a memory space",
    "{got} is not a memory space for this view",
    "Views are in spy.GLOBAL or in a scratchpad: spy.local(), spy.local(3). A view of a tensor "
    "stays in the tensor's space.",
    'spy.memory_view(0, (64,), space="LX", dtype=spy.f16)',
    "use spy.GLOBAL or spy.local()",
)
VIEW_DTYPE = _type(
    "SPY253",
    "view without element type",
    "the view has no element type",
    "An address alone does not say what lies there.",
    "spy.memory_view(0, (64,), space=spy.local())",
    "pass dtype=spy.f16, or declare the parameter spy.Ptr[spy.f16]",
)
VIEW_BASE = _type(
    "SPY254",
    "not a base of a view",
    "a view cannot start at {got}",
    "A view starts at a Ptr parameter, a tensor parameter or a constant address.",
    "spy.memory_view(x[4:8, :], (4, 64))",
    "pass a parameter of the kernel, or an address >= 0",
)

POINTS = _type(
    "SPY259",
    "not a set of points",
    "{what} cannot be {got}: there are {rank} axes",
    "Points are given by an affine set of one dim per axis, without symbols, or its text; "
    "coordinates also by slices, one per axis.",
    'spy.access_tile(x, (0, 0), (4, 4), set="triangle")',
    'write set="(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)"',
)
PARTS = _value(
    "SPY293",
    "parts of a distributed view",
    "this distributed view cannot be made: {problem}",
    "Its parts are views of one type and rank, each of which says which coordinates of the whole "
    "it holds.",
    "spy.distributed_view([left, right])",
    "make the parts with memory_view(…, coords=(slice(0, 32), slice(0, 64))), or pass axis=0 to "
    "put them one after the other",
)
POSITIONS = _value(
    "SPY294",
    "tiles of positions of different shapes",
    "the positions in the subscripts of '{name}' have shapes {first} and {second}",
    "Positions in several subscripts go together element by element.",
    "x[spy.ind(rows[0:4]), spy.ind(columns[0:8])]",
    "use tiles of one shape, or spy.indirect_tile for every combination",
)

COMBINER = _value(
    "SPY297",
    "combination of tiles that does not exist",
    "{what} was given {got}; {rule}",
    "Values of several compute tiles are combined by sum, max, min or prod; one tile of each "
    "group, counted from 0 in the group, may be the only one to get the result.",
    'spy.all_reduce(v, op="mean")',
    'write op="sum", "max", "min" or "prod", and a root below the size of the group',
)
GENERIC = _value(
    "SPY299",
    "spy.generic that does not fit together",
    "this spy.generic cannot be made: {problem}",
    "Each operand has a map from the loops to its axes, all maps have the same loops, and the body "
    "gives one element for each result.",
    'spy.generic(lambda x: x, (a,), "mn,k->m")',
    'write it like spy.generic(lambda x, y, acc: acc + x * y, (a, b), "mk,kn->mn", init)',
)
INTRINSIC = _value(
    "SPY298",
    "no such intrinsic",
    "{name!r} is not the name of an element-wise intrinsic with operands",
    "Intrinsics are the ops of the dialect spyreop that compute on elements.",
    'spy.intrinsic("exp", v)',
    'write the full name: spy.intrinsic("spyreop.exp", v)',
)

# --- findings -------------------------------------------------------------------------------------

UNUSED_OUT = _value(
    "SPY290",
    "output never stored",
    "'{name}' is an {role} parameter and the kernel never stores to it",
    "An output that is not written keeps whatever was in the array.",
    "def k(x: spy.In, out: spy.Out):\n    spy.load(x[:, :])",
    "store to it, or take the parameter out",
)
NOT_COVERED = _value(
    "SPY291",
    "elements never written",
    "{count} of {total} elements of '{name}' are never written: {where}",
    "The tiles of all cores and iterations together do not cover the output.",
    "row = spy.tile_id() * 2   # on 3 tiles\n"
    "out[row : row + 2, :] = x[row : row + 2, :]   # out has 8 rows",
    "change the grid or the loop bounds; spy.blocks handles the rest of a division",
)
DOUBLY_COVERED = _value(
    "SPY292",
    "elements written by several compute tiles",
    "{count} of {total} elements of '{name}' are written by more than one compute tile: {where}",
    "Compute tiles run at the same time, so which write comes last is not defined.",
    "@spyre.kernel(grid=2)\ndef k(x: spy.In, out: spy.Out):\n    out[:, :] = x[:, :]",
    "place the stores by spy.tile_id(), or use grid=1",
)
