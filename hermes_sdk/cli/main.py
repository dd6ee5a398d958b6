"""The entry point ``hermes-sdk``. It answers `--version` and `--help` itself, since click takes long to import."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from hermes_sdk import __version__

_WIDEST = 80
"""Columns that click uses at most."""

_OBJECTS = 100_000
"""How many there are before Python looks for garbage: more than what a short command imports."""


def run(argv: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        argv: The arguments without the program's name; default `sys.argv[1:]`.
    """
    argv = sys.argv[1:] if argv is None else argv
    gc.set_threshold(_OBJECTS)
    # Else Python would look for garbage in every module before it frees them all.
    atexit.register(gc.freeze)
    answer = _answer(argv)
    if answer is None:
        from hermes_sdk.cli.program import run_command

        run_command(argv)
    try:
        print(answer, flush=True)
    except OSError as error:
        from hermes_sdk.cli.program import fail_to_write

        fail_to_write(error)
    sys.exit(0)


def _answer(argv: list[str]) -> str | None:
    """Return the output of a call that runs no command; None for any other call."""
    if argv == ["--version"]:
        return f"hermes-sdk, version {__version__}"
    if argv in (["--help"], ["-h"]) and _columns() >= _WIDEST:
        from hermes_sdk.cli.help import HELP

        return HELP
    return None


def _columns() -> int:
    """Return the width of the terminal, as click sees it; 0 where only click can tell."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except OSError:
        return _WIDEST  # Not a terminal.
    except ValueError:
        return 0
