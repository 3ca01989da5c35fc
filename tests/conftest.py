"""Property tests draw the same examples in every run: a change is judged by what it changes.
`make fuzz` (SPYRELANG_FUZZ) draws new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("fixed", derandomize=True)
if "SPYRELANG_FUZZ" not in os.environ:
    settings.load_profile("fixed")
