"""Approvals, and the gate for tool calls that need approval according to a plugin (D31).

A gateway asks the user of the chat. Elsewhere nobody can answer: calls that are neither approved beforehand nor
exempt are refused.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.approval.prompts import Asker, NotAsked, asker, wait_for_person
from hermes_sdk.hosts.embedded.approval.transports import ApprovalTransports
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("hermes_cli.plugins")
_log = logging.getLogger("tools.approval")


class Surface(NamedTuple):
    """Surface that environment variables describe, which decides how to ask for approval.

    It is a scheduled job, a messaging platform, a terminal with a user, or a caller with its own prompt (`asks`).
    """

    cron: bool
    gateway: bool
    interactive: bool
    asks: bool

    @classmethod
    def from_environment(cls) -> Surface:
        """Read the environment variables."""
        cron = truthy("HERMES_CRON_SESSION")
        gateway = not cron and (truthy("HERMES_GATEWAY_SESSION") or bool(os.environ.get("HERMES_SESSION_PLATFORM")))
        return cls(cron, gateway, truthy("HERMES_INTERACTIVE"), truthy("HERMES_EXEC_ASK"))


def is_cron_approved(config: Mapping[str, Any]) -> bool:
    """Return whether scheduled jobs may make calls that need approval, according to ``approvals.cron_mode``."""
    approvals = config.get("approvals")
    mode = approvals.get("cron_mode") if isinstance(approvals, Mapping) else None
    return str(mode).lower().strip() in {"allow", "approve", "off", "yes"}


def read_mode(config: Mapping[str, Any]) -> str:
    """Return ``approvals.mode``, the approval of dangerous commands: ``manual``, ``smart`` or ``off``."""
    approvals = config.get("approvals")
    mode = approvals.get("mode", "smart") if isinstance(approvals, Mapping) else "smart"
    # YAML reads a bare `off` as False.
    return "off" if mode is False else str(mode).strip().lower()


class Refusal(NamedTuple):
    """A missing approval; `outcome` is ``deny``, ``timeout``, ``cancelled`` or ``not asked``.

    `reason` is the user's reason for a denial, or the cause of a cancellation.
    """

    outcome: str
    reason: str | None = None

    def message(self, what: str) -> str:
        """Format the refusal for the model; `what` names the kind of call, such as ``Command``."""
        if self.outcome == "not asked":
            return "BLOCKED: Failed to send approval request to user. Do NOT retry."
        ended = {
            "timeout": "timed out without user response",
            "cancelled": f"approval was withdrawn before the user answered ({self.reason})",
        }.get(self.outcome, "denied by user")
        is_reasoned = self.reason and self.outcome != "cancelled"
        note = f' Reason given by the user: "{self.reason}".' if is_reasoned else ""
        silence = " Silence is not consent." if self.outcome == "timeout" else ""
        return f"BLOCKED: {what} {ended}.{note} Do not try it again or in another way; wait for the user.{silence}"


def make_rule_keys(rule: str) -> dict[str, Any]:
    """Return the hook arguments for a rule."""
    return {"pattern_key": rule, "pattern_keys": [rule]}


def select_ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Return the ids of a call for hooks; ``session_id`` only within a session."""
    session = {"session_id": ids["session_id"]} if ids["session_id"] else {}
    return {"turn_id": ids["turn_id"], "tool_call_id": ids["tool_call_id"], **session}


class ApprovalGate:
    """Decides on calls for which ``pre_tool_call`` returned ``{"action": "approve"}``.

    The settings that waive approval are read once, on first use, so that later tool calls cannot change them.
    """

    def __init__(self, state: HostState, hooks: Hooks, transports: ApprovalTransports) -> None:
        self._state = state
        self._hooks = hooks
        self._transports = transports
        self._permanent: set[str] = set()
        self._by_session: dict[str, set[str]] = {}

    def refusal(self, tool: str, directive: Mapping[str, Any], ids: Mapping[str, str]) -> str | None:
        """Return why a call may not run, or None.

        In the hook's `directive`, ``message`` is the reason for the user and ``rule_key`` names the rule that can be
        approved permanently; values that are not text are ignored.
        """
        message, rule_key = directive.get("message"), directive.get("rule_key")
        reason = (message if isinstance(message, str) else "") or f"Plugin requires approval for {tool}"
        rule = "plugin_rule:" + ((rule_key.strip() if isinstance(rule_key, str) else "") or tool)
        waived, _ = self.waivers
        if waived or self.is_approved(rule) or self._is_off:
            return None
        known = ids if self._state.behaviour.plugin_approvals_told else dict.fromkeys(ids, "")
        request = {
            "command": f"<{tool}> (plugin approval rule)",
            "description": reason,
            **make_rule_keys(rule),
            **select_ids(known),
        }
        if current := asker.get():
            refused = self.ask(current, request)
            return refused and refused.message("Action")
        surface = Surface.from_environment()
        if surface.gateway or (surface.interactive and surface.asks):
            return (
                f"⚠️ This action is potentially dangerous ({reason}). Asking the user for approval.\n\n"
                f"**Target:**\n```\n<{tool}> (plugin approval rule)\n```"
            )
        if surface.interactive:
            if self._state.behaviour.plugin_approvals_told:
                self.fire_unanswered(request)
            return (
                f"BLOCKED: User denied this potentially dangerous action (matched '{reason}'). Do NOT"
                " retry — the user said no."
            )
        return self._refuse_cron_job(tool, rule, reason) if surface.cron else _refuse_without_user(tool, rule, reason)

    def is_approved(self, rule: str) -> bool:
        """Return whether a rule was approved beforehand: permanently, or in the current session.

        Raises:
            NotSupported: The rule is not approved, and a plugin's transport would ask for approval.
        """
        current = asker.get()
        in_session = self._by_session.get(current.session_key, ()) if current else ()
        if rule in self.waivers[1] or rule in self._permanent or rule in in_session:
            return True
        self._transports.require_unselected()
        return False

    def ask(self, current: Asker, request: Mapping[str, Any], *, keeps: bool = True) -> Refusal | None:
        """Ask the user of a chat; return None if the user approves.

        `request` contains the hook arguments except the session; with `keeps`, an answer can also apply to later calls.
        """
        event = {"session_key": current.session_key, **request}
        try:
            reports_unsent = self._state.behaviour.plugin_approvals_told
            outcome, why = current.ask(
                self._hooks, event, _read_timeout(self._state), keeps=keeps, reports_unsent=reports_unsent
            )
        except NotAsked as error:
            _log.warning("Gateway approval notify failed: %s", error.__cause__)
            return Refusal("not asked")
        if outcome in ("cancelled", "deny", "timeout"):
            return Refusal(outcome, why)
        if keeps and outcome in ("session", "always"):
            self._store_approval(current.session_key, request["pattern_key"], is_permanent=outcome == "always")
        return None

    def fire_unanswered(self, request: Mapping[str, Any]) -> None:
        """Fire the hooks of a request that nobody answers at a terminal."""
        event = {"session_key": os.environ.get("HERMES_SESSION_KEY", "default"), **request, "surface": "cli"}
        self._hooks.fire("pre_approval_request", **event)
        about = {
            "session_id": request.get("session_id", ""),
            "session_key": os.environ.get("HERMES_SESSION_KEY", ""),
        }
        with wait_for_person(self._hooks, request["command"], **about) as human:
            human.outcome = "deny"
        self._hooks.fire("post_approval_response", **event, choice="deny")

    @property
    def _is_off(self) -> bool:
        """Return whether ``approvals.mode`` also waives the rules of plugins."""
        approvals = self._state.config.read().get("approvals")
        # YAML reads a bare `off` as False.
        mode = approvals.get("mode") if isinstance(approvals, Mapping) else None
        is_off = mode is False or str(mode).strip().lower() == "off"
        return self._state.behaviour.approvals_off_for_plugins and is_off

    def _store_approval(self, session: str, rule: str, *, is_permanent: bool) -> None:
        self._by_session.setdefault(session, set()).add(rule)
        if is_permanent:
            self._permanent.add(rule)
            allowed = sorted({*map(str, self.waivers[1]), *self._permanent})
            self._state.home.update_config({"command_allowlist": allowed})

    def forget(self, session: str) -> None:
        """Discard the approvals of a session that ended."""
        self._by_session.pop(session, None)

    @cached_property
    def waivers(self) -> tuple[bool, frozenset[Any]]:
        """Return whether everything is approved, and the approved rules and commands."""
        try:
            allowed = frozenset(self._state.config.read().get("command_allowlist") or ())
        except TypeError:
            # The host logs an invalid allowlist and treats it as empty.
            allowed = frozenset()
        return truthy("HERMES_YOLO_MODE"), allowed

    def _refuse_cron_job(self, tool: str, rule: str, reason: str) -> str | None:
        if not is_cron_approved(self._state.config.read()):
            return (
                f"BLOCKED: Tool '{tool}' requires approval ({reason}) but cron jobs run without a user"
                " present to approve it. Do it in another way. `approvals.cron_mode: approve` allows"
                " it."
            )
        _warn(tool, rule, f"{reason} — set HERMES_INTERACTIVE or HERMES_GATEWAY_SESSION to require approval.")
        return None


def _refuse_without_user(tool: str, rule: str, reason: str) -> str:
    _warn(
        tool,
        rule,
        f"{reason} — no interactive user/gateway present; BLOCKED (fail-closed). Set HERMES_INTERACTIVE or"
        " HERMES_GATEWAY_SESSION to answer the prompt.",
    )
    return (
        f"BLOCKED: Tool '{tool}' requires approval ({reason}) but no interactive user or gateway is"
        " present to approve it. A plugin asked for an approval."
    )


def _warn(tool: str, rule: str, what: str) -> None:
    _log.warning(
        "plugin-escalated tool call '%s' in non-interactive non-gateway context (pattern: %s): %s", tool, rule, what
    )


def format_window(state: HostState) -> str:
    """Format the time limit for an answer, such as ``5 minutes``."""
    seconds = _read_timeout(state)
    units = (("hour", 3600), ("minute", 60))
    unit, size = next((one for one in units if seconds and not seconds % one[1]), ("second", 1))
    count = seconds // size
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _read_timeout(state: HostState) -> int:
    default: int = state.contract.section("default_config")["values"]["approvals"]["timeout"]
    section = state.config.read().get("approvals")
    try:
        return max(0, int(section["timeout"])) if isinstance(section, Mapping) else default
    except (KeyError, TypeError, ValueError):
        return default
