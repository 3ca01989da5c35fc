"""The fast engine gives the bits of the checked one, on random programs."""

from __future__ import annotations

import pytest
from fast_programs import launch, same_bits, scratch_program, tiled_program, traffic_program

from spyrelang.engines.fast import axes, hazards, nests


@pytest.mark.parametrize("seed", range(25))
def test_tiles_through_a_pipeline(seed: int) -> None:
    exe, arrays = tiled_program(seed)
    before = arrays[-1].copy()
    after = same_bits(exe, arrays)[-1]
    assert after.shape == before.shape


@pytest.mark.parametrize("seed", range(50))
def test_dependences_through_memory(seed: int) -> None:
    same_bits(*scratch_program(seed))


@pytest.mark.parametrize("seed", range(50))
def test_fifo_traffic_of_other_shapes(seed: int) -> None:
    same_bits(*traffic_program(seed))


def differs(seed: int) -> bool:
    try:
        same_bits(*scratch_program(seed))
    except AssertionError:
        return True
    return False


def test_the_dependence_test_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hazards, "conflict_test", lambda *args: None)
    assert any(differs(seed) for seed in range(50))


def test_carried_cells_are_refused_for_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hazards, "refuse_carried", lambda *args: None)
    assert any(differs(seed) for seed in range(50))


def test_loops_become_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks: list[int] = []
    plain = nests.Nest._chunk

    def counted(self: nests.Nest, f: list[object], number: int) -> None:
        chunks.append(number)
        plain(self, f, number)

    monkeypatch.setattr(nests.Nest, "_chunk", counted)
    for seed in range(5):
        exe, arrays = tiled_program(seed)
        launch(exe, arrays, "fast")
    assert max(chunks) > 1


def test_small_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nests, "CHUNK", 300)
    for seed in range(12):
        same_bits(*traffic_program(seed))
        same_bits(*tiled_program(seed))


def test_cut_up_nests_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nests, "LARGEST", 300)
    monkeypatch.setattr(nests, "CHUNK", 300)
    for seed in range(12):
        same_bits(*traffic_program(seed))
        same_bits(*tiled_program(seed))


def test_plain_loops_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(axes, "_may_be_axis", lambda body: False)
    for seed in range(6):
        same_bits(*tiled_program(seed))
        same_bits(*scratch_program(seed))
