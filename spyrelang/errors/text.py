"""SPY1xx: IR text, its reader, and the verifier."""

from __future__ import annotations

from spyrelang.errors.core import define

MALFORMED = define(
    "SPY101",
    "malformed text",
    "{message}",
    cause="The text does not follow the grammar of MLIR or of one of the Spyre dialects.",
    example="dataflow.sync_send %u   // its type is missing: %u : index",
    fix="write what the message expects at the marked place",
)
UNKNOWN_OP = define(
    "SPY102",
    "unknown operation",
    "there is no operation '{op}' in dialect '{dialect}'",
    cause="The name begins with one of the Spyre dialects but the dialect has no such operation.",
    example="dataflow.sent %u, %v : vector<64xf16>",
    fix="correct the name",
)
TOO_DEEP = define(
    "SPY103",
    "nested too deeply",
    "brackets or regions are nested more than {limit} deep",
    cause="The text nests brackets or regions deeper than any real program does.",
    example="%c = arith.addi ((((…))))   // more than 200 brackets inside each other",
    fix="flatten the text",
)
NOT_UTF8 = define(
    "SPY104",
    "not UTF-8",
    "'{file}' is not UTF-8 text (byte {offset})",
    cause="IR files are text in UTF-8; this one holds other bytes, or is a binary file.",
    example="$ spyrelang ir kernel.bin",
    fix="convert the file to UTF-8",
)
MISSING_FILE = define(
    "SPY105",
    "cannot read the file",
    "cannot read '{file}': {why}",
    cause="The file does not exist, is a directory, or may not be read.",
    example="$ spyrelang ir nowhere.mlir",
    fix="give the path of an existing IR file",
)
REFUSED = define(
    "SPY106",
    "refused by MLIR",
    "{message}",
    cause="MLIR's own parser or verifier refuses the text.",
    example="%0 = arith.addi %a, %b : f16",
    fix="correct what stands at the marked place",
)
DEADLY = define(
    "SPY107",
    "text that MLIR cannot survive",
    "MLIR's parser {how} on this text",
    cause="The text makes MLIR's parser abort or run without end. It was tried in a child process.",
    example="attributes {a = array<index: 1>}",
    fix="remove the unusual attribute or type; find it by cutting the text in half",
)
UNKNOWN_ALIAS = define(
    "SPY108",
    "unknown alias",
    "'{name}' is not defined in this text",
    cause="The text uses #name or !name without defining it, or defines it by itself.",
    example="%t = ktdp.construct_access_tile %v[%c0] {\n"
    "  access_tile_set = #set, access_tile_order = #ordr   // #order is defined\n"
    "} : memref<64xf16> -> !ktdp.access_tile<64xindex>",
    fix="define the alias outside of all ops, at the top of the text",
)
BAD_OPAQUE = define(
    "SPY109",
    "illegal type or attribute",
    "'{text}' is not a legal {what} of dialect '{dialect}'",
    cause="A type or attribute of a Spyre dialect is misspelled or out of range.",
    example="#dataflow<direction Up>",
    fix="use one of the legal spellings",
)
OPERAND_COUNT = define(
    "SPY120",
    "wrong number of operands or results",
    "'{op}' has the wrong number of {what}: {detail}",
    cause="The operation has more or fewer operands or results than its declaration allows.",
    example='%0 = "spyreop.realdiv"(%b) : (f16) -> f16   // it divides two values',
    fix="give the operands and results that the operation needs",
)
WRONG_TYPE = define(
    "SPY121",
    "wrong type",
    "{what} of '{op}' must be {expected}, not {found}",
    cause="An operand, result or block argument has a type that the operation does not take.",
    example="dataflow.send %u, %t : tensor<64xf16>   // only vectors can be sent",
    fix="use a value of the expected type",
)
MISSING_ATTRIBUTE = define(
    "SPY122",
    "missing attribute",
    "'{op}' needs the attribute '{name}'",
    cause="A required entry of the operation's dictionary is missing.",
    example='%0 = dataflow.get_unit {name = "a"} : index',
    fix="add the entry to the dictionary",
)
WRONG_ATTRIBUTE = define(
    "SPY123",
    "wrong attribute",
    "attribute '{name}' of '{op}' must be {expected}, not {found}",
    cause="An entry of the operation's dictionary has a value of another kind.",
    example='%0 = dataflow.get_unit {name = "a", type = 3} : index',
    fix="write a value of the expected kind",
)
BAD_REGION = define(
    "SPY124",
    "wrong region",
    "'{op}' {detail}",
    cause="A region is missing, superfluous, empty, has several blocks or the wrong arguments.",
    example='"dataflow.program_unit"(%u) ({ }) : (index) -> ()',
    fix="give the operation the regions its declaration asks for",
)
TERMINATOR = define(
    "SPY125",
    "wrong terminator",
    "the body of '{op}' must end with '{terminator}'",
    cause="A block inside a Spyre operation lacks its terminator, or holds it before the end.",
    example='"dataflow.program_unit"(%u) ({\n^bb0(%z: index):\n}) : (index) -> ()',
    fix="end the block with that operation, and with no other operation after it",
)
DOMINANCE = define(
    "SPY126",
    "value used before its definition",
    "operand #{index} of '{op}' is used before it is defined",
    cause="Inside the body of a Spyre operation a value is used above the operation that makes it. "
    "Operands count from 0.",
    example="dataflow.send %u, %v : vector<64xf16>\n%v = dataflow.receive %u : vector<64xf16>",
    fix="move the definition above the use",
)
RULE = define(
    "SPY127",
    "rule of an operation broken",
    "'{op}': {detail}",
    cause="Types and attributes fit, but together they break a rule of the operation.",
    example="%0 = vectorchain.cast %a : vector<64xf16>, vector<32xf32>",
    fix="change the types or attributes so that they agree as the message says",
)
MISPLACED = define(
    "SPY129",
    "terminator in the wrong place",
    "'{op}' cannot stand in the body of '{parent}'",
    cause="A terminator of a Spyre operation stands in a block that it cannot end.",
    example="func.func @f() {\n  uniform.yield\n  return\n}",
    fix="remove it, or put it at the end of the operation it belongs to",
)
