"""SPY6xx: SpyreCode artifacts, from the JSON of the job plans to the files on disk.

`{where}` is either empty or the prefix that names the command being translated, so that each
message says which entry of which plan it means.
"""

from __future__ import annotations

from spyrelang.errors.core import ErrorKind, define

_REEXPORT = "export the kernel again; an artifact is not meant to be edited by hand"


def _kind(
    code: str, title: str, template: str, cause: str, example: str, fix: str = _REEXPORT
) -> ErrorKind:
    return define(code, title, template, cause=cause, example=example, fix=fix, also=ValueError)


# --- the directory and its files ---------------------------------------------------------------

PATH_MISSING = define(
    "SPY600",
    "artifact path does not exist",
    "the artifact directory '{path}' does not exist",
    cause="The path given to `prepare`, `read` or `resume` names nothing.",
    example='spyre.runtime.prepare("no-such-dir")',
    fix="check the path; `Compiled.export(path)` makes an artifact",
    also=FileNotFoundError,
)
NOT_A_DIRECTORY = define(
    "SPY601",
    "artifact path is a file",
    "'{path}' is not a directory; a SpyreCode artifact is a directory holding spyrecode.json",
    cause="The path names a file.",
    example='spyre.runtime.prepare("add.spyrecode/spyrecode.json")',
    fix="give the directory that holds spyrecode.json",
    also=NotADirectoryError,
)
PLAN_FILE_MISSING = define(
    "SPY602",
    "no spyrecode.json",
    "spyrecode.json not found in '{path}' (nor in its spyreCodeDir)",
    cause="The directory is not an artifact, or the export did not finish.",
    example='spyre.runtime.prepare(".")',
    fix="give the directory that `export` wrote",
    also=FileNotFoundError,
)
JSON_MALFORMED = _kind(
    "SPY603",
    "a JSON file of the artifact cannot be parsed",
    "Failed to parse {name}: {detail}",
    "The file is not JSON, repeats a key, or its top level is not what the format demands.",
    "spyrecode.json holding `{`",
)
FILE_UNREADABLE = define(
    "SPY604",
    "a file of the artifact cannot be read",
    "cannot read '{path}': {detail}",
    cause="The operating system refused to read the file.",
    example="an artifact without read permission",
    fix="check the permissions of the file",
    also=OSError,
)
BINARY_MISSING = define(
    "SPY605",
    "the binary does not exist",
    "{where}the binary file '{path}' does not exist",
    cause="`InitTransfer.init_bin_file` names a file that is not in the artifact.",
    example="an artifact copied without init_binary.bin",
    fix="copy the whole directory, or export again",
    also=FileNotFoundError,
)
BINARY_NAME = _kind(
    "SPY606",
    "unsafe binary file name",
    "{where}'init_bin_file' must be a plain file name, got {value!r}",
    "The name has a separator or steps out of the directory.",
    '"init_bin_file": "../x.bin"',
)
BINARY_LENGTH = _kind(
    "SPY607",
    "binary length disagrees with the plan",
    "{where}'{path}' holds {actual} bytes but 'size' says {expected}",
    "The binary was truncated, extended or exchanged.",
    "init_binary.bin cut short by a failed copy",
)
MANIFEST_MISSING = _kind(
    "SPY608",
    "no manifest",
    "manifest.json is missing from '{path}', so its files cannot be verified",
    "Artifacts written by spyrelang always carry a manifest; this one lost it.",
    "rm kernel.spyrecode/manifest.json",
)
MANIFEST_MALFORMED = _kind(
    "SPY609",
    "malformed manifest",
    "manifest.json is malformed: {detail}",
    "The manifest is not exactly in the form the exporter writes.",
    "a manifest edited by hand",
)
MANIFEST_FILE_ABSENT = _kind(
    "SPY610",
    "a file of the manifest is absent",
    "'{name}' is listed in manifest.json but is not in the artifact",
    "The artifact was copied incompletely.",
    "rm kernel.spyrecode/launch_spec.json",
)
MANIFEST_FILE_EXTRA = _kind(
    "SPY611",
    "a file the manifest does not know",
    "'{name}' is in the artifact but not listed in manifest.json",
    "Something else was put into the artifact directory.",
    "touch kernel.spyrecode/notes.txt",
    "keep other files outside the artifact directory",
)
MANIFEST_HASH = _kind(
    "SPY612",
    "a file was changed",
    "'{name}' does not have the sha256 recorded in manifest.json: the file was changed or damaged",
    "At least one byte of the file differs from what was exported.",
    "a bit flipped in init_binary.bin",
)
FOREIGN_TARGET = define(
    "SPY613",
    "export would overwrite something else",
    "refusing to replace '{path}': {detail}",
    cause="`export` replaces artifacts only, never other files or directories.",
    example='compiled.export("notes")   # a directory that holds other files',
    fix="choose a path that does not exist yet, or an artifact",
    also=FileExistsError,
)
WRITE_FAILED = define(
    "SPY614",
    "the artifact cannot be written",
    "cannot write the artifact '{path}': {detail}",
    cause="The operating system refused to create or rename the directory.",
    example='compiled.export("no/such/folder/add.spyrecode")',
    fix="choose a directory that exists and is writable",
    also=OSError,
)

# --- the plans ---------------------------------------------------------------------------------

PLAN_KEY_MISSING = _kind(
    "SPY620",
    "a plan is missing",
    "spyrecode.json: missing '{key}'",
    "Both job plans are mandatory.",
    '{"JobExecPlan": []}',
)
PLAN_NOT_ARRAY = _kind(
    "SPY621",
    "a plan is not an array",
    "spyrecode.json: '{key}' must be an array of commands",
    "A plan is a JSON array.",
    '{"JobExecPlan": {}}',
)
PREPARATION_SHORT = _kind(
    "SPY622",
    "preparation plan too short",
    "JobPreparationPlan must be an array of at least 2 commands (Allocate, InitTransfer), it "
    "has {count}",
    "A program needs memory and a binary.",
    '"JobPreparationPlan": []',
)
EXPECTED_ALLOCATE = _kind(
    "SPY623",
    "preparation must begin with Allocate",
    "{where}Expected 'Allocate' as the first preparation command, found '{found}'",
    "The first command of JobPreparationPlan allocates the program's memory.",
    '"JobPreparationPlan": [{"command": "InitTransfer", …}, …]',
)
EXPECTED_INIT_TRANSFER = _kind(
    "SPY624",
    "preparation continues with InitTransfer only",
    "{where}Expected 'InitTransfer' after the allocation, found '{found}'",
    "After Allocate, JobPreparationPlan holds only InitTransfer commands.",
    "a second Allocate",
)
COMMAND_MALFORMED = _kind(
    "SPY625",
    "a command is not an object with command and properties",
    "{where}{detail}",
    'A command is {"command": name, "properties": {…}}.',
    '"JobExecPlan": ["ComputeOnDevice"]',
)
UNKNOWN_COMMAND = _kind(
    "SPY626",
    "unknown command",
    "{where}Unknown SpyreCode command '{found}'",
    "JobExecPlan may hold ComputeOnHost, DataTransfer and ComputeOnDevice.",
    '{"command": "Compute", "properties": {}}',
)
PROPERTY_MISSING = _kind(
    "SPY627",
    "a property is missing",
    "{where}{command} is missing '{name}'",
    "The command lacks a mandatory property.",
    "Allocate without dynamic_size",
)
PROPERTY_TYPE = _kind(
    "SPY628",
    "a property has the wrong JSON type",
    "{where}'{name}' must be {expected}, got {value}",
    "Numbers in a plan are written as decimal strings.",
    '"static_size": 4096',
)
NUMBER_NEGATIVE = _kind(
    "SPY629",
    "negative number",
    "{where}'{name}' = {value!r}: negative value not allowed",
    "Sizes and addresses are unsigned.",
    '"size": "-1"',
)
NUMBER_TRAILING = _kind(
    "SPY630",
    "number with trailing characters",
    "{where}'{name}' = {value!r}: non-numeric characters after the number",
    "Only decimal digits are allowed.",
    '"size": "128B"',
)
NUMBER_INVALID = _kind(
    "SPY631",
    "not a number",
    "{where}'{name}' = {value!r}: not a valid number",
    "Only decimal digits are allowed.",
    '"size": ""',
)
NUMBER_RANGE = _kind(
    "SPY632",
    "number too large",
    "{where}'{name}' = {value!r}: out of range of {bits} bits",
    "The number does not fit.",
    '"size": "99999999999999999999"',
)
UNKNOWN_PROPERTY = _kind(
    "SPY633",
    "unknown property (warning)",
    "{where}{command} has the unknown property '{name}', which is ignored",
    "The reader does not know the property; a newer exporter may have written it.",
    '"properties": {"sise": "128", …}',
)
PROGRAM_SEGMENT = _kind(
    "SPY634",
    "address outside the program segment",
    "{where}'{name}' = {value:#x} is outside the program segment (segment 7, {low:#x} to "
    "{high:#x})",
    "Programs live in segment 7 only.",
    '"job_bin_ptr": "0"',
)
PROGRAM_ALIGNMENT = _kind(
    "SPY635",
    "program address or size is not a multiple of 128",
    "{where}'{name}' = {value:#x} is not a multiple of 128 bytes",
    "Device memory is transferred in flits of 128 bytes.",
    '"dev_ptr": "120259084289"',
)
PROGRAM_BOUNDS = _kind(
    "SPY636",
    "program outside its allocation",
    "{where}'{name}' reaches byte {end} of an allocation of {size} bytes",
    "The command points past the end of the memory that Allocate asked for.",
    "InitTransfer of 8192 bytes into an allocation of 4096",
)
ALLOCATION_ZERO = _kind(
    "SPY637",
    "allocation of nothing",
    "{where}Allocate needs a static size > 0 for a device step",
    "A program cannot be loaded into no memory.",
    '"static_size": "0"',
)
ALLOCATION_LIMIT = _kind(
    "SPY638",
    "allocation larger than a segment",
    "{where}'{name}' = {value} is larger than a segment ({limit} bytes)",
    "A segment holds 16 GiB.",
    '"static_size": "17179869312"',
)
ISHAPE_ARRAY = _kind(
    "SPY639",
    "shape is not an array",
    "{where}'{name}' must be an array",
    "Shapes of host computations are arrays of decimal strings.",
    '"ishape": "3"',
)
ISHAPE_STRINGS = _kind(
    "SPY640",
    "shape elements are not strings",
    "{where}elements of '{name}' must be strings",
    "Shapes of host computations are arrays of decimal strings.",
    '"ishape": [3]',
)
OHANDLE_EXISTS = _kind(
    "SPY641",
    "host handle defined twice",
    "{where}'ohandle' {handle!r} already exists",
    "Each host computation writes a buffer of its own.",
    "two ComputeOnHost commands with one ohandle",
)
IHANDLE_UNKNOWN = _kind(
    "SPY642",
    "unknown input handle",
    "{where}'ihandle' {handle!r} not found",
    "The handle is not the output of an earlier command.",
    '"ihandle": "progCorrect7"',
)
HOST_HANDLE_UNKNOWN = _kind(
    "SPY643",
    "transfer from an unknown host handle",
    "{where}'host_handle' {handle!r} not found",
    "A transfer to the device needs a buffer that an earlier command made.",
    '"host_handle": "nothing"',
)
HOST_HANDLE_EXISTS = _kind(
    "SPY644",
    "transfer into an existing host handle",
    "{where}'host_handle' {handle!r} already exists",
    "A transfer from the device makes a new buffer.",
    "two transfers from the device into one handle",
)
DIRECTION = _kind(
    "SPY645",
    "invalid transfer direction",
    "{where}Invalid DataTransfer direction {value!r}; 'dirn' is \"false\" (to the device) or "
    '"true"',
    "The direction is one of two strings.",
    '"dirn": "0"',
)
PAIRING = _kind(
    "SPY646",
    "host computation without its transfer",
    "{where}ComputeOnHost {handle!r} needs an adjacent DataTransfer H2D of the same handle and "
    "size: {detail}",
    "The result of a host computation goes to the device at once, in one step.",
    "ComputeOnHost followed by ComputeOnDevice",
)
ORDER = _kind(
    "SPY647",
    "host work without device work",
    "{where}HostCompute steps must be followed by Compute",
    "A plan that ends after host work, or copies back before computing, is incomplete.",
    "a plan of ComputeOnHost and DataTransfer only",
)
COPY_BACK_SEGMENT = _kind(
    "SPY648",
    "copy back from a tensor segment",
    "{where}a transfer from the device at {value:#x} must lie in the program segment: "
    "tensors have segments of their own only when addresses are bound",
    "With symbolic addresses, segments 0 to 6 do not belong to arguments.",
    "dirn true, dev_ptr 0 in a symbolic artifact",
)
PROFILER_NAME = define(
    "SPY649",
    "profiler name too long",
    "the profiler name {value!r} takes {length} bytes, over the AIUPTI limit of {limit}",
    cause="Names of compute events, suffix included, are limited.",
    example='spyre.runtime.prepare("add.spyrecode", name="x" * 200)',
    fix="give a shorter name",
    also=ValueError,
)

# --- correction ---------------------------------------------------------------------------------

HCM = _kind(
    "SPY650",
    "malformed hcm",
    "{where}hcm {detail}",
    "The metadata of a host computation is an object holding vdci and senConstants.",
    '"hcm": "text"',
)
VDCI = _kind(
    "SPY651",
    "malformed vdci",
    "{where}vdci {detail}",
    "The conversion record that says where values go in the blob is incomplete.",
    '"vdci": []',
)
SYMTAB = _kind(
    "SPY652",
    "malformed symbol table",
    "{where}symtab {detail}",
    "The table of symbols breaks a rule of its format.",
    '{"id": -4, "expr": ["pow", {"in": -1}, 2], "bits": 32}',
)
SYMTAB_VERSION = _kind(
    "SPY653",
    "symbol table of a newer version",
    "{where}symtab has version {found}; this reader knows version {known}",
    "The artifact was written by a newer exporter.",
    '"symtab": {"version": 2, …}',
    "update spyrelang, or export again with this version",
)
MIXED_EXPRESSION = _kind(
    "SPY654",
    "an address depends on a dimension",
    "{where}symbol {symbol} mixes an address with a dimension",
    "Tensors are laid out for their maximal size, so addresses never depend on sizes.",
    '["add", {"in": -1}, {"in": -2}] of an address and a dimension',
)
VALUE_OVERLAP = _kind(
    "SPY655",
    "two values share bits of the blob",
    "{where}symbol {symbol} and symbol {other} overlap in flit {flit}, word {word}",
    "Each bit of a patched flit belongs to one value.",
    "two locations with bits 0 to 31 of one word",
)
SCATTER_TARGET = _kind(
    "SPY656",
    "a patched flit has no place in the program",
    "{where}flit {flit} of the correction goes to {address:#x}, outside the binary at {low:#x} "
    "to {high:#x}",
    "Patched flits replace flits of the binary.",
    "a target list changed by hand",
)

# --- contents -----------------------------------------------------------------------------------

LAUNCH_SPEC = _kind(
    "SPY660",
    "malformed launch_spec.json",
    "launch_spec.json: {detail}",
    "The host-side signature is incomplete or disagrees with the binary.",
    '"args": [{"arg_index": "zero"}]',
)
LAUNCH_SPEC_VERSION = _kind(
    "SPY661",
    "launch_spec.json of a newer version",
    "launch_spec.json has version {found}; this reader knows version {known}",
    "The artifact was written by a newer exporter.",
    '{"version": 2, …}',
    "update spyrelang, or export again with this version",
)
SYMBOL_KINDS = _kind(
    "SPY662",
    "malformed symbol_kinds.json",
    "symbol_kinds.json: {detail}",
    "The list of symbol records is not in its documented form.",
    '[{"kind": "tensor"}]',
)
FOREIGN_BINARY = _kind(
    "SPY663",
    "the binary is not one of ours",
    "the binary of '{path}' is not a spyrelang program, so it can be described but not run",
    "The artifact was made by another compiler for the real device.",
    "prepare() of an artifact of the vendor's compiler",
    "export the kernel with spyrelang to run it on the simulated device",
)
NOT_EXPORTABLE = define(
    "SPY664",
    "the program cannot be exported",
    "'{name}' cannot be written as SpyreCode: {detail}",
    cause="The artifact format has no way to say what this program needs.",
    example="seven tensors with baked addresses next to a scratch region",
    fix="keep addresses symbolic, or use fewer bound tensors",
    also=ValueError,
)
LAYOUT = define(
    "SPY665",
    "invalid tensor layout",
    "layout of '{name}': {detail}",
    cause="A device layout record breaks a rule: dense, row-major, last dimension one stick.",
    example="Layout(device_size=(4, 60), stride_map=(60, 1), …) for f16",
    fix="make layouts with spyre.layout(shape, dtype)",
    also=ValueError,
)
