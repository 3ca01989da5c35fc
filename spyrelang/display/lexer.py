"""The MLIR lexer, with the spellings it does not know."""

from __future__ import annotations

from typing import Any, ClassVar

from mlir_pygments import MLIRLexer as Base
from pygments.lexer import inherit
from pygments.token import Keyword, Name, Number, Operator


class IRLexer(Base):
    """Adds result numbers (`%p#3`), negated dims (`-d0`), attribute and type names of unregistered
    dialects, and the words of our custom forms."""

    name = "spyrelang IR"
    aliases: ClassVar[list[str]] = ["spyre-ir"]
    filenames: ClassVar[list[str]] = []
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"%[\w$.\-]+#\d+", Name.Variable),
            (r"-(?=[ds]\d)", Operator),
            (r"[#!](?:ktdp|ktdf|ktdf_arch|spyreop|dataflow|agen|vectorchain)\b[\w.]*", Name.Class),
            (
                r"\b(?:sizes|strides|depends_in|depends_out|none|modulo|distribute|num_instances|"
                r"iter_arg|load_iv|time_symbols|src|dst|map|key|share|import|size|from|to|step|"
                r"symbols|intermediate_variables|ind)\b(?=\s*[:(\[=%{])",
                Keyword,
            ),
            (r"\b\d+(?=x)", Number),
            inherit,
        ]
    }
