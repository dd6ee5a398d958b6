"""The commands `hermes-sdk hooks list`, `test`, `revoke` and `doctor`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import HOOK_COMMANDS, Command
from hermes_sdk.cli.groups import Group
from hermes_sdk.cli.options import make_json_option, make_plain_release_option
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import shell_hooks
from hermes_sdk.operate.secrets import hide_secrets
from hermes_sdk.operate.shell_hooks import Hook, Trial
from hermes_sdk.operate.validation import printable

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "issue": ("✗", "red"), "skipped": ("-", "yellow")}
SHOWN = 400

HOW_TO_ALLOW = """\
To allow a command, start `hermes` in a terminal and answer its prompt.
To allow all of them, use one of: `hermes --accept-hooks chat`,
HERMES_ACCEPT_HOOKS=1 in the environment, `hooks_auto_accept: true` in config.yaml.\
"""

release_option = make_plain_release_option()
json_option = make_json_option()


@click.group("hooks", cls=Group)
def command() -> None:
    """List, test and diagnose the shell hooks in HERMES_HOME, and revoke consent to them."""


@command.command("list", cls=Command, runs=[])
@release_option
@json_option
def list_(release: str, as_json: bool) -> None:
    """List shell hooks with matcher, timeout and consent."""
    home = Home.current()
    hooks, warnings = hide_secrets(shell_hooks.list_hooks(home, release), home)
    if as_json:
        _print_json(report="list", hooks=hooks, warnings=warnings)
        return
    if not hooks:
        click.echo("No shell hooks are configured.")
    event_of = itemgetter("event")
    for event, group in groupby(sorted(hooks, key=event_of), key=event_of):
        click.secho(event, bold=True)
        for hook in group:
            _print_check("ok" if hook["allowed"] else "issue", f"{_format_hook(hook)}  {_format_consent(hook)}")
    if not all(hook["allowed"] for hook in hooks):
        click.echo(HOW_TO_ALLOW)
    _print_warnings(warnings)


@command.command("test", cls=Command, runs=[HOOK_COMMANDS])
@click.argument("event")
@click.option("--for-tool", metavar="T", help="Run only commands whose matcher matches this tool.")
@click.option(
    "--payload-file", metavar="F", type=click.Path(path_type=Path), help="JSON file with arguments for the hook."
)
@release_option
@json_option
def test(event: str, for_tool: str | None, payload_file: Path | None, release: str, as_json: bool) -> None:
    """Run the commands of a hook on sample arguments.

    EVENT is a hook such as pre_tool_call. Its commands run even without consent. The output shows the payload, then
    each command's output and how the host interprets it.
    """
    arguments = _arguments(payload_file) if payload_file else {}
    home = Home.current()
    runs = shell_hooks.fire(home, event, tool=for_tool, arguments=arguments, release=release)
    runs = hide_secrets(runs, home)
    if as_json:
        _print_json(report="test", event=event, tool=for_tool, runs=runs)
        return
    if not runs:
        click.echo(f"No shell hook is configured for {event}" + (f" of the tool {for_tool}." if for_tool else "."))
    else:
        click.secho("Payload on standard input:", bold=True)
        click.echo(printable(json.dumps(runs[0]["payload"], indent=2, ensure_ascii=False)))
    for trial in runs:
        click.secho(printable(trial["command"]), bold=True)
        _print_trial(trial, release)


@command.command("revoke", cls=Command, runs=[])
@click.argument("shell_command", metavar="COMMAND")
@json_option
def revoke(shell_command: str, as_json: bool) -> None:
    """Revoke consent to a command.

    COMMAND is its exact text in the configuration. Consent is revoked for all hooks.
    """
    home = Home.current()
    removed = shell_hooks.revoke(home, shell_command)
    shell_command = hide_secrets(shell_command, home)
    if as_json:
        _print_json(report="revoke", command=shell_command, removed=removed)
    elif removed:
        click.echo(f"Withdrew the consent to {printable(shell_command)} for {_count(removed, 'hook')} in {home.path}.")
        click.echo("A running Hermes keeps the consent until it restarts.")
    else:
        click.echo(f"There is no consent to {printable(shell_command)}.")


@command.command("doctor", cls=Command, runs=[HOOK_COMMANDS])
@click.option("--strict", is_flag=True, help="Exit with status 1 on any issue or warning.")
@release_option
@json_option
def doctor(strict: bool, release: str, as_json: bool) -> int:
    """Diagnose problems with shell hooks.

    Commands with consent run on sample arguments.
    """
    home = Home.current()
    hooks, warnings = hide_secrets(shell_hooks.examine(home, release), home)
    issues = sum(check["state"] == "issue" for hook in hooks for check in hook["checks"])
    if as_json:
        _print_json(report="doctor", hooks=hooks, issues=issues, warnings=warnings)
        return int(strict and bool(issues or warnings))
    for hook in hooks:
        click.echo(f"{terminal.style(hook['event'], bold=True)}  {_format_hook(hook)}")
        for check in hook["checks"]:
            _print_check(check["state"], check["message"])
    _print_warnings(warnings)
    if hooks:
        click.echo(f"{_count(issues, 'issue')}." if issues else "All shell hooks look healthy.")
    else:
        click.echo("No shell hooks are configured.")
    return int(strict and bool(issues or warnings))


def _arguments(file: Path) -> Mapping[str, Any]:
    try:
        content = parse_json(file.read_text(encoding="utf-8"))  # A user may pass a named pipe.
    except OSError as error:
        raise UsageError(f"cannot read the file: {error.strerror}", where=str(file)) from error
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        raise UsageError(f"not valid JSON: {error.msg}", where=where, fix="Write one JSON object.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not valid JSON: {error}", where=str(file), fix="Write one JSON object.") from error
    if not isinstance(content, dict):
        raise UsageError(
            "the file does not contain a JSON object", where=str(file), fix='Write {"argument": value, …}.'
        )
    return content


def _print_json(**content: Any) -> None:
    # Escape all but ASCII: a command may contain bytes that are not valid text.
    click.echo(json.dumps({"schema": "hermes-sdk.hooks/1", **content}, indent=2))


def _print_trial(trial: Trial, release: str) -> None:
    if trial["error"] is not None:
        _print_check("issue", f"the command could not run: {trial['error']}")
        return
    if trial["timed_out"]:
        _print_check("issue", f"killed at its time limit, after {trial['seconds']} s")
        return
    click.echo(f"  exit status {trial['exit_status']}, {trial['seconds']} s")
    for name in ("stdout", "stderr"):
        text = trial[name].strip()
        if text:
            click.echo(f"  {name}: {printable(text if len(text) <= SHOWN else text[:SHOWN] + '…')}")
    if trial["problem"]:
        _print_check("issue", "the output is not JSON, so the host ignores it")
    elif trial["answer"] is None and trial["exit_status"]:
        _print_check("warning", f"the command failed without an answer, so Hermes {release} ignores it")
    elif trial["answer"] is None:
        _print_check("ok", "the output has no effect")
    else:
        _print_check("ok", f"the host reads the output as {json.dumps(trial['answer'], ensure_ascii=False)}")


def _print_warnings(warnings: Sequence[str]) -> None:
    for warning in warnings:
        click.echo(f"{terminal.style('warning', fg='yellow')} {printable(warning)}")


def _print_check(state: str, message: str) -> None:
    mark, colour = MARKS[state]
    click.echo(f"  {terminal.style(mark, fg=colour)} {printable(message)}")


def _format_hook(hook: Hook) -> str:
    matcher = f"matcher {hook['matcher']}, " if hook["matcher"] else ""
    return printable(f"{hook['command']}  ({matcher}{hook['timeout']} s)")


def _format_consent(hook: Hook) -> str:
    if not hook["allowed"]:
        return "not allowed"
    since = f"allowed since {hook['approved_at']}" if hook["approved_at"] else "allowed"
    return f"{since}, but the script was changed at {hook['script_mtime']}" if hook["changed"] else since


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number != 1 else "")
