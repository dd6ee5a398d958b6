"""What a person has to approve, and the gate in front of a tool call for which a plugin wants that (statement D31).

Nobody answers an embedded host: what is neither allowed beforehand nor waived is refused, and in a gateway it waits.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.discovery import truthy

_log = logging.getLogger("tools.approval")


class Surface(NamedTuple):
    """Who could be asked, as far as the environment tells.

    Attributes:
        cron: The session is a scheduled job.
        gateway: It belongs to a messaging platform.
        interactive: A person sits at a terminal.
        asks: Whatever runs the session asks in its own way.
    """

    cron: bool
    gateway: bool
    interactive: bool
    asks: bool

    @classmethod
    def now(cls) -> Surface:
        """Read the environment."""
        cron = truthy("HERMES_CRON_SESSION")
        gateway = not cron and (truthy("HERMES_GATEWAY_SESSION") or bool(os.environ.get("HERMES_SESSION_PLATFORM")))
        return cls(cron, gateway, truthy("HERMES_INTERACTIVE"), truthy("HERMES_EXEC_ASK"))


def cron_allows(config: Mapping[str, Any]) -> bool:
    """Tell whether a configuration lets scheduled jobs do what a person would have to approve."""
    approvals = config.get("approvals")
    mode = approvals.get("cron_mode") if isinstance(approvals, Mapping) else None
    return str(mode).lower().strip() in {"allow", "approve", "off", "yes"}


class ApprovalGate:
    """Decides about the calls for which ``pre_tool_call`` returned ``{"action": "approve"}`` (since 0.18.1).

    What waives approval is read when the gate is first asked and then kept, so that no later tool call can change it.

    Args:
        config: Reads the ``config.yaml`` of the home.
    """

    def __init__(self, config: Callable[[], Mapping[str, Any]]) -> None:
        self._config = config

    def refusal(self, tool: str, directive: Mapping[str, Any]) -> str | None:
        """Return why a call may not run, or None when it may.

        Args:
            tool: The tool.
            directive: What the hook returned: ``message`` tells the person why, ``rule_key`` names what is allowed for
                good; both count only as text.
        """
        message, rule_key = directive.get("message"), directive.get("rule_key")
        reason = (message if isinstance(message, str) else "") or f"Plugin requires approval for {tool}"
        rule = "plugin_rule:" + ((rule_key.strip() if isinstance(rule_key, str) else "") or tool)
        waived, allowed = self.waived
        if waived or rule in allowed:
            return None
        surface = Surface.now()
        if surface.gateway or (surface.interactive and surface.asks):
            return (
                f"⚠️ This action is potentially dangerous ({reason}). Asking the user for approval.\n\n"
                f"**Target:**\n```\n<{tool}> (plugin approval rule)\n```"
            )
        if surface.interactive:
            return (
                f"BLOCKED: User denied this potentially dangerous action (matched '{reason}'). Do NOT retry — the user"
                " has explicitly rejected it."
            )
        return self._refusal_of_cron(tool, rule, reason) if surface.cron else _refusal_without_human(tool, rule, reason)

    @cached_property
    def waived(self) -> tuple[bool, frozenset[Any]]:
        """Whether everything is approved, and the rules and commands that are."""
        try:
            allowed = frozenset(self._config().get("command_allowlist") or ())
        except TypeError:
            # The host logs what it cannot take as a list of rules, and allows nothing.
            allowed = frozenset()
        return truthy("HERMES_YOLO_MODE"), allowed

    def _refusal_of_cron(self, tool: str, rule: str, reason: str) -> str | None:
        if not cron_allows(self._config()):
            return (
                f"BLOCKED: Tool '{tool}' requires approval ({reason}) but cron jobs run without a user present to"
                " approve it. Find an alternative approach. To allow flagged actions in cron jobs, set"
                " approvals.cron_mode: approve in config.yaml."
            )
        _warn(tool, rule, f"{reason} — set HERMES_INTERACTIVE or HERMES_GATEWAY_SESSION to require approval.")
        return None


def _refusal_without_human(tool: str, rule: str, reason: str) -> str:
    _warn(
        tool,
        rule,
        f"{reason} — no interactive user/gateway present; BLOCKED (fail-closed). Set HERMES_INTERACTIVE or"
        " HERMES_GATEWAY_SESSION to answer the prompt.",
    )
    return (
        f"BLOCKED: Tool '{tool}' requires approval ({reason}) but no interactive user or gateway is present to approve"
        " it. A plugin flagged this action for human confirmation."
    )


def _warn(tool: str, rule: str, what: str) -> None:
    _log.warning(
        "plugin-escalated tool call '%s' in non-interactive non-gateway context (pattern: %s): %s", tool, rule, what
    )
