"""HS45x: slash commands that a user can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.rules.base import Example, RegistrationRule, example

if TYPE_CHECKING:
    from hermes_sdk.hosts.show import Registration


def _plugin(command: str) -> Example:
    """A plugin with one slash command."""
    return example(f'def register(ctx):\n    ctx.register_command("{command}", lambda line: "fine")\n')


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


def kept_name(name: str) -> str:
    """The name under which the host keeps a command."""
    return name.lower().strip().lstrip("/").replace(" ", "-")


RULES = (
    CommandIsBuiltIn(),
    CommandHasUnderscore(),
)
