"""Settings from the environment and from overrides."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from spyrelang import settings
from spyrelang.errors import SpyreError


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    for row in settings.table():
        monkeypatch.delenv(row.variable, raising=False)


def test_defaults():
    now = settings.current()
    assert (now.device, now.cache, now.colour) == ("spyre", True, "auto")
    assert (now.checked_full_limit, now.seed, now.dump) == (50_000, 0, None)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("device", "sample_device", "sample_device"),
        ("cache", "off", False),
        ("cache", " YES ", True),
        ("colour", "Never", "never"),
        ("checked_full_limit", "0", 0),
        ("seed", "17", 17),
        ("memory_limit", "4096", 4096),
        ("trip_limit", "10", 10),
        ("dump", "/no/such/place", Path("/no/such/place")),
        ("dump", "", None),
    ],
)
def test_environment(monkeypatch, name, text, value):
    monkeypatch.setenv(settings.variable(name), text)
    assert getattr(settings.current(), name) == value
    (row,) = (r for r in settings.table() if r.name == name)
    assert (row.value, row.origin) == (value, "environment")
    assert row.help
    assert row.variable == f"SPYRELANG_{name.upper()}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("device", " "),
        ("cache", "maybe"),
        ("colour", "sometimes"),
        ("seed", "-1"),
        ("seed", "1.5"),
        ("checked_full_limit", "many"),
        ("dump", __file__),
    ],
)
def test_bad_values(monkeypatch, name, text):
    with pytest.raises(SpyreError) as caught, settings.override(**{name: text}):
        pass
    assert caught.value.code == "SPY802"
    assert isinstance(caught.value, ValueError)
    monkeypatch.setenv(settings.variable(name), text)
    with pytest.raises(SpyreError) as caught:
        settings.current()
    assert caught.value.code == "SPY802"
    assert settings.variable(name) in str(caught.value)


def test_override_nests_and_ends(monkeypatch):
    monkeypatch.setenv("SPYRELANG_SEED", "3")
    with settings.override(seed=4, colour="always") as outer:
        assert (outer.seed, settings.current().seed) == (4, 4)
        with settings.override(seed=5):
            assert (settings.current().seed, settings.current().colour) == (5, "always")
            origins = {r.name: r.origin for r in settings.table()}
            assert origins["seed"] == origins["colour"] == "override"
            assert origins["device"] == "default"
        assert settings.current().seed == 4
    assert settings.current().seed == 3


def test_override_ends_on_errors_and_stays_in_its_thread():
    seen: list[int] = []

    def fail() -> None:
        with settings.override(seed=9):
            thread = threading.Thread(target=lambda: seen.append(settings.current().seed))
            thread.start()
            thread.join()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [0]
    assert settings.current().seed == 0


@pytest.mark.parametrize(
    "values", [{"seed": True}, {"seed": 1.0}, {"cache": 2}, {"device": 3}, {"seed": None}]
)
def test_values_of_the_wrong_kind(values):
    with pytest.raises(SpyreError) as caught, settings.override(**values):
        pass
    assert caught.value.code == "SPY802"


def test_unknown_names(monkeypatch):
    with pytest.raises(SpyreError) as caught, settings.override(colours=True):
        pass
    assert caught.value.code == "SPY801"
    monkeypatch.setenv("SPYRELANG_COLOURS", "never")
    assert settings.unknown_variables() == ("SPYRELANG_COLOURS",)


def test_every_setting_has_a_row():
    names = [row.name for row in settings.table()]
    limits = ["checked_full_limit", "memory_limit", "trip_limit"]
    assert names == ["device", "cache", "colour", *limits, "seed", "dump"]
    assert all(row.origin == "default" and row.value == row.default for row in settings.table())
