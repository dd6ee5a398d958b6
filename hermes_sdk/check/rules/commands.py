"""HS45x: slash commands and CLI commands that a user can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.rules.base import Example, RegistrationRule, example

if TYPE_CHECKING:
    from hermes_sdk.hosts.show import Registration


_LONGEST = 32
_SHOWABLE = re.compile(r"[a-z0-9_-]+").fullmatch
_SHADOWED = ("models", "rename")


def _plugin(command: str) -> Example:
    """A plugin with one slash command."""
    return example(f'def register(ctx):\n    ctx.register_command("{command}", lambda line: "fine")\n')


def _cli_plugin(command: str) -> Example:
    """A plugin with one CLI command."""
    source = f'def register(ctx):\n    ctx.register_cli_command("{command}", "Roll.", lambda parser: None, print)\n'
    return example(source)


class CommandRule(RegistrationRule):
    """A rule about the calls of ``ctx.register_command``."""

    call = "register_command"


class CommandIsBuiltIn(CommandRule):
    """The name or an alias of a built-in command (statement F6)."""

    code = "HS451"
    title = "slash command is a built-in"
    why = "The host skips the command with a warning in its log; users get the built-in one."
    fix = "Choose another name; `hermes-sdk contract show` lists the built-in ones."
    bad = _plugin("help")
    good = _plugin("example-help")

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the name up as the host keeps it."""
        name = kept_name(registration["name"])
        if name in load.contract.slash_commands:
            message = f"/{name} is a command of Hermes {load.contract.release} itself"
            yield self.finding(message, *load.call_place(registration))


class CommandHasUnderscore(CommandRule):
    """A name that the gateway never looks up (statement F9)."""

    code = "HS452"
    title = "slash command cannot be reached from the gateway"
    severity = "warning"
    why = "The gateway turns `_` into `-` before it looks a command up: in every chat platform this one is unknown."
    fix = "Write it with `-`."
    bad = _plugin("team_notes")
    good = _plugin("team-notes")

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look for an underscore; upper case is no problem, the host lowers it."""
        name = kept_name(registration["name"])
        if "_" in name:
            message = f"/{name} has an underscore: the gateway looks for /{name.replace('_', '-')}"
            yield self.finding(message, *load.call_place(registration))


class CommandCannotBeShown(CommandRule):
    """A name with characters, or of a length, that a surface does not take (statement F6)."""

    code = "HS453"
    title = "slash command cannot be shown everywhere"
    severity = "warning"
    why = "Menus of chat platforms take up to 32 letters, digits and `_` or `-`; others they leave out."
    fix = "Use up to 32 lower-case letters, digits and `-`."
    bad = _plugin("würfeln")
    good = _plugin("roll")
    references = ("F6", "https://github.com/NousResearch/hermes-agent/issues/57133")

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Hold the name, as the host keeps it, against what the surfaces share."""
        name, place = kept_name(registration["name"]), load.call_place(registration)
        if not name:
            yield self.finding("the slash command has no name: the host ignores it", *place, severity="error")
        elif len(name) > _LONGEST:
            yield self.finding(f"/{name} has {len(name)} characters, {_LONGEST} at most can be shown", *place)
        elif not _SHOWABLE(name):
            yield self.finding(f"/{name} has characters that menus do not show", *place)


class CommandIsShadowed(CommandRule):
    """A name that the desktop application keeps for itself."""

    code = "HS454"
    title = "slash command is shadowed in the desktop application"
    severity = "warning"
    why = "The desktop and terminal interfaces answer it themselves before they ask plugins."
    fix = "Choose another name."
    bad = _plugin("models")
    good = _plugin("example-models")
    references = ("https://github.com/NousResearch/hermes-agent/issues/72511",)

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the name up, unless it is a built-in command, too."""
        name = kept_name(registration["name"])
        if name in _SHADOWED and name not in load.contract.slash_commands:
            yield self.finding(f"/{name} never reaches the plugin there", *load.call_place(registration))


class CliCommandIsBuiltIn(RegistrationRule):
    """The name of a command that the program ``hermes`` has of its own (statement F12)."""

    code = "HS455"
    title = "CLI command is a built-in"
    why = "One such name keeps the commands of other plugins from working, too."
    fix = "Choose another name, for instance that of the plugin."
    bad = _cli_plugin("tools")
    good = _cli_plugin("example")
    references = ("F12",)
    call = "register_cli_command"

    def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
        """Look the name up in both groups."""
        name, place = registration["name"], load.call_place(registration)
        taken = f"`hermes {name}` is a command of Hermes {load.contract.release} itself"
        if name in load.contract.cli_commands["before"]:
            yield self.finding(f"{taken}: this one and those of all later plugins are left out", *place)
        elif name in load.contract.cli_commands["after"]:
            yield self.finding(f"{taken}: every command of a plugin then ends in an error", *place)


def kept_name(name: str) -> str:
    """The name under which the host keeps a command."""
    return name.lower().strip().lstrip("/").replace(" ", "-")


RULES = (
    CommandIsBuiltIn(),
    CommandHasUnderscore(),
    CommandCannotBeShown(),
    CommandIsShadowed(),
    CliCommandIsBuiltIn(),
)
