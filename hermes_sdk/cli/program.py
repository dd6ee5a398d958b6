"""The program ``hermes-sdk``: runs a command, and turns our errors into messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import click

from hermes_sdk import terminal
from hermes_sdk.cli.group import group
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.journal import recover


def run_command(argv: list[str]) -> NoReturn:
    """Run a command and exit.

    What a command before this one left behind is repaired first.

    Args:
        argv: The arguments without the program's name.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # One that is ignored, as by nohup, stays so.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)
    terminal.guard()
    _require_home()
    recover()
    try:
        code = group.main(args=argv, prog_name="hermes-sdk", standalone_mode=False)
        sys.stdout.flush()
    except HermesSdkError as error:
        _print_error(argv, error)
        sys.exit(error.exit_code)
    except click.UsageError as error:
        # click words its own errors well; with --json they take the shape of ours.
        if _wants_json(argv):
            _print_error(argv, UsageError(error.format_message()))
        else:
            error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        # On a line of its own: the terminal shows ^C beside the prompt.
        click.echo("\nAborted.", err=True)
        sys.exit(130)
    except OSError as error:
        if error.filename is not None:
            raise
        fail_to_write(error)
    sys.exit(code if isinstance(code, int) else 0)


def fail_to_write(error: OSError) -> NoReturn:
    """Exit because the output cannot be written, such as to a full disk or a closed pipe."""
    # Commands word their trouble with files; without a file it is the output, which would fail again at the end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    click.echo(f"hermes-sdk: the output cannot be written: {error.strerror or error}", err=True)
    sys.exit(1)


def _require_home() -> None:
    """Set HOME for a user of whom the machine knows no home, as containers do."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"


def _end(number: int, _: object) -> NoReturn:
    """End with what the command has started, and without its temporary directories; a shell expects this status."""
    for one in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    sys.exit(128 + number)


def _wants_json(argv: list[str]) -> bool:
    pairs = pairwise(argv)
    return "--json" in argv or "--format=json" in argv or ("--format", "json") in pairs


def _schema(argv: list[str]) -> str:
    """The name of the schema of what a command line prints."""
    words = [word for word in argv if not word.startswith("-")]
    name = words[0] if words else ""
    if name == "contract":
        return "-".join(words[:2])
    if name in ("call", "chat", "fire"):
        return "action"
    options = {word.partition("=")[0] for word in argv}
    variant = {"compat": ("--workspace", "compat-workspace"), "trace": ("--compare", "trace-comparison")}.get(name)
    return variant[1] if variant and variant[0] in options else name


def _print_error(argv: list[str], error: HermesSdkError) -> None:
    if _wants_json(argv):
        import json

        problem = {"message": error.message, "where": error.where, "fix": error.fix}
        document = {"schema": f"hermes-sdk.{_schema(argv)}/1", "error": problem}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(f"hermes-sdk: {error}", err=True)
