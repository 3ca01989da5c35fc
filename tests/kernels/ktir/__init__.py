"""Kernel families written as KTIR text, run in engine "ktir" and compared with numpy."""
