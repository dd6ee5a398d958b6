"""HS45x: slash commands and CLI commands that a user can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import Example, Problem, Rules, example

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


_MAX_LENGTH = 32
_MENU_PATTERN = r"[a-z0-9_-]+"
_SHADOWED = ("models", "rename")


def _plugin(command: str) -> Example:
    """Return a plugin with one slash command."""
    return example(f'def register(ctx):\n    ctx.register_command("{command}", lambda line: "fine")\n')


def _cli_plugin(command: str) -> Example:
    """Return a plugin with one CLI command."""
    source = f'def register(ctx):\n    ctx.register_cli_command("{command}", "Roll.", lambda parser: None, print)\n'
    return example(source)


@rule("HS451", call="register_command", references=("F6",), bad=_plugin("help"), good=_plugin("example-help"))
def command_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """slash command has the name of a built-in command

    The host logs a warning and skips the command; users get the built-in one.

    Fix: Choose another name; `hermes-sdk contract show` lists the built-in ones.
    """
    name = normalize_name(registration["name"])
    if name in load.contract.slash_commands:
        message = f"/{name} is a built-in command of Hermes {load.contract.release}"
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS452",
    severity="warning",
    call="register_command",
    references=("F9",),
    bad=_plugin("team_notes"),
    good=_plugin("team-notes"),
)
def command_has_underscore(registration: Registration, load: Load) -> Iterator[Problem]:
    """slash command cannot be reached from the gateway

    The gateway replaces `_` with `-` before the lookup, so no chat platform finds this command.

    Fix: Use `-` instead.
    """
    # Upper case is fine, because the host converts names to lower case.
    name = normalize_name(registration["name"])
    if "_" in name:
        message = f"/{name} has an underscore: the gateway looks for /{name.replace('_', '-')}"
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS453",
    severity="warning",
    call="register_command",
    references=("F6", "https://github.com/NousResearch/hermes-agent/issues/57133"),
    bad=_plugin("würfeln"),
    good=_plugin("roll"),
)
def command_cannot_be_shown(registration: Registration, load: Load) -> Iterator[Problem]:
    """slash command cannot be shown everywhere

    Chat platforms leave the command out of their menus unless it has at most 32 letters, digits, `_` or `-`.

    Fix: Use up to 32 lower-case letters, digits and `-`.
    """
    name, place = normalize_name(registration["name"]), load.call_place(registration)
    if not name:
        yield Problem("the slash command has no name: the host ignores it", *place, severity="error")
    elif len(name) > _MAX_LENGTH:
        yield Problem(f"/{name} has {len(name)} characters; menus show at most {_MAX_LENGTH}", *place)
    elif not re.fullmatch(_MENU_PATTERN, name):
        yield Problem(f"/{name} has characters that menus do not show", *place)


@rule(
    "HS454",
    severity="warning",
    call="register_command",
    references=("https://github.com/NousResearch/hermes-agent/issues/72511",),
    bad=_plugin("models"),
    good=_plugin("example-models"),
)
def command_is_shadowed(registration: Registration, load: Load) -> Iterator[Problem]:
    """slash command is shadowed in the desktop application

    The desktop and terminal interfaces handle the command themselves, before plugins.

    Fix: Choose another name.
    """
    name = normalize_name(registration["name"])
    if name in _SHADOWED and name not in load.contract.slash_commands:
        message = f"the desktop and terminal interfaces handle /{name} themselves"
        yield Problem(message, *load.call_place(registration))


@rule("HS455", call="register_cli_command", references=("F12",), bad=_cli_plugin("tools"), good=_cli_plugin("example"))
def cli_command_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """CLI command has the name of a built-in command

    Such a name also breaks the commands of other plugins.

    Fix: Choose another name, for example the plugin's.
    """
    name, place = registration["name"], load.call_place(registration)
    taken = f"`hermes {name}` is a built-in command of Hermes {load.contract.release}"
    if name in load.contract.cli_commands["before"]:
        yield Problem(f"{taken}: this command and those of all later plugins are omitted", *place)
    elif name in load.contract.cli_commands["after"]:
        yield Problem(f"{taken}: every plugin command then fails", *place)


@rule(
    "HS456",
    call="register_command register_cli_command",
    references=("F7", "F11", "F12"),
    bad=example("def register(ctx):\n    ctx.register_command('example', lambda: 'fine')\n"),
    good=_plugin("example"),
)
def command_refuses_argument(registration: Registration, load: Load) -> Iterator[Problem]:
    """command does not accept the host's argument

    The host passes one argument: the text after a slash command, the parser to a CLI command's setup function, and the
    parsed arguments to its handler. The command raises TypeError; a failed setup also removes the CLI commands of all
    later plugins.

    Fix: Give the function one positional parameter, and defaults for all others.
    """
    yield from _check_function("callable", registration, load)
    yield from _check_function("setup", registration, load)


_ROLES: Mapping[Literal["callable", "setup"], str] = {"callable": "handler", "setup": "setup function"}


def _check_function(key: Literal["callable", "setup"], registration: Registration, load: Load) -> Iterator[Problem]:
    facts, role = registration[key], _ROLES[key]
    if facts is None or facts["takes_one"]:
        return
    slash = registration["call"] == "register_command"
    what = f"/{normalize_name(registration['name'])}" if slash else f"`hermes {registration['name']}`"
    passed = f"the {'text' if slash else 'parser' if key == 'setup' else 'arguments'}"
    message = f"the {role} of {what} cannot be called with one argument, {passed} that the host passes"
    yield Problem(message, *load.callable_place(registration, key))


def _cli(handler: str) -> Example:
    """Return a plugin whose CLI command has the given handler."""
    return example(
        f"{handler}\n    print('fine')\n\n\ndef register(ctx):\n"
        "    ctx.register_cli_command('example', 'Show it.', lambda parser: None, handler)\n"
    )


@rule(
    "HS457",
    call="register_cli_command",
    references=("F11",),
    bad=_cli("async def handler(arguments):"),
    good=_cli("def handler(arguments):"),
)
def cli_command_is_async(registration: Registration, load: Load) -> Iterator[Problem]:
    """function of a CLI command is async

    The host never awaits it: the command ends at once, without an error, or has no arguments.

    Fix: Write a plain function, and call `asyncio.run` in it.
    """
    for key, role in _ROLES.items():
        facts = registration[key]
        if facts is not None and facts["is_coroutine"]:
            message = f"the {role} of `hermes {registration['name']}` is async, and the host never awaits it"
            yield Problem(message, *load.callable_place(registration, key))


def normalize_name(name: str) -> str:
    """Return the name under which the host stores a command."""
    return name.lower().strip().lstrip("/").replace(" ", "-")
