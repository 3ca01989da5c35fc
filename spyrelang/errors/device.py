"""Device descriptions and patterns: SPY301 to SPY329."""

from __future__ import annotations

from spyrelang.errors.core import define

NO_DEVICE = define(
    "SPY301",
    "no such device",
    "there is no device '{name}'; looked for {places}",
    cause="The name is neither a device that comes with spyrelang nor the path of a file.",
    example='Device.load("spyer")',
    fix="use 'sample_device', 'spyre', or the path of a ktdf_arch file",
    also=ValueError,
)
NOT_ONE_DEVICE = define(
    "SPY302",
    "not one device",
    "the text describes {count} devices instead of one",
    cause="A device file holds exactly one ktdf_arch.device with a body (or an import of one).",
    example='Device.from_text("module {}", "empty.mlir")',
    fix="put one ktdf_arch.device into the file",
)
IMPORT = define(
    "SPY303",
    "device import failed",
    "cannot import device @{name} from '{path}': {why}",
    cause="The file of an import does not exist, holds no device of that name, or imports again.",
    example='ktdf_arch.device @d import("nowhere.mlir")',
    fix="import a file with a ktdf_arch.device of that name that has a body",
)
BAD_DEVICE = define(
    "SPY304",
    "device description breaks a rule",
    "device @{name}: {detail}",
    cause="The description is well formed, but spyrelang cannot compile for such a device.",
    example='mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "DDR">\n'
    '%m = memory {kind = "HBM"}   # there is no memory DDR',
    fix="correct what the message names; arch/sample_device.mlir is a complete example",
)
COMPUTE_UNIT = define(
    "SPY305",
    "not one kind of compute unit",
    "device @{name} has {count} kinds of units with ktdf_arch.feature.compute ({kinds}), not one",
    cause="The scheduler maps element-wise work to the one kind of unit that computes.",
    example='%c = exec_unit {kind = "CU", ktdf_arch.features = {ktdf_arch.feature.compute}}\n'
    '%d = exec_unit {kind = "DU", ktdf_arch.features = {ktdf_arch.feature.compute}}',
    fix="give the feature to one kind; other units take a feature with a prefix of their own",
)
UNKNOWN_KIND = define(
    "SPY306",
    "device has no such memory or unit",
    "device @{name} has no {what} '{kind}'; it has {known}",
    cause="A memory or unit was asked for by a kind that the device description does not hold.",
    example='Device.load("sample_device").route("HBM", "SFU")',
    fix="use one of the kinds in the message",
    also=KeyError,
)
NO_ROUTE = define(
    "SPY307",
    "no datapath",
    "device @{name} has no way from {source} to {target}",
    cause="No chain of datapaths through memories, load and store units connects the two.",
    example='Device.load("sample_device").route("SFU_REG", "DDR")',
    fix="add the missing datapath to the device file",
)
NO_LANES = define(
    "SPY308",
    "device cannot compute on this type",
    "{unit} of device @{name} has no lanes for {dtype}; it has {known}",
    cause="The compute unit's simd feature lists the types it computes on; this one is missing.",
    example='Device.load("sample_device").lanes("f64")',
    fix="cast to one of the types in the message, or add the type to `lanes` in the device file",
)
NO_SPACE = define(
    "SPY309",
    "memory space without device memory",
    "device @{name} maps the space '{space}' to no memory",
    cause="`mem_space_mapping` of the device says which memory `global` and `ct_local` stand for.",
    example='ktdf_arch.device @d { %m = memory {kind = "M"} }',
    fix='add mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "M", …> to the device',
)
PATTERN_FILE = define(
    "SPY310",
    "unusable pattern file",
    "pattern file '{path}': {why}",
    cause="A file named in `spyrelang.pattern_files`, or given to `with_patterns`, is unusable.",
    example='ktdf_arch.device @d attributes {spyrelang.pattern_files = ["nowhere.mlir"]} { … }',
    fix="give the path of a file with one ktdf_arch.device that holds only patterns",
)
PATTERN = define(
    "SPY320",
    "pattern does not work",
    "a pattern of '{source}' at {checkpoint} fails: {why}",
    cause="A PDL pattern is refused by MLIR, or calls a native function that does not exist.",
    example='apply_native_rewrite "spyrelang.mark"(%op : !pdl.operation)',
    fix="correct the pattern; spyrelang/device/natives.py lists the native functions",
)
NO_FIXED_POINT = define(
    "SPY321",
    "patterns never finish",
    "the patterns of device @{name} at {checkpoint} do not reach a fixed point",
    cause="A pattern matches what it, or another one, has made, so rewriting goes on for ever.",
    example='%op = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)\n'
    'rewrite %op {\n  %n = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)\n'
    "  replace %op with %n\n}",
    fix="let every pattern exclude its own result",
)
NATIVE = define(
    "SPY323",
    "native function misused",
    "{function} in a pattern: {why}",
    cause="A native function was called with arguments it does not take.",
    example='%a = attribute = "half"\n'
    'apply_native_rewrite "spyrelang.splat"(%a, %x : !pdl.attribute, !pdl.value)',
    fix="pass the arguments that the message names",
)
