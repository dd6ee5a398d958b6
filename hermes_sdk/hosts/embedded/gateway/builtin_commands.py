"""Built-in slash commands in a chat, and the answers to ``/help`` and ``/commands``."""

from __future__ import annotations

import math
from typing import Any

from hermes_sdk.hosts.embedded.gateway.classes import as_mapping
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
"""Commands that chats have only if the configuration enables them."""
_LINES_OF_A_PAGE = 20


def is_in_chats(state: HostState, name: str) -> bool:
    """Return whether a built-in command is available in chats, including those that need a setting."""
    if name == "busy":
        return state.behaviour.busy_in_chats
    if name == "save":
        return state.behaviour.save_in_chats
    return name not in _TERMINAL_ONLY


def format_help(state: HostState, event: Any) -> str:
    """Format the answer to ``/help``, which does not list commands of plugins."""
    return "\n".join([state.wording("gateway.help.header"), *_list_lines(state, event)])


def format_page(state: HostState, event: Any) -> str:
    """Format the answer to ``/commands``: one page of the commands in ``/help``."""
    lines, wording = _list_lines(state, event), state.wording
    try:
        requested = int(event.get_command_args().strip() or 1)
    except ValueError:
        return wording("gateway.commands.usage")
    last = math.ceil(len(lines) / _LINES_OF_A_PAGE)
    page = max(1, min(requested, last))
    links = [wording("gateway.commands.nav_prev", page=page - 1)] if page > 1 else []
    links += [wording("gateway.commands.nav_next", page=page + 1)] if page < last else []
    shown = [
        wording("gateway.commands.header", total=len(lines), page=page, total_pages=last),
        "",
        *lines[(page - 1) * _LINES_OF_A_PAGE : page * _LINES_OF_A_PAGE],
        "",
        " | ".join(links),
    ]
    if page != requested:
        shown.append(wording("gateway.commands.out_of_range", requested=requested, page=page))
    return "\n".join(shown)


def _list_lines(state: HostState, event: Any) -> list[str]:
    """Return a line for each built-in command of a chat.

    Raises:
        NotSupported: The home has skills, the configuration adds a command, or the platform renames commands.
    """
    if event.source.platform.value == "telegram":
        raise state.unsupported("list the commands of a chat on Telegram")
    skills = state.config.read().get("skills")
    if as_mapping(skills).get("write_approval"):
        raise state.unsupported("list the commands of a chat with `skills.write_approval`")
    if any(find_skills(folder) for folder in HomeSkills(state, skills).list_folders()):
        raise state.unsupported("list the skills of the home in a chat")
    names = [one for one in state.contract.section("slash_commands") if one not in _BY_SETTING]
    return [f"`/{name}` -- a command of Hermes" for name in sorted(names) if is_in_chats(state, name)]
