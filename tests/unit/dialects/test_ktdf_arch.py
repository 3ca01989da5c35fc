"""ktdf_arch: both texts, structure rules, properties, features and their matching."""

from __future__ import annotations

import pytest
from dialect_cases import check_round_trip, printed, refused

from spyrelang.dialects.ktdf_arch import FEATURE, map_entries
from spyrelang.dialects.ktdf_arch.attributes import Broken
from spyrelang.dialects.ktdf_arch.matching import satisfies

M = "%m = memory {kind = 1}"
U = "%u = exec_unit"
LINK = "%m to %u : memory, exec_unit"


def device(body: str) -> str:
    return f"ktdf_arch.device @d {{ {body} }}"


def with_feature(feature: str) -> str:
    return device(f"%u = exec_unit {{ktdf_arch.features = {{ktdf_arch.feature.{feature}}}}}")


def with_property(text: str) -> str:
    return device(f"{M} {U} datapath {{ktdf_arch.{text}}} {LINK}")


def test_round_trip() -> None:
    check_round_trip("ktdf_arch")


@pytest.mark.parametrize(
    "text",
    [
        device(""),
        "ktdf_arch.device @d",
        "ktdf_arch.device { }",
        'ktdf_arch.device @d import("x.mlir") attributes {note}',
        '"ktdf_arch.device"() <{import_path = "x", sym_name = "d"}> ({'
        ' %u = "ktdf_arch.exec_unit"() : () -> !ktdf_arch.exec_unit }) : () -> ()',
        f"{device(M)} {device(M)}",
        device(f"{M} func.func private @x()"),
        device("%m = memory @a {kind = 1} group share() { %n = exec_unit @a }"),
        "func.func @f() { %m = ktdf_arch.memory {kind = 1} return }",
        device("%m = memory {size = 4}"),
        device("%m = memory {kind = 1.0}"),
        device("%m = memory {kind = @x}"),
        device('%m = memory {kind = ""}'),
        device('%m = memory "x"'),
        device("%m = memory {kind = 1, size = 0}"),
        device("%m = memory {kind = 1, size = 4 : i32}"),
        device("group { }"),
        device(f"{M} group share() {{ datapath %m to %m : memory, memory }}"),
        device(f"{M} {U} group share() {{ %v = exec_unit datapath %m to %v : memory, exec_unit }}"),
        device(f"{U} group share(%u) {{ }}"),
        device(f"{M} group share(%m, %m) {{ }}"),
        device("%v = group share() { } -> exec_unit"),
        device("group share() { %x = exec_unit yield %x }"),
        device('group share() { } {kind = "x"}'),
        device("yield"),
        device("%s:2 = switch [2] {connectivity = dense<1> : tensor<3x3xi1>}"),
        device("%s:2 = switch [2] {connectivity = dense<1> : tensor<2x2xi8>}"),
        device("%s:2 = switch [-2]"),
        device("%s:2 = switch @x [2]"),
        device(f"{M} datapath %m to %m : memory, memory"),
        device(f"{M} {U} datapath %m, %u : memory, exec_unit"),
        device(f"{M} {U} datapath %m to %u : memory, compute"),
        device(f"{M} patterns {{ func.func private @x() }}"),
        device("group share() { patterns { } }"),
        device(f"{M} patterns [1] {{ }}"),
        with_property("bandwidth = 0"),
        with_property("transfer_granularity = 64"),
        with_property("transfer_granularity = array<i64: -1>"),
        with_property("transfer_granularity = array<i64: 2, 2>"),
        with_property('overlaps = "x"'),
        with_property("unknown = 1"),
        device("%u = exec_unit {ktdf_arch.bandwidth = 4}"),
        device('%u = exec_unit {ktdf_arch.maps_to = "x"}'),
        device("%u = exec_unit {ktdf_arch.features = 1}"),
        device("%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.load}}"),
        with_feature("queue"),
        with_feature("bogus"),
        with_feature("load = 1"),
        with_feature('load = {word_size = #ktdf_arch.map<"M" = 0>}'),
        with_feature('load = {word_size = #ktdf_arch.map<"M" = 4 : i32>}'),
        with_feature('store = {access_granularity = #ktdf_arch.map<"M" = 1>}'),
        with_feature('store = {access_granularity = #ktdf_arch.map<"M" = [{align_in_words = 1}]>}'),
        with_feature('simd = {lanes = #ktdf_arch.map<"f16" = 64>}'),
        with_feature("simd = {splat = 1}"),
        with_property("features = {ktdf_arch.feature.queue = {size = 0}}"),
        "func.func private @f() attributes {ktdf_arch.anything = 1}",
        "func.func private @f() attributes {ktdf_arch.bandwidth = 4}",
        "func.func private @f() attributes"
        " {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 0}}}",
        'func.func private @f() attributes {a = #ktdf_arch.map<"a" = 1, "a" = 2>}',
        "func.func private @f() attributes {a = #ktdf_arch.map<a = 1>}",
        'func.func private @f() attributes {a = #ktdf_arch.map<"a">}',
        'func.func private @f() attributes {a = #ktdf_arch.map<"a" = 1,>}',
        'func.func private @f() attributes {a = #ktdf_arch.map<"a" = array<index: 1>>}',
    ],
)
def test_refusals(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        device('%m = memory @a {id = "b", kind = true}'),
        with_feature("simd = {lanes = #ktdf_arch.map<f16 = 0>, any_key}"),
        device("%u = exec_unit {ktdf_arch.features = {other.thing, plain}}"),
        device("%s:0 = switch [0] group share() { }").replace("%s:0 = ", ""),
        device("%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.register_file}}"),
        device(
            "%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.indirect_address_buffer"
            " = {num_entries = 32, entry_type = si32}}}"
        ),
        "func.func private @f() attributes {a = #ktdf_arch.map<1 : i32 = 1, 1 : i64 = {}>}",
    ],
)
def test_odd_but_legal(text: str) -> None:
    once = printed(text)
    assert printed(once) == once


def test_the_dictionary_wins_over_the_id_before_it() -> None:
    assert '@b {id = "b", kind = 1 : i64}' in printed(device('%m = memory @a {id = "b", kind = 1}'))


def test_shared_memories_keep_their_names_in_nested_groups() -> None:
    text = printed(
        device(
            f"{M} group share(%m) {{ %n = memory {{kind = 2}} group share(%n, %m) {{"
            " datapath %m to %n : memory, memory } } "
        )
    )
    assert "group share(%memory_0, %memory) {" in text
    assert "datapath %memory to %memory_0 : memory, memory" in text


def test_map_entries() -> None:
    assert map_entries('#ktdf_arch.map<"a" = 1 : i64, f16 = {b = [2]}>') == {
        '"a"': "1 : i64",
        "f16": "{b = [2]}",
    }
    with pytest.raises(Broken):
        map_entries("[1]")


LOAD = '{word_size = #ktdf_arch.map<"M" = 4>, access_granularity = #ktdf_arch.map<"M" = [%s]>}'
ONE = LOAD % "{size_in_words = 2, align_in_words = 2}"
SIMD = "{lanes = #ktdf_arch.map<f16 = 8 : i64>, splat}"


@pytest.mark.parametrize(
    ("feature", "required", "provided", "holds"),
    [
        ("compute", None, None, True),
        ("compute", '"a"', '"b"', False),
        ("compute", '"a"', '"a"', True),
        ("load", "unit", ONE, True),
        ("load", ONE, ONE, True),
        ("load", LOAD % "{size_in_words = 1, align_in_words = 2}", ONE, True),
        ("load", LOAD % "{size_in_words = 1}", ONE, False),
        ("load", LOAD % "{size_in_words = 4, align_in_words = 4}", ONE, False),
        ("load", '{word_size = #ktdf_arch.map<"M" = 2>}', ONE, False),
        ("load", '{word_size = #ktdf_arch.map<"N" = 1>}', ONE, True),
        ("simd", "{splat}", SIMD, True),
        ("simd", "{zero_pad}", SIMD, False),
        ("simd", "{lanes = #ktdf_arch.map<f16 = 8>}", SIMD, True),
        ("simd", "{lanes = #ktdf_arch.map<f16 = 9>}", SIMD, False),
        ("simd", "{lanes = #ktdf_arch.map<f32 = 1>}", SIMD, False),
        ("queue", "{depth = 4}", "{depth = 4, ordered}", True),
        ("queue", "{depth = 5}", "{depth = 4}", False),
        ("queue", "{size = 1}", "{depth = 4}", False),
        ("queue", "{ordered}", "{depth = 4}", False),
        ("other", "1", "2", False),
    ],
)
def test_matching(feature: str, required: str | None, provided: str | None, holds: bool) -> None:
    assert satisfies(FEATURE + feature, required, provided) == holds
