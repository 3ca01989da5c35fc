"""SPY8xx: files, the command line and settings."""

from __future__ import annotations

from spyrelang.errors.core import define

UNKNOWN_SETTING = define(
    "SPY801",
    "unknown setting",
    "there is no setting '{name}'",
    cause="settings.override or a SPYRELANG_ variable names a knob that does not exist.",
    example="with settings.override(colours=True): ...",
    fix="`spyrelang env` lists every setting with its variable",
)

SETTING_VALUE = define(
    "SPY802",
    "setting has a bad value",
    "{source} = {value!r} is not {want}",
    cause="An environment variable SPYRELANG_… or a keyword of settings.override has a value that "
    "the setting cannot take.",
    example="SPYRELANG_COLOUR=sometimes spyrelang ir add.py",
    fix="`spyrelang env` shows what each setting takes; unset the variable for the default",
    also=ValueError,
)

OPTION = define(
    "SPY850",
    "a malformed option",
    "{option} takes {want}; got '{got}'",
    cause="The value of a command line option could not be read.",
    example="spyrelang run add.mlir --arg x",
    fix="write it like that; `spyrelang COMMAND --help` shows every option",
)
ARRAY_FILE = define(
    "SPY851",
    "an array file that cannot be used",
    "cannot read or write {path}: {reason}",
    cause="The file is missing, is no .npy file, or cannot be written.",
    example="spyrelang run add.mlir --arg x=missing.npy",
    fix="give the path of a .npy file (numpy.save makes one)",
)
NO_FILE = define(
    "SPY852",
    "no such file",
    "there is no file {path}",
    cause="The file named on the command line does not exist.",
    example="spyrelang ir nothing.py:add",
    fix="check the path",
)
IMPORT = define(
    "SPY853",
    "a module that fails",
    "importing {path} failed: {reason}",
    cause="The Python file raised an exception while it was imported.",
    example="spyrelang ir broken.py:add",
    fix="make the file importable: python FILE shows the whole traceback",
)
WHICH_KERNEL = define(
    "SPY854",
    "which kernel",
    "{path} {problem}; there are: {known}",
    cause="The part after the colon names no kernel, or is missing where the file has several.",
    example="spyrelang ir kernels.py:nothing",
    fix="write FILE.py:NAME with one of the names listed",
)
UNKNOWN_CODE = define(
    "SPY855",
    "unknown error code",
    "there is no error code '{code}'",
    cause="The code is not in the catalogue.",
    example="spyrelang explain SPY000",
    fix="copy the code from the message; `spyrelang explain --all` lists them",
)
WRITE = define(
    "SPY856",
    "a file that cannot be written",
    "cannot write {path}: {reason}",
    cause="The folder is missing or may not be written to.",
    example="spyrelang compile add.mlir -o /nowhere/add.mlir",
    fix="give a path in a folder that exists",
)
NO_CHECKS = define(
    "SPY857",
    "nothing to check",
    "{path} has no check for {name}",
    cause="The file has no CHECKS dictionary, or no entry for that kernel.",
    example="spyrelang check kernels.py",
    fix='add CHECKS = {"kernel": {"ref": reference, "inputs": [x, y]}} to the file',
)
