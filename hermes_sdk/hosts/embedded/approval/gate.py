"""Approvals, and the gate in front of a tool call for which a plugin wants one (statement D31).

In a gateway the user of the chat is asked. Nobody answers elsewhere: what is neither allowed nor waived is refused.
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
    """The people who could be asked, as the environment describes them.

    A scheduled job, a messaging platform, a person at a terminal, or a caller with a prompt of its own (`asks`).
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
    """Return whether a configuration lets scheduled jobs do what a person would have to approve."""
    approvals = config.get("approvals")
    mode = approvals.get("cron_mode") if isinstance(approvals, Mapping) else None
    return str(mode).lower().strip() in {"allow", "approve", "off", "yes"}


def read_mode(config: Mapping[str, Any]) -> str:
    """Return who approves dangerous commands by a configuration: ``manual``, ``smart`` or ``off``."""
    approvals = config.get("approvals")
    mode = approvals.get("mode", "smart") if isinstance(approvals, Mapping) else "smart"
    # YAML reads a bare `off` as False.
    return "off" if mode is False else str(mode).strip().lower()


class Refused(NamedTuple):
    """Why the user of a chat did not approve: ``deny``, ``timeout``, ``cancelled`` or ``not asked``.

    `reason` is the user's for a denial, if given, and what ended the question before there was an answer.
    """

    outcome: str
    reason: str | None = None

    def message(self, what: str) -> str:
        """Word the refusal for the model: of `what`, such as ``Command``."""
        if self.outcome == "not asked":
            return "BLOCKED: Failed to send approval request to user. Do NOT retry."
        ended = {
            "timeout": "timed out without user response",
            "cancelled": f"approval was withdrawn before the user answered ({self.reason})",
        }.get(self.outcome, "denied by user")
        is_reasoned = self.reason and self.outcome != "cancelled"
        told = f' Reason given by the user: "{self.reason}".' if is_reasoned else ""
        silence = " Silence is not consent." if self.outcome == "timeout" else ""
        return f"BLOCKED: {what} {ended}.{told} Do not try it again or in another way; wait for the user.{silence}"


def keys(rule: str) -> dict[str, Any]:
    """Return the keys that hooks get for a rule."""
    return {"pattern_key": rule, "pattern_keys": [rule]}


def list_ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Return those ids of a call that hooks get; that of a session only where there is one."""
    session = {"session_id": ids["session_id"]} if ids["session_id"] else {}
    return {"turn_id": ids["turn_id"], "tool_call_id": ids["tool_call_id"], **session}


class ApprovalGate:
    """Decides about the calls for which ``pre_tool_call`` returned ``{"action": "approve"}``.

    It reads once, when it is first asked, what waives approval, so that no later tool call can change it.
    """

    def __init__(self, state: HostState, hooks: Hooks, transports: ApprovalTransports) -> None:
        self._state = state
        self._hooks = hooks
        self._transports = transports
        self._lasting: set[str] = set()
        self._of_sessions: dict[str, set[str]] = {}

    def refusal(self, tool: str, directive: Mapping[str, Any], ids: Mapping[str, str]) -> str | None:
        """Return why a call with these ids may not run, or None when it may.

        Of the hook's `directive`, ``message`` tells the person why and ``rule_key`` names the rule to allow
        permanently; both must be text.
        """
        message, rule_key = directive.get("message"), directive.get("rule_key")
        reason = (message if isinstance(message, str) else "") or f"Plugin requires approval for {tool}"
        rule = "plugin_rule:" + ((rule_key.strip() if isinstance(rule_key, str) else "") or tool)
        waived, _ = self.waived
        if waived or self.is_approved(rule) or self._is_off:
            return None
        known = ids if self._state.behaviour.plugin_approvals_told else dict.fromkeys(ids, "")
        request = {
            "command": f"<{tool}> (plugin approval rule)",
            "description": reason,
            **keys(rule),
            **list_ids(known),
        }
        if asking := asker.get():
            refused = self.ask(asking, request)
            return refused and refused.message("Action")
        surface = Surface.now()
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
        return self._refusal_of_cron(tool, rule, reason) if surface.cron else _refusal_without_human(tool, rule, reason)

    def is_approved(self, rule: str) -> bool:
        """Return whether a rule was approved beforehand: permanently, or in the current session.

        Raises:
            NotSupported: It was not, and the transport of a plugin would ask for it.
        """
        asking = asker.get()
        of_session = self._of_sessions.get(asking.session_key, ()) if asking else ()
        if rule in self.waived[1] or rule in self._lasting or rule in of_session:
            return True
        self._transports.require_unselected()
        return False

    def ask(self, asking: Asker, request: Mapping[str, Any], *, keeps: bool = True) -> Refused | None:
        """Ask the user of a chat; return None when they approve.

        `request` holds the arguments of the hooks without the session; `keeps` says whether an answer may apply later
        too.
        """
        told = {"session_key": asking.session_key, **request}
        try:
            unsent_told = self._state.behaviour.plugin_approvals_told
            outcome, why = asking.ask(
                self._hooks, told, _read_seconds(self._state), keeps=keeps, unsent_told=unsent_told
            )
        except NotAsked as error:
            _log.warning("Gateway approval notify failed: %s", error.__cause__)
            return Refused("not asked")
        if outcome in ("cancelled", "deny", "timeout"):
            return Refused(outcome, why)
        if keeps and outcome in ("session", "always"):
            self._keep(asking.session_key, request["pattern_key"], for_good=outcome == "always")
        return None

    def fire_unanswered(self, request: Mapping[str, Any]) -> None:
        """Fire the hooks of a request at a terminal where nobody answers."""
        told = {"session_key": os.environ.get("HERMES_SESSION_KEY", "default"), **request, "surface": "cli"}
        self._hooks.fire("pre_approval_request", **told)
        about = {
            "session_id": request.get("session_id", ""),
            "session_key": os.environ.get("HERMES_SESSION_KEY", ""),
        }
        with wait_for_person(self._hooks, request["command"], **about) as human:
            human.outcome = "deny"
        self._hooks.fire("post_approval_response", **told, choice="deny")

    @property
    def _is_off(self) -> bool:
        """Return whether ``approvals.mode`` waives the rules of plugins, too."""
        approvals = self._state.config.read().get("approvals")
        # YAML reads a bare `off` as False.
        mode = approvals.get("mode") if isinstance(approvals, Mapping) else None
        is_off = mode is False or str(mode).strip().lower() == "off"
        return self._state.behaviour.approvals_off_for_plugins and is_off

    def _keep(self, session: str, rule: str, *, for_good: bool) -> None:
        self._of_sessions.setdefault(session, set()).add(rule)
        if for_good:
            self._lasting.add(rule)
            allowed = sorted({*map(str, self.waived[1]), *self._lasting})
            self._state.home.update_config({"command_allowlist": allowed})

    def forget(self, session: str) -> None:
        """Forget what was approved in a session that ended."""
        self._of_sessions.pop(session, None)

    @cached_property
    def waived(self) -> tuple[bool, frozenset[Any]]:
        """Return whether everything is approved, and the approved rules and commands."""
        try:
            allowed = frozenset(self._state.config.read().get("command_allowlist") or ())
        except TypeError:
            # The host logs an invalid list of rules, and allows nothing.
            allowed = frozenset()
        return truthy("HERMES_YOLO_MODE"), allowed

    def _refusal_of_cron(self, tool: str, rule: str, reason: str) -> str | None:
        if not cron_allows(self._state.config.read()):
            return (
                f"BLOCKED: Tool '{tool}' requires approval ({reason}) but cron jobs run without a user"
                " present to approve it. Do it in another way. `approvals.cron_mode: approve` allows"
                " it."
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
        f"BLOCKED: Tool '{tool}' requires approval ({reason}) but no interactive user or gateway is"
        " present to approve it. A plugin asked for an approval."
    )


def _warn(tool: str, rule: str, what: str) -> None:
    _log.warning(
        "plugin-escalated tool call '%s' in non-interactive non-gateway context (pattern: %s): %s", tool, rule, what
    )


def format_window(state: HostState) -> str:
    """Format the time that a person has to answer, such as ``5 minutes``."""
    seconds = _read_seconds(state)
    units = (("hour", 3600), ("minute", 60))
    unit, size = next((one for one in units if seconds and not seconds % one[1]), ("second", 1))
    count = seconds // size
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _read_seconds(state: HostState) -> int:
    default: int = state.contract.section("default_config")["values"]["approvals"]["timeout"]
    section = state.config.read().get("approvals")
    try:
        return max(0, int(section["timeout"])) if isinstance(section, Mapping) else default
    except (KeyError, TypeError, ValueError):
        return default
