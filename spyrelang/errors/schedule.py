"""Errors of the scheduler: what a kernel says that cannot be scheduled, and what does not fit."""

from __future__ import annotations

from spyrelang.errors.core import define

# --- constructs that cannot be scheduled ---------------------------------------------------------

OPERATION = define(
    "SPY400",
    "operation cannot be scheduled",
    "`{op}` cannot be scheduled",
    cause="The kernel uses an operation that no step of the scheduler knows how to place.",
    example="%s = linalg.softmax dimension(1) ins(%x : …) outs(%e : …)",
    fix='run the kernel with engine="ktir", or write it with element-wise operations, loads and '
    "stores",
)
REDUCTION = define(
    "SPY401",
    "reduction cannot be scheduled",
    "`{op}` reduces over a dimension, which cannot be scheduled yet",
    cause="A tensor is combined along one of its dimensions.",
    example="%s = linalg.reduce { arith.addf } ins(%x : …) outs(%i : …) dimensions = [1]",
    fix='run the kernel with engine="ktir", or keep the computation element-wise',
)
CONTRACTION = define(
    "SPY402",
    "matrix product cannot be scheduled",
    "`{op}` multiplies matrices, which cannot be scheduled yet",
    cause="The kernel contracts two tensors.",
    example="%c = linalg.matmul ins(%a, %b : …) outs(%i : …)",
    fix='run the kernel with engine="ktir", or keep the computation element-wise',
)
CARRIED = define(
    "SPY403",
    "loop with carried values cannot be scheduled",
    "this loop carries values from one iteration to the next ({count} of them), which cannot be "
    "scheduled yet",
    cause="An `scf.for` has iter_args.",
    example="%r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64xf16>) { … }",
    fix='run the kernel with engine="ktir", or store the value in each iteration and load it again '
    "in the next one",
)
CONTROL = define(
    "SPY404",
    "control flow cannot be scheduled",
    "`{op}` cannot be scheduled: only `scf.for` with known bounds is",
    cause="The kernel branches, or loops in a way whose iterations are not known.",
    example="scf.if %cond { … }",
    fix='run the kernel with engine="ktir", or write it with loops over bounds that depend on '
    "the tile id only",
)
GATHER = define(
    "SPY405",
    "indirect access cannot be scheduled",
    "`{op}` reads its coordinates from memory, which cannot be scheduled yet",
    cause="A tile is addressed through an index tensor.",
    example="%t = ktdp.construct_indirect_access_tile … %x[ind(%ix[%m])] …",
    fix='run the kernel with engine="ktir", or access the tensor directly',
)
DISTRIBUTED = define(
    "SPY406",
    "distributed view cannot be scheduled",
    "`{op}` joins several views, which cannot be scheduled yet",
    cause="A view is made of views in several memories.",
    example="%d = ktdp.construct_distributed_memory_view(%a, %b : …) : memref<64x64xf16>",
    fix='run the kernel with engine="ktir", or access each of the views on its own',
)
DYNAMIC = define(
    "SPY407",
    "size is not known",
    "{what} is only known when the kernel runs; it must be a number here",
    cause="A view, tile, tensor, stride or loop step has a size that is a run-time value.",
    example="%v = ktdp.construct_memory_view %a, sizes: [%n], strides: [1] … : memref<?xf16>",
    fix="give the size as a number; compile the kernel once for each size",
)
NON_AFFINE = define(
    "SPY408",
    "index is not affine",
    "`{op}` makes an index that is not an affine function of tile ids and loop variables",
    cause="Addresses must be sums of tile ids and loop variables times numbers, or their quotient "
    "and remainder by a positive number.",
    example="%r = arith.muli %i, %j : index",
    fix="compute the index with +, -, and *, // and % by a positive number only",
)
TILE_SET = define(
    "SPY409",
    "access tile is not a box",
    "the access tile's set {found} is not the box that its type says, {expected}",
    cause="The points of an access tile must be all points 0 <= di < extent.",
    example="access_tile_set = affine_set<(d0, d1) : (d0 - d1 >= 0, …)>",
    fix="use the full box as the set and compute on what is needed of it",
)
TILE_ORDER = define(
    "SPY410",
    "access tile reorders its dimensions",
    "the access tile enumerates its points by {found}; only the identity can be scheduled",
    cause="The access_tile_order is not the identity map.",
    example="access_tile_order = affine_map<(d0, d1) -> (d1, d0)>",
    fix="load with the identity order and transpose the tensor (`linalg.transpose`)",
)
INDEXING = define(
    "SPY411",
    "operand is not indexed by distinct dimensions",
    "the indexing map {map} of `{op}` is not made of distinct dimensions and constants",
    cause="An element-wise operation reads or writes an operand along a diagonal, a stride or a "
    "sum of dimensions, or writes only a part of its result.",
    example="indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>]",
    fix="use maps whose results are distinct dimensions or 0",
)
BODY = define(
    "SPY412",
    "computation is not element-wise",
    "`{op}` cannot be computed element by element: {reason}",
    cause="The body of an element-wise operation needs more than the elements at one point.",
    example="%i = linalg.index 0 : index",
    fix="use arith, math and spyreop operations on the elements only",
)
UNINITIALISED = define(
    "SPY413",
    "value was never written",
    "`{op}` makes a tensor without contents, and its contents are used",
    cause="The elements of `tensor.empty` are read.",
    example="%e = tensor.empty() : tensor<64xf16>\n    ktdp.store %e, %t : …",
    fix="fill the tensor (`linalg.fill`) or give the value to be computed on",
)
DENSE = define(
    "SPY414",
    "constant tensor with differing elements",
    "this constant tensor has differing elements; only one repeated value can be scheduled",
    cause="The elements would need memory of their own.",
    example="%c = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>",
    fix="pass the values as an argument of the kernel",
)
VIEW_BASE = define(
    "SPY415",
    "view starts at a computed address",
    "the view starts at neither an argument nor a constant, but at `{op}`",
    cause="The start address of a memory view must be an argument as it is, or a number.",
    example="%p = arith.addi %a, %c64 : index\n    %v = ktdp.construct_memory_view %p, …",
    fix="make a view of the whole argument and put the displacement into the access tile",
)
SCALAR_ARGUMENT = define(
    "SPY416",
    "argument is used as a number",
    "argument {name} is used as a number in index arithmetic, which cannot be scheduled yet",
    cause="A tile or loop depends on the value of an argument of the kernel.",
    example="%t = ktdp.construct_access_tile %v[%n] … // %n is an argument",
    fix='run the kernel with engine="ktir", or compile it once for each value (`spy.Const`)',
)
IN_PLACE = define(
    "SPY418",
    "in-place access cannot be ordered",
    "'{name}' is read and written at different places in one step, and {reason}",
    cause="A kernel stores into the tensor it loads from, shifted, reversed or transposed. The "
    "whole tile can be loaded first, but not what other cores load or what is in scratchpad.",
    example="x[0:64] = x[1:65] on every core",
    fix="write the result to another tensor",
)
OVERWRITTEN = define(
    "SPY419",
    "value is overwritten before its last use",
    "the value loaded here is overwritten by a later store before all of its uses are computed",
    cause="Loads are moved next to the stores that need them. Another store of the kernel changes "
    "the loaded elements in between.",
    example="v = load(x); store(x, v + 1); store(y, v * 2 + load(x))",
    fix="store the results that need the old value first, or write to another tensor",
)
MEMORY_SPACE = define(
    "SPY420",
    "memory space is unknown",
    "the device has no memory for the space {space}",
    cause="A view lives in a memory space that the device description does not map.",
    example="memory_space = #ktdp.memory_space<unspecified>",
    fix="use global or ct_local, or map the space in the device description",
)
LOCAL_ARGUMENT = define(
    "SPY421",
    "scratchpad view starts at an argument",
    "the scratchpad view '{name}' starts at an argument; its address must be a number",
    cause="Scratchpad is assigned when the kernel is compiled, so pinned views need constant "
    "addresses.",
    example="%v = ktdp.construct_memory_view %a, … {memory_space = #ktdp.memory_space<ct_local>}",
    fix="give the start address as a constant",
)
REMOTE = define(
    "SPY422",
    "scratchpad of another core",
    "'{name}' lies in the scratchpad of core {core}, which the other cores cannot access directly",
    cause="A view names the scratchpad of one core (`ct_id`), and the kernel runs on several.",
    example="memory_space = #ktdp.memory_space<ct_local, ct_id = 3>",
    fix="leave `ct_id` out (each core's own scratchpad), or pass the data through global memory",
)
RESHAPE = define(
    "SPY423",
    "reshape mixes dimensions",
    "`{op}` merges or splits dimensions that are longer than 1, which cannot be scheduled yet",
    cause="Only dimensions of length 1 can be added or dropped.",
    example="%r = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf16> into tensor<32xf16>",
    fix="load the tensor through a view of the wanted shape",
)
DEBUGGING = define(
    "SPY424",
    "kernel checks or prints",
    '`{op}` is for debugging; only engine "ktir" runs it',
    cause="Assertions and prints stay in a kernel's KTIR. Neither the scheduler nor a device has a "
    "place for them.",
    example='spy.print_("row", row)',
    fix='run the kernel with engine="ktir"; take the line out to compile for a device',
)
LOOP_STEP = define(
    "SPY426",
    "loop step is not positive",
    "the step of this loop is {step}; it must be a positive number",
    cause="A loop with step 0 or a negative step has no defined number of iterations.",
    example="scf.for %i = %c0 to %c8 step %c0 { … }",
    fix="use a positive step",
)
ARGUMENT_TYPE = define(
    "SPY427",
    "argument type of a kernel",
    "argument {name} of kernel '{kernel}' has the type {type}; only `index` can be scheduled",
    cause="A kernel takes addresses, which are of type index.",
    example="func.func @k(%x: tensor<64xf16>)",
    fix="take the address and make a view of it with ktdp.construct_memory_view",
)
VIEW_LAYOUT = define(
    "SPY429",
    "view with a negative stride",
    "the view has strides {strides}; only strides of at least 0 can be scheduled",
    cause="A view runs backwards through memory, which only engine 'ktir' reads.",
    example="%v = ktdp.construct_memory_view %a, sizes: [64], strides: [-1] … : memref<64xf16>",
    fix='run the kernel with engine="ktir", or start the view at its lowest element',
)

# --- the device ----------------------------------------------------------------------------------

LANES = define(
    "SPY430",
    "type cannot be computed",
    "the compute unit {unit} of device '{device}' has no lanes for {dtype}",
    cause="The device description lists no vector width for a type the program computes on.",
    example="an f32 kernel on a device that lists lanes for f16 only",
    fix="compute in a type the device has, or choose another device",
)
NO_ROUTE = define(
    "SPY431",
    "no datapath",
    "device '{device}' has no datapath from {source} to {target}",
    cause="The data of an operand cannot reach the compute unit, or its result the memory.",
    example="a tensor in a memory that no load unit reads",
    fix="put the tensor into another memory space, or add the datapath to the device",
)
NO_SPLAT = define(
    "SPY432",
    "scalar cannot be repeated along the lanes",
    "'{name}' does not vary along the vector, and {unit} of device '{device}' cannot "
    "repeat one element over all lanes",
    cause="A column or scalar operand needs a load unit with the splat feature.",
    example="y = x + bias[:, None] on a device without splat",
    fix="store the operand with all its elements, or choose another device",
)
CAPACITY = define(
    "SPY433",
    "scratchpad is too small",
    "the smallest tile needs {need} bytes of {memory}, which has {capacity} bytes free{detail}",
    cause="The staging buffers of one tile do not fit into a memory of the device.",
    example="an in-place transpose of a matrix larger than scratchpad",
    fix="store into another tensor than the one loaded, pin less data in scratchpad, or use "
    "fewer operands in one step",
)
PINNED_RANGE = define(
    "SPY434",
    "pinned data lies outside of its memory",
    "'{name}' takes bytes {start} to {end} of {memory}, which has {capacity} bytes",
    cause="A view with a constant scratchpad address ends behind the end of the scratchpad.",
    example="a 4 MiB view in a 2 MiB scratchpad",
    fix="move or shrink the view",
)
CORES = define(
    "SPY435",
    "grid is larger than the device",
    "kernel '{kernel}' runs on {cores} cores, and device '{device}' has {available}",
    cause="Each element of the grid needs a core of its own.",
    example="grid = [64] on a device with 32 cores",
    fix="use a smaller grid and let each core loop over several parts",
)
ELEMENT_TYPE = define(
    "SPY438",
    "element type cannot be scheduled",
    "`{op}` gives elements of !spyreop.df16, which cannot be scheduled yet",
    cause="A kernel was written with tensors of df16. Only engine 'ktir' runs these.",
    example="%x = ktdp.load %t : <64xindex> -> tensor<64x!spyreop.df16>",
    fix='run it with engine="ktir", or write it in f16 and run it with numerics="df16"',
)
