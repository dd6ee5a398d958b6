"""The built-in slash commands in a chat, and what ``/help`` answers."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.gateway.classes import mapping
from hermes_sdk.hosts.embedded.skills.home_skills import HomeSkills
from hermes_sdk.hosts.embedded.skills.skill_files import find_skills
from hermes_sdk.hosts.embedded.state import HostState

_TERMINAL_ONLY = frozenset(
    {
        "battery",
        "billing",
        "browser",
        "clear",
        "config",
        "copy",
        "cron",
        "export",
        "focus",
        "gquota",
        "handoff",
        "hatch",
        "history",
        "image",
        "import",
        "indicator",
        "journey",
        "palette",
        "paste",
        "pet",
        "platforms",
        "plugins",
        "prompt",
        "quit",
        "redraw",
        "reload",
        "skin",
        "snapshot",
        "statusbar",
        "subscription",
        "timestamps",
        "tools",
        "toolsets",
        "wake",
        "worktree",
    }
)
_BY_SETTING = frozenset({"skills", "verbose"})
"""Commands that a chat has only if the configuration says so."""


def is_in_chats(state: HostState, name: str) -> bool:
    """Return whether a built-in command is available in a chat, if only because of the configuration."""
    if name == "busy":
        return state.behaviour.busy_in_chats
    if name == "save":
        return state.behaviour.save_in_chats
    return name not in _TERMINAL_ONLY


def format_help(state: HostState) -> str:
    """Format the answer to ``/help``, which has no commands of plugins.

    Raises:
        NotSupported: The home has skills, or the configuration adds a command.
    """
    skills = state.config.read().get("skills")
    if mapping(skills).get("write_approval"):
        raise state.unsupported("list the commands of a chat with `skills.write_approval`")
    if any(find_skills(folder) for folder in HomeSkills(state, skills).folders()):
        raise state.unsupported("list the skills of the home in a chat")
    names = [one for one in state.contract.section("slash_commands") if one not in _BY_SETTING]
    lines = [f"`/{name}` -- a command of Hermes" for name in sorted(names) if is_in_chats(state, name)]
    return "\n".join([state.wording("gateway.help.header"), *lines])
