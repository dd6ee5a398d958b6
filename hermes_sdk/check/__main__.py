"""``python -m hermes_sdk.check PATH``: static rules, with only the standard library, PyYAML and ruamel.yaml.

It is meant for package builds in sandboxes: it runs no code of the plugin, writes no files and uses no network.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.check.options import Options


def main(argv: list[str] | None = None) -> int:
    """Check plugins and print the findings.

    Args:
        argv: The arguments; by default, those of the process.

    Returns:
        The exit code: 0 without errors, 1 with errors, 2 for wrong usage, 3 if a required tool is missing.
    """
    from hermes_sdk import terminal
    from hermes_sdk.check.engine import check
    from hermes_sdk.check.report import text
    from hermes_sdk.errors import HermesSdkError

    terminal.guard()
    path, options = _parse_arguments(sys.argv[1:] if argv is None else argv)
    try:
        result = check(path, options)
    except HermesSdkError as error:
        print(f"hermes_sdk.check: {error}", file=sys.stderr)
        return error.exit_code
    text.write(result, sys.stdout)
    return 0 if result.passes() else 1


def _parse_arguments(argv: list[str]) -> tuple[Path, Options]:
    """Parse the path and the options from the arguments."""
    from hermes_sdk.check.options import Options

    if len(argv) < 2 and not any(one.startswith("-") for one in argv):
        # Importing argparse would take longer than checking a small plugin.
        return Path(*argv), Options(static=True)
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m hermes_sdk.check", description="Find problems that break a plugin."
    )
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="a plugin, its project, or a workspace")
    parser.add_argument("--target", help="the releases of Hermes to check for, such as '>=0.16'")
    parser.add_argument("--strict", action="store_true", help="also fail on warnings")
    asked = parser.parse_args(argv)
    return asked.path, Options(target=asked.target, strict=asked.strict, static=True)


def _run() -> int:
    try:
        status = main()
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:
            raise
        print(f"hermes_sdk.check: the output cannot be written: {error.strerror or error}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    gc.disable()  # Almost all objects are in use until the process ends.
    os._exit(_run())  # Skip freeing all objects, which takes 5 % of the time.
