"""Device descriptions: what the files that come with spyrelang say, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spyrelang.device import Device, shipped
from spyrelang.errors import SpyreError

OTHER = Path(__file__).parents[2] / "data" / "other_device.mlir"
ALL = ("sample_device", "spyre", str(OTHER))


@pytest.mark.parametrize("name", ALL)
def test_ways_lead_to_the_compute_unit_and_back(name: str) -> None:
    device = Device.load(name)
    memory = device.memory_of_space("global")
    unit = device.compute_unit.kind
    there, back = device.route(memory, unit), device.route(unit, memory)
    assert there[0] == back[-1] == memory
    assert there[-1] == back[0] == unit
    # Between two memories, or a memory and the unit, stands exactly one unit that moves data.
    assert [device.is_memory(k) for k in there[:-1]] == [True, False] * (len(there) // 2)
    assert device.memory_of_space("ct_local") in there
    assert device.space_of_memory(memory) == "global"


def test_the_sample_device() -> None:
    device = Device.load("sample_device")
    assert device.route("DDR", "SFU") == ["DDR", "MNILU", "L1", "L1LU", "SFU"]
    assert device.route("SFU", "DDR") == ["SFU", "L1SU", "L1", "MNISU", "DDR"]
    assert (device.cores, device.corelets) == (32, 2)
    assert device.capacity("L1") == 1 << 20
    assert device.lanes("f16") == 64
    assert device.lanes("SFU", "f32") == 32
    assert device.lanes("L1LU", "f32") == 0
    assert device.word_size("MNILU", "DDR") == 64
    assert device.word_size("L1LU", "L1") == 1
    assert device.word_size("SFU", "L1") == 1
    assert device.can_splat("L1LU")
    assert not device.can_splat("MNILU")
    assert device.instances("L1LU") == 2
    assert device.instances("L1") == 1
    assert device.bandwidth("MNILU", "DDR") == 256
    assert device.bandwidth("MNISU", "DDR") == 128
    scopes = {m.kind: (m.scope, m.parent) for m in device.memories}
    assert scopes == {"DDR": ("device", None), "L1": ("core", "DDR"), "SFU_REG": ("unit", "L1")}
    assert device.is_shared("DDR")
    assert not device.is_shared("L1")
    assert device.is_per_instance("SFU_REG")


@pytest.mark.parametrize("name", ALL)
def test_one_element_of_every_type_can_be_loaded(name: str) -> None:
    device = Device.load(name)
    loader = device.unit(
        device.route(device.memory_of_space("global"), device.compute_unit.kind)[-2]
    )
    memory = device.memory_of_space("ct_local")
    assert loader.load is not None
    for size in (1, 2, 4, 8):
        found = loader.load.serving(memory, size, size)
        assert found is not None
        assert found.size == size


def test_spyre() -> None:
    device = Device.load("spyre")
    assert (device.cores, device.corelets) == (32, 2)
    assert device.capacity("L1") == 2 << 20
    matrix = device.unit("PE")
    assert not matrix.compute
    assert "spyrelang.matrix" in matrix.features
    assert device.route("DDR", "PE") == ["DDR", "MNILU", "L1", "L1LU", "PE"]
    assert device.route("PE", "DDR") == ["PE", "L1SU", "L1", "MNISU", "DDR"]
    assert device.path("PE", "SFU") == ("PE", "SFU")


def test_the_other_device() -> None:
    device = Device.load(OTHER)
    assert device.route("HOST", "VEC") == ["HOST", "FETCH", "L2", "FILL", "SPM", "READ", "VEC"]
    assert (device.cores, device.corelets, device.lanes("f16")) == (8, 1, 16)
    queues = [d.depth for d in device.datapaths if d.source == "READ"]
    assert queues == [4]


def test_names_and_caching() -> None:
    assert shipped() == ["sample_device", "spyre"]
    assert Device.load("spyre") is Device.load("spyre")
    assert Device.load("spyre").import_path == "spyre.mlir"
    assert "@spyre" in Device.load("spyre").text


def test_a_summary_for_people() -> None:
    text = Device.load("spyre").describe()
    assert "up to 32 cores, 2 compute instances per core" in text
    assert "L1       2 MiB    one per core       ct_local" in text
    assert "spyrelang.matrix" in text


SMALL = """
ktdf_arch.device @small {attributes} {{
  %m = memory {{kind = "M", size = 4096}}
  {body}
}}
"""
CORE = """group {{core}} share(%m) {{
    %l = exec_unit {{kind = "LU", ktdf_arch.features = {{ktdf_arch.feature.load}}}}
    %c = exec_unit {{kind = "CU", ktdf_arch.features = {{ktdf_arch.feature.compute}}}}
    datapath %m to %l : memory, exec_unit
    datapath %l to %c : exec_unit, exec_unit
  }}""".replace("{{", "{").replace("}}", "}")


def small(body: str = CORE, attributes: str = "", core: str = "") -> Device:
    attributes = f"attributes {{{attributes}}}" if attributes else ""
    text = SMALL.format(attributes=attributes, body=body.replace("{core}", core))
    return Device.from_text(text, "small.mlir")


def refused(code: str, make: Any) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        make()
    assert caught.value.code == code, caught.value
    return caught.value


def test_a_small_device() -> None:
    device = small(core="{spyrelang.cores = 3}")
    assert (device.name, device.cores, device.corelets) == ("small", 3, 1)
    assert device.route("M", "CU") == ["M", "LU", "CU"]
    assert device.bandwidth("LU", "M") == 128


def test_a_switch_is_seen_through() -> None:
    device = small(
        """%s:3 = switch [3] {connectivity = sparse<[[0, 1]], true> : tensor<3x3xi1>}
  %l = exec_unit {kind = "LU", ktdf_arch.features = {ktdf_arch.feature.load}}
  %x = exec_unit {kind = "XU", ktdf_arch.features = {ktdf_arch.feature.load}}
  %c = exec_unit {kind = "CU", ktdf_arch.features = {ktdf_arch.feature.compute}}
  datapath {ktdf_arch.bandwidth = 8, spyrelang.latency = 3} %m to %s#0 : memory, port
  datapath {ktdf_arch.bandwidth = 4, spyrelang.latency = 2} %s#1 to %l : port, exec_unit
  datapath %s#2 to %x : port, exec_unit
  datapath %l to %c : exec_unit, exec_unit
  datapath %x to %c : exec_unit, exec_unit"""
    )
    assert device.route("M", "CU") == ["M", "LU", "CU"]
    link = next(d for d in device.datapaths if d.source == "M")
    assert (link.target, link.bandwidth, link.latency) == ("LU", 4, 5)
    refused("SPY307", lambda: device.route("M", "XU"))


def test_not_found() -> None:
    error = refused("SPY301", lambda: Device.load("spyer"))
    assert "spyre" in (error.hint or "")
    refused("SPY301", lambda: Device.load(""))
    refused("SPY301", lambda: Device.load("no/such/file.mlir"))
    refused("SPY301", lambda: Device.load("a\0b"))


def test_no_route_crosses_to_a_neighbor() -> None:
    ring = """%n = neighborhood %c : (exec_unit)[4] {
      yield %c
    }
    %next = neighbor affine_map<(d0) -> (d0 + 1)> in %n
    datapath %c to %next : exec_unit, exec_unit
  }"""
    device = small(CORE.replace("\n  }", f"\n    {ring}"))
    assert [d.target for d in device.datapaths] == [d.target for d in small().datapaths]
    assert device.compute_units == small().compute_units


def test_not_one_device() -> None:
    refused("SPY302", lambda: Device.from_text("module {}", "x.mlir"))
    refused("SPY101", lambda: Device.from_text("ktdf_arch.device {", "x.mlir"))


def test_one_kind_of_compute_unit() -> None:
    refused("SPY305", lambda: small('%c = exec_unit {kind = "C"}'))
    two = CORE + '\n  %d = exec_unit {kind = "D", ktdf_arch.features = {ktdf_arch.feature.compute}}'
    error = refused("SPY305", lambda: small(two))
    assert "CU, D" in error.message or "D, CU" in error.message


def test_rules_of_a_usable_device() -> None:
    refused("SPY304", lambda: small(f"{CORE}\n  {CORE}"))
    refused("SPY304", lambda: small(core="{spyrelang.cores = 0}"))
    wrong = '#ktdf_arch.map<#ktdp.memory_space<global> = "X">'
    refused("SPY304", lambda: small(attributes=f"mem_space_mapping = {wrong}"))


def test_questions_about_what_is_not_there() -> None:
    device = small()
    error = refused("SPY306", lambda: device.route("HBM", "CU"))
    assert "M, LU, CU" in error.message
    refused("SPY306", lambda: device.unit("M"))
    refused("SPY306", lambda: device.memory("CU"))
    refused("SPY306", lambda: device.instances("X"))
    refused("SPY307", lambda: device.route("CU", "M"))
    assert device.path("CU", "M") == ()
    assert "none" in refused("SPY308", lambda: device.lanes("f16")).message
    error = refused("SPY308", lambda: Device.load("spyre").lanes("f64"))
    assert "f64" in error.message
    assert "f16 (64)" in error.message
    refused("SPY309", lambda: device.memory_of_space("global"))
    refused("SPY309", lambda: device.space_of_memory("M"))


def test_import(tmp_path: Path) -> None:
    body = SMALL.format(attributes="attributes {note = 1}", body=CORE.replace("{core}", ""))
    (tmp_path / "body.mlir").write_text(body)
    mapping = '#ktdf_arch.map<#ktdp.memory_space<global> = "M">'
    main = tmp_path / "main.mlir"
    main.write_text(
        f'ktdf_arch.device @small attributes {{mem_space_mapping = {mapping}}} import("body.mlir")'
    )
    device = Device.load(main)
    assert device.memory_of_space("global") == "M"
    assert "exec_unit" in device.text  # part of cache keys
    for text in (
        'ktdf_arch.device @small import("nowhere.mlir")',
        'ktdf_arch.device @large import("body.mlir")',
        'ktdf_arch.device @small import("main.mlir")',
    ):
        main.write_text(text)
        refused("SPY303", lambda: Device.load(main))
