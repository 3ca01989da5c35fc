"""ktdf_arch: both texts, structure rules, properties, features and their matching."""

from __future__ import annotations

import pytest
from dialect_cases import check_round_trip, printed

from spyrelang.dialects.ktdf_arch import FEATURE, map_entries
from spyrelang.dialects.ktdf_arch.attributes import Broken
from spyrelang.dialects.ktdf_arch.matching import satisfies

M = "%m = memory {kind = 1}"


def device(body: str) -> str:
    return f"ktdf_arch.device @d {{ {body} }}"


def with_feature(feature: str) -> str:
    return device(f"%u = exec_unit {{ktdf_arch.features = {{ktdf_arch.feature.{feature}}}}}")


def test_round_trip() -> None:
    check_round_trip("ktdf_arch")


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
