"""Whether a command may run: what never may, what is allowed beforehand, what a person would have to approve (D25)."""

from __future__ import annotations

import fnmatch
import logging
import os
import re
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.approval import Surface, cron_allows
from hermes_sdk.hosts.embedded.builtins import danger
from hermes_sdk.hosts.embedded.builtins.base import Turnside

_log = logging.getLogger("tools.approval")

_COMPOUND = re.compile(r"\n|[;&|<>`]|\$\(")
_NO_CONSENT = (
    "BLOCKED: User denied this command. The user has NOT consented to this action. Do NOT retry this command, do NOT"
    " rephrase it, and do NOT attempt the same outcome via a different command. Stop the current workflow and wait for"
    " the user to respond before taking any further destructive or irreversible action."
)


def refusal(command: str, side: Turnside) -> dict[str, Any] | None:
    """What the tool answers in place of a command that may not run, or None when it may."""
    if blocked := _always_blocked(command, side):
        return _blocked(blocked)
    config = side.config()
    waived, allowed = side.approval.waived
    mode = _mode(config, side.flags)
    if waived or mode == "off" or (side.flags["commands_allowlisted"] and _is_allowed(command, allowed)):
        return None
    reason, surface = danger.needs_approval(command), Surface.now()
    if reason is None or reason in allowed:
        return None
    if surface.interactive or surface.gateway or surface.asks:
        return _unanswered(command, reason, surface, mode, side)
    if not surface.cron or cron_allows(config):
        return None
    return _blocked(
        f"BLOCKED: Command flagged as dangerous ({reason}) but cron jobs run without a user present to approve it."
        " Find an alternative approach that avoids this command. To allow dangerous commands in cron jobs, set"
        " approvals.cron_mode: approve in config.yaml."
    )


def _blocked(message: str) -> dict[str, Any]:
    return {"output": "", "exit_code": -1, "error": message, "status": "blocked"}


def _always_blocked(command: str, side: Turnside) -> str | None:
    """Why a command may not run whatever is approved."""
    if name := danger.never_runs(command):
        _log.warning("Hardline block: %s (command: %s)", name, command[:200])
        return (
            f"BLOCKED (hardline): {name}. This command is on the unconditional blocklist and cannot be executed via the"
            " agent — not even with --yolo, /yolo, approvals.mode=off, or cron approve mode. If you genuinely need to"
            " run it, run it yourself in a terminal outside the agent."
        )
    if "SUDO_PASSWORD" not in os.environ and danger.guesses_password(command):
        name = "sudo password guessing via stdin (sudo -S)"
        _log.warning("Sudo stdin guard block: %s (command: %s)", name, command[:200])
        return (
            f"BLOCKED: {name}. Do not pipe passwords to 'sudo -S' — this is a brute-force attack vector. Set"
            " SUDO_PASSWORD in your .env file if the agent needs passwordless sudo, or run the sudo command manually in"
            " your own terminal."
        )
    if side.flags["commands_denied"] and (rule := _denied_by(command, side.config())):
        _log.warning("User deny rule %r blocked command: %s", rule, command[:200])
        return (
            f"BLOCKED: this command matches the user-defined deny rule '{rule}' (approvals.deny in config.yaml). It"
            " cannot be executed via the agent — not even with --yolo, /yolo, or approvals.mode=off. Do NOT retry or"
            " rephrase this command; the user has explicitly forbidden it."
        )
    return None


def _approvals(config: Mapping[str, Any]) -> Mapping[str, Any]:
    section = config.get("approvals")
    return section if isinstance(section, Mapping) else {}


def _mode(config: Mapping[str, Any], flags: Mapping[str, bool]) -> str:
    mode = _approvals(config).get("mode", "smart" if flags["approvals_smart"] else "manual")
    # YAML reads a bare `off` as False.
    return "off" if mode is False else str(mode).strip().lower()


def _denied_by(command: str, config: Mapping[str, Any]) -> str | None:
    rules = _approvals(config).get("deny")
    texts = [rule.strip() for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []
    matches = (rule for rule in texts if rule and fnmatch.fnmatchcase(command.lower().strip(), rule.lower()))
    return next(matches, None)


def _is_allowed(command: str, allowed: frozenset[Any]) -> bool:
    """Tell whether a simple command stands on the allow-list, by itself or by a pattern."""
    text = command.strip()
    if not text or _COMPOUND.search(text):
        return False
    rules = (rule.strip() for rule in allowed if isinstance(rule, str))
    return any(text == rule or (re.search(r"[*?\[]", rule) and fnmatch.fnmatchcase(text, rule)) for rule in rules)


def _unanswered(command: str, reason: str, surface: Surface, mode: str, side: Turnside) -> dict[str, Any]:
    """Ask, where nobody answers: at a terminal that denies, elsewhere the request waits."""
    told = {
        "command": command,
        "description": reason,
        "pattern_key": reason,
        "pattern_keys": [reason],
        "session_key": os.environ.get("HERMES_SESSION_KEY", "default"),
    }
    ids = {"turn_id": side.turn_id, "tool_call_id": side.tool_call_id} if side.flags["approval_ids"] else {}
    if mode == "smart":
        # The judging model fails here, and its failure leaves the decision to the person.
        side.hooks.fire("pre_approval_request", **told, surface="smart", **ids)
    if surface.gateway or surface.asks:
        return _pending(command, reason, side.flags)
    side.hooks.fire("pre_approval_request", **told, surface="cli", **ids)
    side.hooks.fire("post_approval_response", **told, surface="cli", choice="deny", **ids)
    return _blocked(_NO_CONSENT if side.flags["approval_pending"] else "BLOCKED: User denied. Do NOT retry.")


def _pending(command: str, reason: str, flags: Mapping[str, bool]) -> dict[str, Any]:
    told = {"command": command, "description": reason, "pattern_key": reason}
    if not flags["approval_pending"]:
        asking = f"⚠️ {reason}. Asking the user for approval.\n\n**Command:**\n```\n{command}\n```"
        return {"output": "", "exit_code": -1, "error": asking, "status": "approval_required", **told}
    waiting = {"output": "", "exit_code": -1, "error": "", "status": "pending_approval", "approval_pending": True}
    judged = {"smart_denied": False, "allow_permanent": True} if flags["approvals_smart"] else {}
    return {**waiting, **told, **judged}
