"""Running patterns: native functions, checkpoints, pattern files, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from straight_line import function

from spyrelang import ir
from spyrelang.device import Device, patterns
from spyrelang.errors import SpyreError

DEVICE = """
ktdf_arch.device @small {attributes} {{
  %m = memory {{kind = "M", size = 4096}}
  %c = exec_unit {{kind = "CU", ktdf_arch.features = {{ktdf_arch.feature.compute}}}}
  datapath %m to %c : memory, exec_unit
  {patterns}
}}
"""
COS = """pdl.pattern : benefit(1) {{
      %t = type
      %x = operand : %t
      %op = operation "math.cos"(%x : !pdl.value) -> (%t : !pdl.type)
      {constraint}
      rewrite %op {{
        {rewrite}
      }}
    }}"""


def device(rewrite: str, constraint: str = "", group: str = "pre_mapping") -> Device:
    text = COS.format(rewrite=rewrite, constraint=constraint)
    body = f'patterns ["{group}"] {{\n    {text}\n  }}'
    return Device.from_text(DEVICE.format(attributes="", patterns=body), "small.mlir")


def cosine(kind: str = "f32") -> ir.Module:
    return function(f"  %r = math.cos %x : {kind}", f"%x: {kind}", kind)


def rewritten(device: Device, module: ir.Module | None = None) -> str:
    module = module or cosine()
    patterns.apply(module, device, "pre_mapping")
    return ir.print_module(module)


SINE = """%n = operation "math.sin"(%x : !pdl.value) -> (%t : !pdl.type)
        replace %op with %n"""
MARK = """%a = attribute = "CU"
        apply_native_rewrite "ktdf_arch.map_to"(%op, %a : !pdl.operation, !pdl.attribute)"""
UNMAPPED = (
    'apply_native_constraint "ktdf_arch.mapped_to"(%op : !pdl.operation)'
    " : !pdl.attribute {isNegated = true}"
)


def test_a_pattern_rewrites_at_its_checkpoint_only() -> None:
    assert "math.sin" in rewritten(device(SINE))
    assert "math.cos" in rewritten(device(SINE, group="post_lowering"))


def test_a_set_without_groups_always_applies() -> None:
    body = "patterns {\n" + COS.format(rewrite=SINE, constraint="") + "\n}"
    always = Device.from_text(DEVICE.format(attributes="", patterns=body), "small.mlir")
    assert "math.sin" in rewritten(always)
    assert len(always.patterns("anything")) == 1


def test_marking_in_place() -> None:
    text = rewritten(device(MARK, f"%old = {UNMAPPED}"))
    assert 'math.cos %arg0 {ktdf_arch.maps_to = "CU"}' in text


def test_a_pattern_that_matches_its_own_result_is_refused() -> None:
    again = """%n = operation "math.cos"(%x : !pdl.value) -> (%t : !pdl.type)
        replace %op with %n"""
    with pytest.raises(SpyreError, match="SPY321"):
        rewritten(device(again))
    with pytest.raises(SpyreError, match="SPY321"):
        rewritten(device(MARK))


FEATURE = """%n = attribute = "ktdf_arch.feature.queue"
        %v = attribute = {depth = 4 : i64}
        apply_native_rewrite "ktdf_arch.set_feature"(
          %op, %n, %v : !pdl.operation, !pdl.attribute, !pdl.attribute)"""


def required(depth: int, negated: bool = False) -> str:
    tail = " {isNegated = true}" if negated else ""
    return f"""%name = attribute = "ktdf_arch.feature.queue"
      %wanted = attribute = {{depth = {depth} : i64}}
      %old = apply_native_constraint "ktdf_arch.has_feature"(
        %op, %name, %wanted : !pdl.operation, !pdl.attribute, !pdl.attribute)
        : !pdl.attribute{tail}"""


def test_features() -> None:
    module = cosine()
    patterns.apply(module, device(FEATURE, required(1, negated=True)), "pre_mapping")
    assert "ktdf_arch.feature.queue = {depth = 4 : i64}" in ir.print_module(module)
    assert "math.cos" in rewritten(device(SINE, required(5)), module.clone())
    assert "math.sin" in rewritten(device(SINE, required(4)), module.clone())
    assert "math.cos" in rewritten(device(SINE, required(1)))


SPLAT = """%a = attribute = 2.5 : f32
        %v = apply_native_rewrite "spyrelang.splat"(%a, %x : !pdl.attribute, !pdl.value)
          : !pdl.value
        replace %op with (%v : !pdl.value)"""


@pytest.mark.parametrize(
    ("kind", "constant"),
    [
        ("f32", "arith.constant 2.500000e+00 : f32"),
        ("bf16", "arith.constant 2.500000e+00 : bf16"),
        ("vector<8xf16>", "vectorchain.constant_bitstream {value = [0x4100]} : vector<1xf16>"),
        ("vector<8xbf16>", "vectorchain.constant_bitstream {value = [0x4020]} : vector<1xbf16>"),
    ],
)
def test_splat(kind: str, constant: str) -> None:
    text = rewritten(device(SPLAT), cosine(kind))
    assert constant in text
    assert ("repetition = 8" in text) == kind.startswith("vector")


def test_splat_needs_a_number() -> None:
    with pytest.raises(SpyreError, match="SPY323"):
        rewritten(device(SPLAT.replace("2.5 : f32", '"x"')))


def test_mask_type() -> None:
    rewrite = """%i = apply_native_rewrite "spyrelang.mask_type"(%t : !pdl.type) : !pdl.type
        %p = attribute = 1 : i64
        %is = operation "arith.cmpf"(%x, %x : !pdl.value, !pdl.value)
          {"predicate" = %p} -> (%i : !pdl.type)
        %v = result 0 of %is
        %n = operation "arith.uitofp"(%v : !pdl.value) -> (%t : !pdl.type)
        replace %op with %n"""
    assert "vector<4xi1>" in rewritten(device(rewrite), cosine("vector<4xf32>"))
    assert "arith.uitofp %0 : i1 to f32" in rewritten(device(rewrite))


@pytest.mark.parametrize(
    "rewrite",
    [
        MARK.replace("ktdf_arch.map_to", "no.such"),
        MARK.replace("map_to", "mapped_to"),
        MARK.replace("%op, %a : !pdl.operation, !pdl.attribute", "%op : !pdl.operation"),
        SPLAT.replace("          : !pdl.value", "          : !pdl.type").replace(
            "replace %op with (%v : !pdl.value)", "erase %op"
        ),
        # what it makes is not legal
        SINE.replace("math.sin", "arith.addi").replace(
            "(%x : !pdl.value)", "(%x, %x : !pdl.value, !pdl.value)"
        ),
    ],
)
def test_patterns_that_do_not_work(rewrite: str) -> None:
    with pytest.raises(SpyreError, match="SPY320"):
        rewritten(device(rewrite))


def test_patterns_that_make_mlir_abort() -> None:
    result = "%v = result 3000000000 of %n\n        erase %op"
    rewrite = SINE.replace("replace %op with %n", result)
    with pytest.raises(SpyreError, match=r"SPY320.*aborts"):
        rewritten(device(rewrite))


def test_external_rewriters_are_refused() -> None:
    body = """patterns {
    pdl.pattern : benefit(1) {
      %op = operation "math.cos"
      rewrite %op with "somewhere"
    }
  }"""
    made = Device.from_text(DEVICE.format(attributes="", patterns=body), "small.mlir")
    with pytest.raises(SpyreError, match="SPY320"):
        rewritten(made)


def test_pattern_files(tmp_path: Path) -> None:
    body = 'patterns ["pre_mapping"] {\n' + COS.format(rewrite=SINE, constraint="") + "\n}"
    extra = tmp_path / "extra.mlir"
    extra.write_text(f"ktdf_arch.device @extra {{ {body} }}")
    plain = Device.from_text(DEVICE.format(attributes="", patterns=""), "small.mlir")
    assert plain.patterns("pre_mapping") == []
    more = plain.with_patterns(extra)
    assert "math.sin" in rewritten(more)
    assert more.text != plain.text
    main = tmp_path / "main.mlir"
    named = 'attributes {spyrelang.pattern_files = ["extra.mlir"]}'
    main.write_text(DEVICE.format(attributes=named, patterns=""))
    loaded = Device.load(main)
    assert "math.sin" in rewritten(loaded)
    assert Device.load(main) is loaded
    extra.write_text(extra.read_text().replace("math.sin", "math.tan"))
    assert "math.tan" in rewritten(Device.load(main))


def test_unusable_pattern_files(tmp_path: Path) -> None:
    plain = Device.from_text(DEVICE.format(attributes="", patterns=""), "small.mlir")
    with pytest.raises(SpyreError, match="SPY310"):
        plain.with_patterns(tmp_path / "nowhere.mlir")
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text(DEVICE.format(attributes="", patterns=""))
    with pytest.raises(SpyreError, match="SPY310"):
        plain.with_patterns(wrong)
    text = DEVICE.format(attributes="attributes {spyrelang.pattern_files = 3}", patterns="")
    with pytest.raises(SpyreError, match="SPY310"):
        Device.from_text(text, str(tmp_path / "x.mlir"))
