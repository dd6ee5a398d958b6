"""The gate in front of a tool call that a plugin wants a person to approve (statement D31; since 0.18.1).

Nobody answers an embedded host: what is neither allowed beforehand nor waived is refused, and in a gateway it waits.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from hermes_sdk.hosts.embedded.discovery import truthy

_log = logging.getLogger("tools.approval")


class ApprovalGate:
    """Decides about the calls for which ``pre_tool_call`` returned ``{"action": "approve"}``.

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
        waived, allowed = self._waived
        if waived or rule in allowed:
            return None
        cron = truthy("HERMES_CRON_SESSION")
        gateway = not cron and (truthy("HERMES_GATEWAY_SESSION") or bool(os.environ.get("HERMES_SESSION_PLATFORM")))
        interactive = truthy("HERMES_INTERACTIVE")
        if gateway or (interactive and truthy("HERMES_EXEC_ASK")):
            return (
                f"⚠️ This action is potentially dangerous ({reason}). Asking the user for approval.\n\n"
                f"**Target:**\n```\n<{tool}> (plugin approval rule)\n```"
            )
        if interactive:
            return (
                f"BLOCKED: User denied this potentially dangerous action (matched '{reason}'). Do NOT retry — the user"
                " has explicitly rejected it."
            )
        return self._refusal_of_cron(tool, rule, reason) if cron else _refusal_without_human(tool, rule, reason)

    @cached_property
    def _waived(self) -> tuple[bool, frozenset[Any]]:
        """Whether everything is approved, and the rules that are."""
        try:
            allowed = frozenset(self._config().get("command_allowlist") or ())
        except TypeError:
            # The host logs what it cannot take as a list of rules, and allows nothing.
            allowed = frozenset()
        return truthy("HERMES_YOLO_MODE"), allowed

    def _refusal_of_cron(self, tool: str, rule: str, reason: str) -> str | None:
        approvals = self._config().get("approvals")
        mode = approvals.get("cron_mode") if isinstance(approvals, Mapping) else None
        if str(mode).lower().strip() not in {"allow", "approve", "off", "yes"}:
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
