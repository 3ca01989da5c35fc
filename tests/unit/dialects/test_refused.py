"""What each dialect refuses, with its code, its words and its place, and what it takes though odd.

`refused/*.mlir` hold the cases. `// ----- title` begins a group. Its first lines, if they hold
CASE, are the text around the cases from here on; then come the cases, each behind
`// expected-error CODE: words` or `// accepted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from dialect_cases import printed

from spyrelang import ir
from spyrelang.errors import SpyreError

MARK = re.compile(r"// (?:expected-error (?P<code>SPY\d+): (?P<words>.*)|accepted)\n")


@dataclass(frozen=True)
class Case:
    around: str
    text: str
    code: str | None
    words: str | None

    @property
    def source(self) -> str:
        return self.around.replace("CASE", self.text)

    @property
    def lines(self) -> range:
        """The lines that the case takes up in its source."""
        first = self.around[: self.around.index("CASE")].count("\n") + 1
        return range(first, first + self.text.count("\n") + 1)


def cases_of(path: Path) -> Iterator[Case]:
    around = ""
    for group in re.split(r"^// -----.*\n", path.read_text(), flags=re.MULTILINE)[1:]:
        head, *rest = re.split(r"^(?=// )", group, flags=re.MULTILINE)
        around = head if "CASE" in head else around
        for text in rest:
            mark = MARK.match(text)
            assert mark is not None, text
            yield Case(around, text[mark.end() :].rstrip("\n"), mark["code"], mark["words"])


CASES = [
    pytest.param(case, id=f"{path.stem}-{number}")
    for path in sorted((Path(__file__).parent / "refused").glob("*.mlir"))
    for number, case in enumerate(cases_of(path))
]


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case) -> None:
    if case.code is None:
        once = printed(case.source)
        assert printed(once) == once
        return
    with pytest.raises(SpyreError) as caught:
        ir.parse(case.source, "t.mlir")
    error = caught.value
    assert error.code == case.code, error
    assert case.words
    assert case.words in str(error)
    where = error.location
    assert where is not None
    assert where.file == "t.mlir"
    assert where.line in case.lines, error
    assert 1 <= where.col <= len(case.source.splitlines()[where.line - 1]) + 1


def test_what_is_around_the_cases_is_fine() -> None:
    for around in {case.values[0].around for case in CASES}:
        text = around.replace("a = CASE", "a").replace("CASE", "")
        assert printed(text)
