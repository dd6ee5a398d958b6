"""Approval prompts with buttons, on releases whose base class of adapters composes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hermes_sdk.hosts.embedded.approval.gate import format_window
from hermes_sdk.hosts.embedded.host_classes import of_module


@of_module("gateway.platforms.base")
@dataclass
class ExecApprovalPrompt:
    """A question about a command; `actions` has a label, a choice and a style for each button."""

    chat_id: str
    session_key: str
    text: str
    actions: list[tuple[str, str, str]]
    command: str
    description: str
    smart_denied: bool
    metadata: dict[str, Any] | None = None

    @property
    def choices(self) -> list[str]:
        """The choice of each button."""
        return [choice for _, choice, _ in self.actions]


class ApprovalPrompts:
    """Mixin that composes approval prompts; adapters draw them, and may override the markup."""

    _EA_CODE_OPEN = "```\n"
    _EA_CODE_CLOSE = "\n```\n"
    _EA_DEADLINE_PREFIX = "\n\n"
    _EA_CMD_BUDGET = 3000
    _EA_REASON_BUDGET = 0
    _EA_ACTION_STYLES = {"once": "primary", "deny": "danger"}  # noqa: RUF012 - adapters replace it.

    @property
    def _EA_HEADER(self: Any) -> str:
        return f"⚠️ {self._wording('gateway.exec_approval.header')}\n\n"

    @property
    def _EA_REASON_LABEL(self: Any) -> str:
        return f"{self._wording('gateway.exec_approval.reason_label')}: "

    @property
    def _EA_SMART_DENY_LINE(self: Any) -> str:
        return f"\n\n{self._wording('gateway.exec_approval.smart_deny_line')}"

    @property
    def _EA_ACTION_LABELS(self: Any) -> dict[str, str]:
        choices = ("once", "session", "always", "deny")
        return {choice: self._wording(f"gateway.exec_approval.action_{choice}") for choice in choices}

    def supports_exec_approval_buttons(self: Any) -> bool:
        """Return whether the adapter draws buttons; `self` is its class."""
        return self._send_exec_approval_prompt is not self._gateway.BasePlatformAdapter._send_exec_approval_prompt

    def _ea_escape(self, text: str) -> str:
        return text

    def _ea_deadline_line(self: Any) -> str:
        if not self._gateway.state.behaviour.approval_outcomes_told:
            return ""
        line = self._wording("gateway.exec_approval.deadline", window=format_window(self._gateway.state))
        return str(self._EA_DEADLINE_PREFIX + self._ea_escape(line))

    def _exec_approval_cmd_budget(self: Any, description: str, smart_denied: bool) -> int:
        budget: int = self._EA_CMD_BUDGET
        return budget

    def _format_exec_approval(self: Any, command: str, description: str, smart_denied: bool = False) -> str:
        limits = (
            (command, self._exec_approval_cmd_budget(description, smart_denied)),
            (
                description,
                self._EA_REASON_BUDGET or float("inf"),
            ),
        )
        if any(self.message_len_fn(self._ea_escape(text)) > limit for text, limit in limits):
            raise self._gateway.state.unsupported("shorten the approval prompt of an adapter")
        text = f"{self._EA_HEADER}{self._EA_CODE_OPEN}{self._ea_escape(command)}{self._EA_CODE_CLOSE}"
        text += f"{self._EA_REASON_LABEL}{self._ea_escape(description)}{self._ea_deadline_line()}"
        return text + self._EA_SMART_DENY_LINE if smart_denied else text

    def _exec_approval_actions(
        self: Any, *, allow_permanent: bool, allow_session: bool, smart_denied: bool
    ) -> list[tuple[str, str, str]]:
        lasting = [] if smart_denied or not allow_session else ["session", *(["always"] if allow_permanent else [])]
        labels, styles = self._EA_ACTION_LABELS, self._EA_ACTION_STYLES
        return [(labels[one], one, styles.get(one, "")) for one in ("once", *lasting, "deny")]

    async def send_exec_approval(
        self: Any,
        chat_id: str,
        command: str,
        session_key: str,
        description: str | None,
        metadata: dict[str, Any] | None,
        smart_denied: bool,
        **offered: bool,
    ) -> Any:
        """Ask about a command with the buttons of the adapter."""
        if description is None:
            raise self._gateway.state.unsupported("ask for approval without a reason")
        command = str(command or "")
        text = self._format_exec_approval(command, description, smart_denied)
        actions = self._exec_approval_actions(smart_denied=smart_denied, **offered)
        prompt = ExecApprovalPrompt(chat_id, session_key, text, actions, command, description, smart_denied, metadata)
        return await self._send_exec_approval_prompt(prompt)

    async def _send_exec_approval_prompt(self: Any, prompt: ExecApprovalPrompt) -> Any:
        return self._gateway.SendResult(success=False, error="Not supported")
