"""Names and calls that the language does not have, outside of what the golden messages show."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.language.unknown import ELSEWHERE


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_names_of_other_languages(name: str) -> None:
    with pytest.raises(spyre.SpyreError, match="SPY289") as error:
        getattr(spy, name)
    assert error.value.hint == ELSEWHERE[name]


def test_python_asks_for_names_too() -> None:
    assert not hasattr(spy, "__wrapped__")
    assert not hasattr(spy, "nothing_like_it")
    with pytest.raises(ImportError):
        exec("from spyrelang.language import nothing_like_it")


def test_errors_of_the_author_stay_what_they_are() -> None:
    """Only calls of the language are explained: not those of the author's own functions, not
    errors from inside of a call."""

    def sum(x: object) -> object:
        return x

    def own(x: spy.In, out: spy.Out):
        out[:] = sum(x[:], dim=1)  # type: ignore[call-arg]

    def inside(x: spy.In, out: spy.Out):
        out[:] = "text" + 1  # type: ignore[operator]

    x = np.zeros(4, np.float32)
    for function, words in ((own, "unexpected keyword"), (inside, "concatenate")):
        with pytest.raises(TypeError, match=words) as error:
            spyre.kernel(function)(x, x.copy(), engine="ktir")
        assert not isinstance(error.value, spyre.SpyreError)


def test_traced_integers_in_texts() -> None:
    said: list[str] = []

    @spyre.kernel(grid=2)
    def kernel(out: spy.Out):
        said.append(f"{spy.tile_id():3d}|{spy.tile_id()}")
        out[spy.tile_id()] = 1.0

    kernel(np.zeros(2, np.float32), engine="ktir")
    assert said == ["|".join(["<traced integer tile in 0..1>"] * 2)]
