"""SPY8xx: files, the command line and settings."""

from __future__ import annotations

from spyrelang.errors.core import define

UNKNOWN_SETTING = define(
    "SPY801",
    "unknown setting",
    "there is no setting '{name}'",
    cause="settings.override or a SPYRELANG_ variable names a knob that does not exist.",
    example="settings.override(colours=True)",
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
