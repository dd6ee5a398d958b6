"""What becomes of a message that comes while its chat is busy."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.gateway import prompts
from hermes_sdk.hosts.embedded.gateway.session_keys import thread_metadata

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner

_APPROVES = frozenset({"approve", "yes", "ok", "okay", "confirm", "y", "👍"})
_DENIES = frozenset({"deny", "no", "reject", "cancel", "n", "👎"})
_FOR_LONG = {
    **dict.fromkeys(("always", "approve always", "always approve"), "always"),
    **dict.fromkeys(("session", "approve session", "session approve"), "session"),
}
_COOLDOWN = 30.0


class Busy:
    """Takes the messages that come while their chats are busy.

    Args:
        runner: The gateway.
    """

    def __init__(self, runner: GatewayRunner) -> None:
        self._runner = runner
        self._told: dict[str, float] = {}
        self._hinted = False

    def forget(self, key: str) -> None:
        """Tell the user again next time."""
        self._told.pop(key, None)

    async def take(self, event: Any, key: str) -> bool:
        """Take a message; what is returned says whether that was all."""
        runner = self._runner
        if not runner.authorisation.allows(event.source):
            return True
        adapter = runner.adapter_of(event.source)
        if runner.agents.questions.pending(key) and (answer := _as_command(event.text)):
            event.text = answer
            await self._say(adapter, event, await runner.commands.while_busy(event, answer.split()[0][1:]))
            return True
        if adapter is None or event.internal:
            return False
        if runner.config.busy_text_mode == "queue" and event.message_type.value == "text":
            return False
        mode = runner.config.busy_input_mode
        runner.waiting.join(key, event, adapter)
        turn = runner.agents.turn(key)
        if mode == "interrupt" and turn is not None:
            runner.agents.stop(key)
        if time.monotonic() - self._told.get(key, -_COOLDOWN) >= _COOLDOWN:
            self._told[key] = time.monotonic()
            await self._say(adapter, event, self._notice(mode, turn))
        return True

    def _notice(self, mode: str, turn: Any) -> str:
        parts = []
        if turn is not None:
            parts.append(f"iteration {turn.requests}/{turn.session.runtime.max_iterations}")
            if turn.tool:
                parts.append(f"running: {turn.tool}")
        detail = f" ({', '.join(parts)})" if parts else ""
        text = (
            f"⚡ Interrupting current task{detail}. I'll respond to your message shortly."
            if mode == "interrupt"
            else f"⏳ Queued for the next turn{detail}. I'll respond once the current task finishes."
        )
        if self._hinted:
            return text
        self._hinted = True
        return f"{text}\n\n{prompts.HINTS[mode]}"

    async def _say(self, adapter: Any, event: Any, text: str) -> None:
        await adapter._send_with_retry(
            chat_id=event.source.chat_id,
            content=text,
            reply_to=event.message_id,
            metadata=thread_metadata(event.source),
        )


def _as_command(text: str) -> str | None:
    """The command that the words of a user stand for who was asked for approval, or None."""
    said = text.strip().lower()
    if said in _APPROVES:
        return "/approve"
    if said in _DENIES:
        return "/deny"
    return f"/approve {_FOR_LONG[said]}" if said in _FOR_LONG else None
