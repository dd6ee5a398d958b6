"""Routing of incoming messages: plugins, authorisation, commands, a turn, or the queue."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import sys
import time
from typing import Any

from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.turn import Turn
from hermes_sdk.hosts.embedded.gateway.adapter.sending import thread_metadata
from hermes_sdk.hosts.embedded.gateway.agents import Agents
from hermes_sdk.hosts.embedded.gateway.approvals import Approvals
from hermes_sdk.hosts.embedded.gateway.authorisation import Authorisation
from hermes_sdk.hosts.embedded.gateway.commands import Commands
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.sessions import SessionStore
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig
from hermes_sdk.hosts.embedded.gateway.turns import Turns

_log = logging.getLogger("gateway.run")

_NOTICE_COOLDOWN = 30.0
_ORIGIN_FIELDS = (
    "chat_id",
    "thread_id",
    "chat_type",
    "user_id",
    "scope_id",
    "profile",
    "parent_chat_id",
    "chat_id_alt",
    "user_id_alt",
    "prospective_thread_id",
)
_HINTS = {
    "interrupt": (
        "💡 First-time tip — I interrupted my task for your message. `/busy queue` makes messages wait, `/busy steer`"
        " adds them to the task."
    ),
    "queue": "💡 First-time tip — Your message waits. `/busy interrupt` makes messages stop the task.",
    "redirect": (
        "💡 First-time tip — Your message changed the task. `/stop` ends it, `/busy queue` makes messages wait."
    ),
}


@dataclasses.dataclass(eq=False)
class Inbound:
    """Routes incoming messages."""

    runtime: Runtime
    config: GatewayConfig
    sessions: SessionStore
    authorisation: Authorisation
    connections: Connections
    approvals: Approvals
    agents: Agents
    turns: Turns
    commands: Commands
    _notified_at: dict[str, float] = dataclasses.field(default_factory=dict, init=False)
    _gave_hint: bool = dataclasses.field(default=False, init=False)

    async def answer(self, event: Any, gateway: Any) -> Any:
        """Answer a message; `gateway` is passed to ``pre_gateway_dispatch``."""
        if not event.internal:
            event = self._apply_dispatch_hooks(event, gateway)
            if event is None or not await self._authorise(event.source):
                return None
        key = self.sessions.key(event.source)
        if self.approvals.clarifications.answer(key, event.text or ""):
            self.connections.find_adapter(event.source).resume_typing_for_chat(event.source.chat_id)
            return ""
        is_answer, reply = await self.approvals.confirmations.answer(event)
        if is_answer:
            return reply
        command = event.get_command()
        if self.agents.is_running(key):
            name = self.runtime.state.contract.resolve_slash_command(command)
            if name:
                return await self.commands.answer_while_running(event, name)
            await self.handle_while_running(event, key)
            return None
        if command:
            is_done, reply = await self.commands.answer(event)
            if is_done:
                return reply
        self.agents.begin(key)
        try:
            # Hermes reads its database here, and meanwhile the adapter's typing task starts.
            await asyncio.sleep(0)
            is_done, reply = self._apply_admission_hooks(event, key)
            return reply if is_done else await self.turns.answer(event)
        finally:
            self.agents.end(key)
            self._notified_at.pop(key, None)

    def _apply_dispatch_hooks(self, event: Any, gateway: Any) -> Any:
        """Let plugins decide about a message; return None if one drops it (H12)."""
        arguments = {"event": event, "gateway": gateway, "session_store": self.sessions}
        for result in self.runtime.hooks.fire("pre_gateway_dispatch", **arguments):
            action = result.get("action") if isinstance(result, dict) else None
            if action == "skip":
                _log.info(
                    "pre_gateway_dispatch skip: reason=%s platform=%s chat=%s",
                    result.get("reason"),
                    event.source.platform.value,
                    event.source.chat_id or "unknown",
                )
                return None
            if action == "rewrite":
                text = result.get("text")
                return dataclasses.replace(event, text=text) if isinstance(text, str) else event
            if action == "allow":
                return event
        return event

    def _apply_admission_hooks(self, event: Any, key: str) -> tuple[bool, str | None]:
        """Let plugins answer an admitted message; return whether one did, and the reply (N56)."""
        if event.internal:
            return False, None
        source = event.source
        results = self.runtime.hooks.fire(
            "post_gateway_admission",
            session_key=key,
            platform=source.platform.value,
            source=source.to_dict(),
            message_id=event.message_id,
            text=event.text or "",
        )
        for result in results:
            if isinstance(result, dict) and result.get("action") == "handled":
                reply = result.get("reply")
                return True, reply if isinstance(reply, str) and reply.strip() else None
        return False, None

    async def _authorise(self, source: Any) -> bool:
        """Return whether the user may write; if not, offer a pairing code."""
        if self.authorisation.allows(source):
            return True
        if source.user_id is None:
            return False
        platform = source.platform.value
        _log.warning("Unauthorized user: %s (%s) on %s", source.user_id, source.user_name, platform)
        offer, adapter = self.authorisation.offer_pairing(source), self.connections.find_adapter(source)
        if offer and adapter is not None:
            await adapter.send(source.chat_id, offer)
        return False

    async def handle_while_running(self, event: Any, key: str) -> bool:
        """Handle a message that arrives during a turn; return False if the adapter has to queue it."""
        if not self.authorisation.allows(event.source):
            return True
        adapter = self.connections.find_adapter(event.source)
        command = self.approvals.parse_answer(key, event.text)
        if command:
            event.text = command
            reply = await self.commands.answer_while_running(event, command.split()[0][1:])
            await self._reply(adapter, event, reply)
            return True
        if adapter is None or event.internal:
            return False
        if self.config.busy_text_mode == "queue" and event.message_type.value == "text":
            return False
        mode, turn = self.config.busy_input_mode, self.agents.find_turn(key)
        if mode == "interrupt" and self._redirect(event, key, turn):
            mode = "redirect"
        else:
            self.turns.queue.merge(key, event, adapter)
            if mode == "interrupt" and turn is not None:
                self.agents.stop(key, "user sent a new message")
        if time.monotonic() - self._notified_at.get(key, -_NOTICE_COOLDOWN) >= _NOTICE_COOLDOWN:
            self._notified_at[key] = time.monotonic()
            await self._reply(adapter, event, self._format_notice(mode, turn))
        return True

    def _redirect(self, event: Any, key: str, turn: Turn | None) -> bool:
        """Correct the current turn with a text instead of ending it; return whether that is possible."""
        state = self.runtime.state
        is_text = event.message_type.value == "text" and not event.media_urls and event.text.strip()
        if turn is None or not is_text or not state.behaviour.turns_redirected:
            return False
        if turn.runs_tools:
            raise state.unsupported("forward a message to a turn whose tools are running")
        text = event.text.strip()
        if state.behaviour.corrections_tell_origin:
            origin = _describe_origin(event)
            text = state.wording("turn.correction_origin", origin=origin, text=text)
        if not self.agents.redirect(key, text):
            return False
        if state.behaviour.replies_follow_corrections:
            self.turns.answer_correction(key, event)
        return True

    def _format_notice(self, mode: str, turn: Turn | None) -> str:
        progress, state = [], self.runtime.state
        if turn is not None:
            most = turn.session.settings.max_iterations
            has_limit = most < sys.maxsize or not state.behaviour.corrections_tell_origin
            progress.append(f"iteration {turn.requests}/{most}" if has_limit else f"iteration {turn.requests}")
            if turn.tool:
                progress.append(f"running: {turn.tool}")
        notice = state.wording(f"gateway.busy.ack_{mode}", detail=f" ({', '.join(progress)})" if progress else "")
        if self._gave_hint:
            return notice
        self._gave_hint = True
        return f"{notice}\n\n{_HINTS[mode]}"

    async def _reply(self, adapter: Any, event: Any, text: str) -> None:
        await adapter._send_with_retry(
            chat_id=event.source.chat_id,
            content=text,
            reply_to=event.message_id,
            metadata=thread_metadata(event.source),
        )


def _describe_origin(event: Any) -> str:
    """Describe the origin of a correction to the model, as JSON."""
    source = event.source
    fields = {name: getattr(source, name, None) for name in _ORIGIN_FIELDS}
    ids = {"message_id": event.message_id, "source_message_id": source.message_id}
    origin = {name: one for name, one in {"platform": source.platform.value, **fields, **ids}.items() if one}
    return json.dumps(origin).replace("[", "\\u005b").replace("]", "\\u005d")
