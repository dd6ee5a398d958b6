"""Rules for names: reject those that Hermes would not accept or that somebody else already uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from hermes_sdk import contract
from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.plugin import Plugin

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")
_COMMAND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SKILL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_COMMAND = 32
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_NO_SETTINGS = ("model", "plugins", "security", "settings")  # Rejected by `ctx.get_config` of newer releases.
_SHADOWED_COMMANDS = ("models", "rename")

Problem = tuple[str, str]
"""A problem of a name, and its fix."""


class _Target(NamedTuple):
    """A supported release, and the places that declare the supported range."""

    release: Contract
    declared_in: str


def refuse(kind: str, name: str, plugin: Plugin) -> None:
    """Reject a name that one of the plugin's supported releases does not accept.

    Raises:
        UsageError: The name is not valid or already taken.
    """
    for release in plugin.releases:
        for problem, fix in _RULES[kind](name, _Target(release, " and ".join(plugin.ranges))):
            raise UsageError(problem, fix=fix)


def _check_tool(name: str, one: _Target) -> Iterator[Problem]:
    if not _IDENTIFIER.fullmatch(name):
        yield _invalid_name(
            "tool", name, "at most 64 lowercase ASCII letters, digits and '_', beginning with a letter", "fetch_page"
        )
    elif name in one.release.tools:
        yield (
            f"Hermes {one.release.release} has a built-in tool '{name}', in the toolset '{one.release.tools[name]}'",
            "Choose another name, for example with the plugin's name as a prefix.",
        )


def _check_hook(name: str, one: _Target) -> Iterator[Problem]:
    yield from _find_unknown_names("hook", name, one, lambda release: release.hooks)


def _check_middleware(name: str, one: _Target) -> Iterator[Problem]:
    yield from _find_unknown_names("middleware", name, one, lambda release: release.middleware_kinds)


def _find_unknown_names(
    what: str, name: str, one: _Target, list_names: Callable[[Contract], Collection[str]]
) -> Iterator[Problem]:
    """Yield a problem if the release does not know the name; the fix names the release that added it."""
    if name in list_names(one.release):
        return
    releases = [release for release in contract.api_releases() if name in list_names(contract.load(release))]
    if releases:
        yield (
            f"Hermes {one.release.release}, which the plugin supports, has no {what} '{name}'; {releases[0]} added it",
            f"Set {one.declared_in} to '>={releases[0]}'.",
        )
    else:
        problem = f"Hermes {one.release.release} has no {what} '{name}'{suggest_name(name, list_names(one.release))}"
        yield problem, f"`hermes-sdk contract show {one.release.release}` lists what it has."


def _check_command(name: str, one: _Target) -> Iterator[Problem]:
    yield from _check_command_format("slash command", name)
    if name in one.release.slash_commands:
        yield f"Hermes {one.release.release} has a built-in command /{name}", "Choose another name."
    elif name in _SHADOWED_COMMANDS:
        yield f"the Hermes desktop application handles /{name} itself", "Choose another name."


def _check_cli_command(name: str, one: _Target) -> Iterator[Problem]:
    yield from _check_command_format("CLI command", name)
    if any(name in names for names in one.release.cli_commands.values()):
        yield f"Hermes {one.release.release} has a built-in command `hermes {name}`", "Choose another name."


def _check_command_format(what: str, name: str) -> Iterator[Problem]:
    if not _COMMAND.fullmatch(name) or len(name) > _LONGEST_COMMAND:
        rule = f"at most {_LONGEST_COMMAND} lowercase ASCII letters and digits, separated by single '-'"
        yield _invalid_name(what, name, rule, "team-status")


def _check_skill(name: str, one: _Target) -> Iterator[Problem]:  # noqa: ARG001
    if not _SKILL.fullmatch(name):
        yield _invalid_name("skill", name, "at most 64 ASCII letters, digits, '-' and '_'", "taking-notes")


def _check_auxiliary_task(name: str, one: _Target) -> Iterator[Problem]:
    yield from _find_unknown_names("member of ctx", "register_auxiliary_task", one, lambda release: release.context)
    if not _IDENTIFIER.fullmatch(name):
        yield _invalid_name(
            "auxiliary task", name, "lowercase ASCII letters, digits and '_', beginning with a letter", "note_titles"
        )
    elif name in one.release.auxiliary_tasks:
        yield f"Hermes {one.release.release} has a built-in auxiliary task '{name}'", "Choose another name."


def _check_setting(name: str, one: _Target) -> Iterator[Problem]:  # noqa: ARG001
    if not _IDENTIFIER.fullmatch(name) or name in _NO_SETTINGS:
        rule = f"lowercase ASCII letters, digits and '_', beginning with a letter, except {', '.join(_NO_SETTINGS)}"
        yield _invalid_name("setting", name, rule, "greeting")


def _check_variable(name: str, one: _Target) -> Iterator[Problem]:
    if not _VARIABLE.fullmatch(name):
        rule = "uppercase ASCII letters, digits and '_', beginning with a letter"
        yield _invalid_name("environment variable", name, rule, "ACME_API_KEY")
    elif name.startswith("HERMES_"):
        yield f"{name} is reserved for Hermes {one.release.release}", "Choose another name."


def _invalid_name(what: str, name: str, rule: str, example: str) -> Problem:
    article = "an" if what[0] in "aeiou" else "a"
    return f"{name!r} is not a valid name for {article} {what}", f"Use {rule}; for example '{example}'."


_RULES: Mapping[str, Callable[[str, _Target], Iterator[Problem]]] = {
    "tool": _check_tool,
    "hook": _check_hook,
    "command": _check_command,
    "cli-command": _check_cli_command,
    "skill": _check_skill,
    "middleware": _check_middleware,
    "aux-task": _check_auxiliary_task,
    "setting": _check_setting,
    "env": _check_variable,
}
