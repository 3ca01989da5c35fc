"""A device that imports another may have no body, in generic form not even a block."""

from __future__ import annotations

from pathlib import Path

import spyrelang as spyre

IMPORT = """"ktdf_arch.device"() <{import_path = "sample_device.mlir", sym_name = "d"}> ({
}) : () -> ()
"""


def test_a_pattern_file_that_only_imports(tmp_path: Path) -> None:
    file = tmp_path / "patterns.mlir"
    file.write_text(IMPORT)
    sample = spyre.Device.load("sample_device")
    assert sample.with_patterns(file).pattern_sets == sample.pattern_sets
