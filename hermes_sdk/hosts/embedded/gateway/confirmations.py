"""Commands that the user has to confirm, since they throw something away."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner

_CHOICES = {
    **dict.fromkeys(("approve", "approve once", "confirm", "ok", "once", "yes"), "once"),
    **dict.fromkeys(("always", "always approve", "remember"), "always"),
    **dict.fromkeys(("cancel", "deny", "nevermind", "no"), "cancel"),
}
_BY_COMMAND_ONLY = frozenset({"confirm", "deny", "ok", "remember", "yes"})
_SILENCED = (
    "\n\nℹ️ Future /clear, /new, /reset, and /undo will run without confirmation. Re-enable via"
    " `approvals.destructive_slash_confirm: true` in config.yaml."
)


class Confirmations:
    """The commands that wait for a confirmation, one a chat.

    Args:
        runner: The gateway.
    """

    def __init__(self, runner: GatewayRunner) -> None:
        self._runner = runner
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[str, Callable[[], Awaitable[Any]]]] = {}

    async def ask(self, event: Any, command: str, detail: str, execute: Callable[[], Awaitable[Any]]) -> str | None:
        """Ask the user; what is returned is said where the adapter has no buttons.

        Args:
            event: The message with the command.
            command: The command.
            detail: What it does.
            execute: Does it.
        """
        key = self._runner.session_store.key(event.source)
        adapter = self._runner.adapter_of(event.source)
        prefix = getattr(adapter, "typed_command_prefix", "/")
        message = (
            f"⚠️ **Confirm /{command}**\n\n{detail}\n\nChoose:\n• **Approve Once** — proceed this time only\n"
            "• **Always Approve** — proceed and silence this prompt permanently\n"
            "• **Cancel** — keep current conversation\n\n"
            f"_Text fallback: reply `{prefix}approve`, `{prefix}always`, or `{prefix}cancel`._"
        )
        self._waiting[key] = (command, execute)
        shown = await adapter.send_slash_confirm(
            chat_id=event.source.chat_id,
            title=f"/{command}",
            message=message,
            session_key=key,
            confirm_id=str(next(self._numbers)),
            metadata=None,
        )
        return None if getattr(shown, "success", False) else message

    async def answer(self, event: Any) -> tuple[bool, Any]:
        """Take a message for the answer, if it is one; whether it was, and what is said to it."""
        key = self._runner.session_store.key(event.source)
        if key not in self._waiting:
            return False, None
        choice = _choice(event)
        if choice is None:
            return False, None
        command, execute = self._waiting.pop(key)
        if choice == "cancel":
            return True, f"🟡 /{command} cancelled. Conversation unchanged."
        if choice == "always":
            self._runner.state.home.update_config({"approvals": {"destructive_slash_confirm": False}})
        result = await execute()
        return True, f"{result}{_SILENCED}" if choice == "always" else result

    def forget(self, key: str) -> None:
        """Forget what a chat was asked."""
        self._waiting.pop(key, None)


def _choice(event: Any) -> str | None:
    command = event.get_command()
    if command in _CHOICES:
        return _CHOICES[command]
    said = event.text.strip().lstrip("!/").lower()
    return _CHOICES.get(said) if said not in _BY_COMMAND_ONLY else None
