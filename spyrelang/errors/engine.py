"""SPY5xx: what engines and the decoder of DataflowIR find."""

from spyrelang.errors.core import Location, SpyreError, define

# --- memory ------------------------------------------------------------------------------------

OUT_OF_BOUNDS = define(
    "SPY501",
    "access outside every region",
    "bytes {first:#x} to {last:#x} are in no region of {memory}; nearest is {nearest}",
    cause="A load, store or transfer touches memory of no buffer, or runs past the end of one.",
    example="a view of 8x128 over an array of 4x128 that is read whole",
    fix="check the base address, the sizes and the strides of the view against the array",
)
VIEW_BOUNDS = define(
    "SPY502",
    "subscript outside the view",
    "coordinate {coordinate} of dimension {dim} is outside the view of size {size}",
    cause="An access reaches past the sizes its memory view declares.",
    example="loading [60, 0] … of 64 lanes from a memref<4x64xf16>",
    fix="correct the subscript or the sizes of the view",
)
MISALIGNED = define(
    "SPY503",
    "misaligned element",
    "address {address:#x} in {memory} is not a multiple of the {size} bytes of {dtype}",
    cause="A start address and its layout put an element across its natural boundary.",
    example="a view of f32 that starts at byte 2",
    fix="align the start address to the element size",
)
RACE = define(
    "SPY504",
    "data race",
    "{second} of bytes {first_byte:#x} to {last_byte:#x} of {memory} by {second_unit} is not "
    "ordered after the {first} by {first_unit}",
    cause="Two units touch the same bytes, at least one writes, and no FIFO, signal or program end "
    "orders the one after the other: the result depends on timing.",
    example="a DMA unit refills a single buffer while the previous tile is still being read",
    fix="send a signal after the first access and receive it before the second, or use more copies",
)
UNINITIALISED = define(
    "SPY505",
    "unwritten data reaches device memory",
    "{count} of {total} elements stored to {memory} by {unit} come from memory that nothing wrote",
    cause="A value computed from unwritten memory is stored where the host can see it.",
    example="a scratchpad buffer is read before its transfer has completed",
    fix="write the buffer, or wait for the transfer that fills it, before it is read",
)
READ_ONLY = define(
    "SPY506",
    "store to read-only memory",
    "{unit} stores to {memory}, which is read-only",
    cause="The kernel writes an argument that was declared as an input.",
    example="`x[i, :] = v` where x is an In parameter",
    fix="declare the argument Out or InOut",
)
REGION_OVERLAP = define(
    "SPY507",
    "regions overlap",
    "{name} at {address:#x} of {nbytes} bytes overlaps {other}",
    cause="Two buffers were bound to intersecting address ranges.",
    example="memory={0: a, 64: b} where a holds more than 64 elements",
    fix="give every buffer an address range of its own",
)
NO_REGION = define(
    "SPY508",
    "no region at this address",
    "no region of {memory} starts at {address:#x}; nearest is {nearest}",
    cause="An address was freed twice or never allocated.",
    example="freeing the address of an element in the middle of a buffer",
    fix="use the address that allocate or bind returned",
)
BAD_REGION = define(
    "SPY509",
    "bad region request",
    "cannot place {name}: {reason}",
    cause="A region needs a size of at least zero, a power-of-two alignment, an address of at "
    "least zero, and, when bound, a C-contiguous array.",
    example="allocate(-1)",
    fix="correct the request",
)

# --- units -------------------------------------------------------------------------------------

DEADLOCK = define(
    "SPY510",
    "deadlock",
    "deadlock in program '{program}': {count} units wait for each other or for one that has ended",
    cause="Every unit that has not finished waits for a vector, a free FIFO slot or a signal that "
    "no other unit can provide.",
    example="a receive whose send was removed",
    fix="give each receive its send, in the same order on both sides, within the FIFO's depth",
)
SIGNALS_LEFT = define(
    "SPY511",
    "signals left at program end",
    "{count} signals from {sender} to {receiver} were never received in program '{program}'",
    cause="Signals count; one that is left over would satisfy a receive of the next program.",
    example="two sync_send for one sync_recv",
    fix="pair every sync_send with one sync_recv",
)
VECTORS_LEFT = define(
    "SPY512",
    "vectors left in a FIFO at program end",
    "{count} vectors from {sender} to {receiver} were never received in program '{program}'",
    cause="A FIFO that is not empty would feed old vectors to the next program.",
    example="two send for one receive",
    fix="pair every send with one receive",
)
VECTOR_MISMATCH = define(
    "SPY513",
    "vector types disagree",
    "{receiver} expects {expected} from {sender}, which sent {actual}",
    cause="The send and the receive that pair up have different vector types.",
    example="send of vector<64xf16>, receive of vector<32xf16>",
    fix="use one vector type on both sides",
)
BAD_ARITHMETIC = define(
    "SPY514",
    "impossible index arithmetic",
    "{reason}",
    cause="An index computation divides by zero or a loop has a step below one.",
    example="scf.for with step 0",
    fix="correct the operands",
)
BAD_OP = define(
    "SPY515",
    "operation cannot be computed",
    "{op}: {reason}",
    cause="The semantics table cannot compute this op on these types.",
    example="an element type that has no numpy equivalent",
    fix="use another type or op",
)
# --- launch ------------------------------------------------------------------------------------

SYMBOL_MISSING = define(
    "SPY520",
    "symbol without a value",
    "symbol {id} has no value; given are {given}",
    cause="A kernel was launched without an address for one of its arguments.",
    example="run(executable, memory, {}) for a kernel with one address argument",
    fix="give a value for every input symbol",
)
SYMBOL_INEXACT = define(
    "SPY521",
    "address not a multiple of the word",
    "symbol {id} is {value} / {divisor}, which is not exact",
    cause="A base address is not a multiple of the word in which the accessing unit counts.",
    example="a tensor at byte address 100 for a unit with words of 64 bytes",
    fix="align base addresses to 128 bytes",
)
SYMBOL_RANGE = define(
    "SPY522",
    "symbol out of range",
    "symbol {id} is {value}, outside 0 to {limit}",
    cause="A launch value does not fit the field that the binary has for it.",
    example="a negative address",
    fix="use an address inside device memory",
)
BAD_OPTION = define(
    "SPY523",
    "bad engine option",
    "engine option '{what}' is {value!r}; it takes {known}",
    cause="A field of `engines.Options` has a value that the engine has no meaning for.",
    example='Options(timing="soon")',
    fix="give it a value it takes",
    also=ValueError,
)
BAD_PROGRAM = define(
    "SPY524",
    "malformed program",
    "malformed program: {reason}",
    cause="A decoded program refers to a register, unit, memory or program that it does not have.",
    example="an executable built by hand with a wrong index",
    fix="decode the program again from its text",
)


def negative_extent(place: Location | None, extent: int, dim: int) -> SpyreError:
    """SPY524 for an access whose size, computed at run time, is below zero."""
    return BAD_PROGRAM.error(place, reason=f"an access has extent {extent} in dimension {dim}")


BEYOND_ADDRESSES = define(
    "SPY525",
    "access reaches past any address",
    "{what} reaches {span} bytes far; no address is longer than 62 bits",
    cause="The sizes, strides, coefficients or steps of a view or of an access are so large that "
    "what they touch has no address.",
    example="layout_map = affine_map<(d0) -> (d0 * 9223372036854775807)>",
    fix="use the strides of the tensor as it lies in memory",
)

# --- decoding DataflowIR -----------------------------------------------------------------------

UNSUPPORTED_OP = define(
    "SPY530",
    "operation not supported in DataflowIR",
    "{op} is not supported here: {reason}",
    cause="The op has no meaning on the simulated device, or not in this position.",
    example="dataflow.opaque",
    fix="rewrite it with ops that the reference lists as supported",
)
LAYOUT = define(
    "SPY531",
    "layout or access map is not linear",
    "{what} {map} is not linear",
    cause="A layout, order or time map uses floordiv, mod or a product of dimensions.",
    example="layout_map = affine_map<(d0) -> (d0 mod 4)>",
    fix="use a strided layout, or split the loop",
)
NOT_A_BOX = define(
    "SPY532",
    "access set is not a box",
    "{what} {set} is not a box with constant or symbolic sizes",
    cause="The set couples dimensions, leaves one unbounded, or has gaps.",
    example="affine_set<(d0, d1) : (d0 - d1 >= 0)>",
    fix="bound every dimension by constants or time symbols alone",
)
ORDER = define(
    "SPY533",
    "order map is not a permutation",
    "{what} {map} does not enumerate the points of its set once each",
    cause="The order in which a vector's lanes are taken must permute the dimensions of the set.",
    example="load_order = affine_map<(d0, d1) -> (d0, d0)>",
    fix="use each dimension once",
)
MAPPING = define(
    "SPY534",
    "mapping cannot be used",
    "{reason}",
    cause="A uniform mapping lacks a key, lists one twice, mixes kinds of values, or is not "
    "queried with the unit's own handle.",
    example="query_map of a mapping that has no entry for the second core",
    fix="give the mapping one value of one kind for every unit of the program unit",
)
STRUCTURE = define(
    "SPY535",
    "not a DataflowIR program",
    "{reason}",
    cause="The module does not have the nest of kernel, program and body functions of DataflowIR.",
    example="a module without a function that has a grid",
    fix="give the kernel function `grid`, and each called program a module with its body",
)
UNKNOWN_KIND = define(
    "SPY536",
    "unknown unit or memory kind",
    "{what} '{name}' of type '{kind}' is not on device '{device}'",
    cause="A get_unit names a kind that the device description does not have.",
    example='type = "mnilux"',
    fix="use a kind of the device, or give the device the text was made for",
)
UNIT_USE = define(
    "SPY537",
    "handle used as the wrong thing",
    "{reason}",
    cause="A peer must be a unit, the first operand of a view a memory, an address a number; the "
    "units of one program unit must be of one kind, and none may be listed twice.",
    example="dataflow.send to a memory handle",
    fix="pass the right handle",
)
LANES = define(
    "SPY538",
    "vector length disagrees with the access",
    "{what} enumerates {points} elements, the vector has {lanes}",
    cause="The number of points of the set differs from the vector's length.",
    example="load_set with 32 points into a vector<64xf16>",
    fix="make set and vector the same size",
)
SYMBOL_DEFINITION = define(
    "SPY539",
    "symbol cannot be evaluated at launch",
    "symbol {id}: {reason}",
    cause="A symbol is used without create_id, defined twice with different values, or depends on "
    "something that is not known at launch, such as a loop variable.",
    example="create_symbol of an id that no create_id defines",
    fix="define every symbol once from the kernel's arguments",
)

# --- binaries ----------------------------------------------------------------------------------

BINARY = define(
    "SPY550",
    "unreadable program binary",
    "the program binary cannot be read: {reason}",
    cause="The file is not a program binary of spyrelang, is of another version, was cut off, or "
    "some of its bytes were changed.",
    example="decode(b'')",
    fix="export the artifact again",
)
UNPATCHED = define(
    "SPY551",
    "program binary was not corrected",
    "symbol {id} still holds its placeholder",
    cause="The symbol pool was not filled with this launch's values before the program was run.",
    example="running the bytes of init_binary.bin directly",
    fix="apply the program correction first",
)
UNENCODABLE = define(
    "SPY552",
    "value cannot be encoded",
    "{where} cannot be encoded: {reason}",
    cause="A field of the decoded program holds a value of a type that the binary has no form for.",
    example="a Compute attribute that is a numpy array",
    fix="use ints, floats, strings, booleans or tuples of them",
)
