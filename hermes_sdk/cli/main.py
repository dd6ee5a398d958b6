"""The entry point ``hermes-sdk``. It handles `--version` and `--help` itself, since importing click is slow."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from hermes_sdk import __version__

_WIDTH = 80
"""Maximum width of click's output, in columns."""

_GC_THRESHOLD = 100_000
"""Number of new objects that triggers a garbage collection; short commands create fewer."""


def run(argv: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        argv: The arguments without the program's name; default `sys.argv[1:]`.
    """
    argv = sys.argv[1:] if argv is None else argv
    gc.set_threshold(_GC_THRESHOLD)
    # Skip the collections at interpreter shutdown, before Python frees all modules.
    atexit.register(gc.freeze)
    answer = _answer_quickly(argv)
    if answer is None:
        from hermes_sdk.cli.program import run_command

        run_command(argv)
    try:
        print(answer, flush=True)
    except OSError as error:
        from hermes_sdk.cli.program import fail_to_write

        fail_to_write(error)
    sys.exit(0)


def _answer_quickly(argv: list[str]) -> str | None:
    """Return the output of `--version` or `--help`; None for other calls."""
    if argv == ["--version"]:
        return f"hermes-sdk, version {__version__}"
    if argv in (["--help"], ["-h"]) and _read_columns() >= _WIDTH:
        from hermes_sdk.cli.help import HELP

        return HELP
    return None


def _read_columns() -> int:
    """Return the width of the terminal as click does; 0 if only click can determine it."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except OSError:
        return _WIDTH  # The output is not a terminal.
    except ValueError:
        return 0
