"""The host's own slash commands: their names, and which of them a chat knows."""

from __future__ import annotations

from hermes_sdk.contract import Contract

CLI_ONLY = frozenset(
    {
        "billing",
        "browser",
        "busy",
        "clear",
        "config",
        "copy",
        "cron",
        "gquota",
        "handoff",
        "hatch",
        "history",
        "image",
        "indicator",
        "journey",
        "paste",
        "pet",
        "platforms",
        "plugins",
        "prompt",
        "quit",
        "redraw",
        "reload",
        "save",
        "skin",
        "snapshot",
        "statusbar",
        "subscription",
        "timestamps",
        "tools",
        "toolsets",
    }
)
"""Commands that are there at a terminal only."""

TELLING = frozenset(
    {
        "agents",
        "bundles",
        "commands",
        "debug",
        "help",
        "insights",
        "profile",
        "resume",
        "sessions",
        "status",
        "usage",
        "version",
    }
)
"""Commands that only tell something, in words of the host that are not modelled."""


def resolved(contract: Contract, name: str | None) -> str | None:
    """The command that a name or an alias means, be it for chats or not; None for what is none of the host's."""
    commands = contract.section("slash_commands")
    word = (name or "").lower().lstrip("/")
    return next((command for command, aliases in commands.items() if word == command or word in aliases), None)


def known(contract: Contract, name: str | None) -> str | None:
    """The command of the host that a chat knows by a name, or None."""
    command = resolved(contract, name)
    # Since chats have it, its commands are told apart by the mode that they change.
    cli_only = CLI_ONLY if contract.behaviour.gateway_skills_command else CLI_ONLY | {"skills"}
    return command if command not in cli_only else None
