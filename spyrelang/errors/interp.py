"""SPY553 to SPY579: what the KTIR interpreter finds."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.errors.core import Location, SpyreError, define

# --- reading the kernel --------------------------------------------------------------------------

UNSUPPORTED = define(
    "SPY553",
    "operation not interpreted",
    "{op} cannot be interpreted: {reason}",
    cause="The KTIR interpreter has no meaning for the op, or not in this form.",
    example="memref.alloc in a kernel",
    fix="write it with the ops of ktdp, arith, math, linalg, tensor, scf, affine and spyreop",
)
NO_SUCH_TILE = define(
    "SPY554",
    "scratchpad of a tile that is not there",
    "the view lies in the scratchpad of compute tile {tile}, and the grid has {tiles} tiles",
    cause="A view names a compute tile by ct_id, counted from 0, that the kernel's grid lacks.",
    example="memory_space = #ktdp.memory_space<ct_local, ct_id = 4> on a grid of [4]",
    fix="name a tile of the grid, or leave ct_id out for each tile's own scratchpad",
)
GRID = define(
    "SPY555",
    "grid missing or wrong",
    "the grid of '{kernel}' {reason}",
    cause="A kernel runs once for each compute tile; the attribute `grid` says how many there are, "
    "and get_compute_tile_id has one result for each of its dimensions.",
    example="func.func @add(%a: index) { … } without attributes {grid = [32]}",
    fix="give the function an attribute such as grid = [32]",
)


def ids_of_another_grid(
    place: Location | None, kernel: str, grid: Sequence[int], ids: int
) -> SpyreError:
    """SPY555 for tile ids that do not name the tiles of a grid."""
    reason = (
        f"is {list(grid)}, and {ids} tile id{'s do' if ids > 1 else ' does'} not name its tiles"
    )
    results = f"{len(grid)} result{'s' * (len(grid) > 1)}"
    hint = f"take {results}, one for each dimension of the grid"
    return GRID.error(place, kernel=kernel, reason=reason, hint=hint)


def subscripts_of_another_rank(
    place: Location | None, op: str, subscripts: int, rank: int
) -> SpyreError:
    """SPY558 for a tile whose subscripts are not those of its base."""
    reason = f"{subscripts} subscript{'s' * (subscripts != 1)} for a base of rank {rank}"
    hint = "write one subscript for each dimension of the base"
    return TILE_SHAPE.error(place, op=op, reason=reason, hint=hint)


CALL = define(
    "SPY556",
    "call cannot be followed",
    "'{callee}' cannot be called here: {reason}",
    cause="Calls are inlined: the callee must be a function of the module with a body of one "
    "block, and must not call itself.",
    example="a function that calls itself",
    fix="define the function in the module, without recursion",
)
BAD_TYPE = define(
    "SPY557",
    "type not interpreted",
    "{op} has type {type}, which the interpreter does not hold: {reason}",
    cause="Values are scalars and ranked tensors of the element types that have arithmetic here.",
    example="tensor<64x!spyreop.df16>",
    fix="use f16, bf16, f32, i32, index or another type with arithmetic",
)
TILE_SHAPE = define(
    "SPY558",
    "access tile does not fit",
    "{op}: {reason}",
    cause="The points of an access tile, its type and its base must agree.",
    example="a tile of type 4x64 whose set has 3x64 points",
    fix="make the set, the tile's type and the rank of the base agree",
)
VARYING = define(
    "SPY559",
    "tiles disagree on a shape",
    "{what} differs between compute tiles that exchange data",
    cause="Kernels with transfers between tiles run all tiles together, which needs one shape for "
    "each value.",
    example="a view whose size is the tile id, next to ktdp.inter_tile_produce",
    fix="make the size the same on every tile",
)

TOO_LARGE = define(
    "SPY594",
    "tensor larger than memory",
    "{op} makes a tensor of {shape} elements, {size} bytes; the limit is {limit}",
    cause="A tensor of a kernel is larger than this machine's memory, or than "
    "SPYRELANG_MEMORY_LIMIT allows.",
    example="tensor.empty() : tensor<1000000000000xf32>",
    fix="work on smaller tiles, or raise SPYRELANG_MEMORY_LIMIT",
    also=MemoryError,
)
TOO_LONG = define(
    "SPY595",
    "too many loop trips",
    "the loops of the kernel make more than {limit} trips",
    cause="Each trip takes some microseconds, so a run like this would not end in reasonable time; "
    "an scf.while may never end at all.",
    example="scf.for %i = %c0 to %n step %c1 where %n is 1000000000000",
    fix="check the bounds of the loop, or raise SPYRELANG_TRIP_LIMIT",
)
NO_ROOM = define(
    "SPY596",
    "out of memory",
    "kernel '{kernel}' needs more memory than there is: {detail}",
    cause="The system refused memory that the values of the kernel need.",
    example="many large tensors that are alive at the same time",
    fix="work on smaller tiles, or on fewer at a time",
    also=MemoryError,
)

FAR = define(
    "SPY599",
    "view larger than any memory",
    "the view reaches {reach} elements far; addresses have {bits} bits",
    cause="Sizes and strides of a view say how far it reaches, and no memory is that large.",
    example="a view of sizes: [2, 64], strides: [9223372036854775807, 1]",
    fix="correct the sizes and the strides",
)

# --- running it ----------------------------------------------------------------------------------

TILE_BOUNDS = define(
    "SPY560",
    "access outside its view",
    "{who} touches coordinates {first} to {last} of dimension {dim} of a view of size {size}",
    cause="An access tile reaches past the sizes its memory view declares.",
    example="tiles of 4 rows over 10 rows, without a shorter last tile",
    fix="correct the tile's origin or extent, or the sizes of the view",
)
MEMORY_BOUNDS = define(
    "SPY561",
    "access outside its memory",
    "compute tile {tile} touches elements {first} to {last} of {memory}, which has {size}",
    cause="A view reaches past the end of the array it lies in.",
    example="a view of 8x128 over an array of 4x128",
    fix="check the address, the sizes and the strides of the view against the array",
)
NO_MEMORY = define(
    "SPY562",
    "no memory at this address",
    "element {address} of {dtype} is in no array; there are {known}",
    cause="A view starts at an address that no argument and no array of memory= covers.",
    example="a constant address of 524288 without memory={524288: b}",
    fix="bind an array there, or correct the address",
)
VIEW_TYPE = define(
    "SPY563",
    "view of another element type",
    "the view has elements of {view}, {memory} holds {array}",
    cause="Elements are never reinterpreted silently.",
    example="a memref<64xf16> over an array of float32",
    fix="pass an array of the view's element type",
    also=TypeError,
)
EMPTY_READ = define(
    "SPY564",
    "undefined tensor read",
    "{op} reads elements of a tensor that nothing wrote",
    cause="tensor.empty has no contents, and what tiles send has none where it is not received; "
    "what is computed from either means nothing.",
    example="ktdp.store %s, %t on a tile that is no consumer of the inter-tile reduction %s",
    fix="fill the tensor first, for example with linalg.fill; use what tiles send only on its "
    "consumers",
)
UNWRITTEN_READ = define(
    "SPY565",
    "memory read before it is written",
    "compute tile {tile} reads element {index} of {memory}, which nothing has written",
    cause="The contents of an output or of a scratchpad are undefined until they are stored.",
    example="loading from an argument whose role is out",
    fix="store before the load; an argument that holds data already must be declared inout",
)
WRITE_RACE = define(
    "SPY566",
    "two compute tiles write one element",
    "element {index} of {memory} is written by compute tiles {first} and {second}",
    cause="Compute tiles are not ordered against each other, so either value may stay. Where both "
    "write the same value this is only a warning.",
    example="all 32 tiles store to x[0, :]",
    fix="give each tile elements of its own, or combine them with an inter-tile reduction",
)
READ_RACE = define(
    "SPY567",
    "a tile reads what another writes",
    "element {index} of {memory} is read by compute tile {reader} and written by compute tile "
    "{writer}",
    cause="Compute tiles are not ordered against each other, so the old or the new value may be "
    "read. It is an error where a value that was read is changed afterwards, and a warning where "
    "what was read had been written before.",
    example="a tile that reads its neighbour's rows of an array updated in place",
    fix="write to another array, or exchange the data with inter-tile transfers",
)
LOOP_STEP = define(
    "SPY568",
    "loop step below one",
    "the step of scf.for is {step} on compute tile {tile}",
    cause="scf.for counts upwards; its step is at least one.",
    example="scf.for %i = %c0 to %n step %c0",
    fix="use a positive step",
)
EMPTY_ACCUMULATOR = define(
    "SPY569",
    "reduction starts from an undefined tensor",
    "{op} accumulates into a tensor.empty; it is taken as {neutral}, the neutral element of "
    "{combiner}",
    cause="The initial value of a reduction is its destination, and tensor.empty has no contents. "
    "Frontends that leave the initial value out mean the neutral element.",
    example="linalg.reduce ins(%x) outs(%e) where %e is a tensor.empty",
    fix="fill the destination with the neutral element",
)
STRUCTURED = define(
    "SPY570",
    "linalg op cannot be computed",
    "{op}: {reason}",
    cause="The iterators, maps and shapes of the op must define each element of its results once.",
    example="a parallel dimension that does not occur in the map of the result",
    fix="make the maps of results permutations of the parallel dimensions",
)
RANGE = define(
    "SPY571",
    "index outside a tensor",
    "{op} asks for {what}, {limit} (compute tile {tile})",
    cause="A tensor is read or written at an index, or sliced, past its end.",
    example="tensor.extract_slice %x[60] [8] [1] of a tensor<64xf16>",
    fix="correct the index or the size",
)
INDIRECT = define(
    "SPY572",
    "indirect index out of range",
    "compute tile {tile} reads index {index} for dimension {dim} of a view of size {size}",
    cause="A value read from an index view is no coordinate of the base.",
    example="row 5000 of a table with 4096 rows",
    fix="check the contents of the index array",
)
HOLE = define(
    "SPY573",
    "coordinate in no partition",
    "coordinate {coordinate} of the distributed view is in none of its partitions",
    cause="The coordinate sets of the views that make up a distributed view do not cover the tile.",
    example="two halves with coordinate sets 0..31 and 40..63",
    fix="let the coordinate sets of the views cover the whole tensor",
)
INTER_TILE = define(
    "SPY574",
    "transfer between tiles does not pair up",
    "{op}: {reason}",
    cause="Each consumer belongs to one group and takes from producers of that group.",
    example="two producers in a group and no dependency set",
    fix="correct the producer, consumer and dependency sets",
)
UNWRITTEN_OUTPUT = define(
    "SPY575",
    "output not fully written",
    "{count} of {total} elements of output '{name}' were never written, the first is {index}",
    cause="The kernel's stores do not cover the array.",
    example="a grid of 32 tiles of 4 rows for 130 rows",
    fix="let the tiles cover the whole output",
)
SEVERAL_ARRAYS = define(
    "SPY576",
    "one view over several arrays",
    "the view lies in {first} on one compute tile and in {second} on another",
    cause="The start address of a view depends on the tile and leads to different arrays.",
    example="an address chosen by arith.select on the tile id",
    fix="make a view for each array and choose between the loaded tiles",
)
SHAPES_DIFFER = define(
    "SPY577",
    "shapes differ",
    "{op}: shape {got} does not fit {want}",
    cause="A size that is only known at run time does not fit where it is used.",
    example="adding a tensor<?xf16> of 8 elements to one of 9",
    fix="make the sizes agree",
)
SCRATCHPAD = define(
    "SPY578",
    "outside the scratchpad",
    "bytes {first} to {last} are outside the scratchpad of {size} bytes of {whose}",
    cause="A view in ct_local memory reaches past the scratchpad.",
    example="a ct_local view of 4 MiB",
    fix="use smaller tiles, or an address further down",
)
ASSERTION = define(
    "SPY579",
    "assertion failed",
    "compute tile {tile}: {message}",
    cause="A condition that the kernel asserts does not hold.",
    example='cf.assert %in_range, "more rows than the table has"',
    fix="look at what the condition is computed from",
)
